import type { ConsoleConfig } from '../../contract/deployment/console.ts';
import type { Site } from '../../core/runtime/http/serve-site.ts';
import type { SiteFiles } from '../../core/runtime/http/site-files.ts';

/** The console as a site, which loads only its own files, and calls only its own origin and the hosted sign-in. */
export const consoleSite = (files: SiteFiles, config: ConsoleConfig): Site => ({
  files,
  config,
  policy: [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${new URL(config.authUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ],
});
