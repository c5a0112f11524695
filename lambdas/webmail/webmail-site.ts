import { messageFrames, unsubscribeFrame, type WebmailConfig } from '../../contract/deployment/webmail.ts';
import { sessionPath } from '../../contract/jmap/discovery.ts';
import { accessTokenParameter } from '../../contract/jmap/web-socket.ts';
import { hostedPage } from '../../contract/oauth/hosted-page.ts';
import { mailScopes } from '../../contract/oauth/oauth.ts';
import type { Site } from '../../core/runtime/http/serve-site.ts';
import type { SiteFiles } from '../../core/runtime/http/site-files.ts';

type WebmailDeployment = {
  readonly jmapUrl: string;
  readonly uploadUrl: string;
  readonly downloadUrl: string;
  readonly webSocketUrl: string;
  readonly authUrl: string;
  readonly clientId: string;
};

/**
 * The policy of a document that shows a mail. Its styles are the mail's own. It runs no script, and loads nothing but
 * inline images, and images of other servers when the person wants them. `allow-modals` lets the page print it: without a
 * script, the mail itself opens no dialog.
 */
const framePolicy = (images: string): readonly string[] => [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  `img-src ${images}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-same-origin allow-modals allow-popups allow-popups-to-escape-sandbox',
];

/** The policy of the document that sends requests to unsubscribe. Its origin is opaque, so it reaches nothing of the page. */
const unsubscribePolicy: readonly string[] = [
  "default-src 'none'",
  "script-src 'self'",
  'connect-src https:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-scripts',
];

const originOf = (url: string): string => {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
};

/** The web mail as a site, which loads only its own files, and calls only the deployment's JMAP API and sign-in. */
export const webmailSite = (files: SiteFiles, deployment: WebmailDeployment): Site => {
  const { jmapUrl, uploadUrl, downloadUrl, webSocketUrl, authUrl, clientId } = deployment;
  const origins = new Set([jmapUrl, uploadUrl, downloadUrl, webSocketUrl, authUrl].map(originOf));
  const config: WebmailConfig = {
    sessionUrl: `${jmapUrl}${sessionPath}`,
    webSocketTokenParameter: accessTokenParameter,
    signIn: { clientId, scope: mailScopes.join(' '), issuer: authUrl, ...hostedPage(authUrl) },
  };
  return {
    files,
    config,
    policy: [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' blob:",
      `connect-src 'self' ${[...origins].join(' ')}`,
      "frame-src 'self' blob:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "object-src 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types dompurify',
    ],
    framed: {
      [messageFrames.closed]: framePolicy('data: blob:'),
      [messageFrames.images]: framePolicy('data: blob: https:'),
      [unsubscribeFrame]: unsubscribePolicy,
    },
  };
};
