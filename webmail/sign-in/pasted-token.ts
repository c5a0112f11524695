import { webmailCallbackPath } from '../../contract/deployment/webmail.ts';
import { sessionPath } from '../../contract/jmap/discovery.ts';
import { parseJson } from '../../contract/values/parse-json.ts';
import { SignInEnded, type SignIn } from '../../site/sign-in/sign-in.ts';
import { tokenStore } from './token-store.ts';

/** A server and a token for it that the person entered, where a deployment has no sign-in of its own. */
export type PastedToken = { readonly sessionUrl: string; readonly token: string };

/** The tab alone keeps the token: nothing renews it, and nobody can revoke it here. */
const key = 'webmail.pasted-token';

const isPastedToken = (value: unknown): value is PastedToken =>
  typeof value === 'object' && value !== null && 'sessionUrl' in value && typeof value.sessionUrl === 'string' && 'token' in value;

export const pastedToken = (): PastedToken | undefined => {
  const stored = parseJson(sessionStorage.getItem(key) ?? '');
  return isPastedToken(stored) ? stored : undefined;
};

/**
 * The URL of the JMAP session of what a person enters as their server: a URL, or a host (RFC 8620 §2.2). Undefined for what
 * is none, and without encryption, except on this machine.
 */
export const sessionUrlOf = (server: string): string | undefined => {
  const url = URL.parse(/^https?:\/\//i.test(server.trim()) ? server.trim() : `https://${server.trim()}`);
  if (!url || (url.protocol !== 'https:' && !['localhost', '127.0.0.1'].includes(url.hostname))) return undefined;
  return url.pathname === '/' ? `${url.origin}${sessionPath}` : url.href;
};

export const storePastedToken = (pasted: PastedToken): void => sessionStorage.setItem(key, JSON.stringify(pasted));

export const pastedTokenSignIn = ({ token }: PastedToken): SignIn => ({
  async start() {
    throw new Error('there is no page to sign in');
  },
  async complete() {
    throw new Error('there is no page to return from');
  },
  async accessToken(refused) {
    if (refused === token) throw new SignInEnded('the server does not accept the token any more');
    return token;
  },
  isStored: async () => true,
  async end() {
    await tokenStore.wipe();
    location.assign(webmailCallbackPath);
  },
  forget: () => tokenStore.wipe(),
  onEnded: () => undefined,
});
