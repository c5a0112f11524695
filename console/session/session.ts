import type { ConsoleConfig } from '../../contract/deployment/console.ts';
import { hostedPage } from '../../contract/oauth/hosted-page.ts';
import { consoleCallbackPath, personScopes } from '../../contract/oauth/oauth.ts';
import { parseJson } from '../../contract/values/parse-json.ts';
import { createHostedSignIn, type SignIn } from '../../site/sign-in/sign-in.ts';
import { isStoredSignIn, type TokenStore } from '../../site/sign-in/token-store.ts';
import { tokensKey } from './may-be-signed-in.ts';
import { handOverCallback, signInWindow } from './sign-in-window.ts';

export type Person = { readonly email: string };

/** The person's sign-in. Tokens are kept for this tab in sessionStorage, so that a reload does not sign the person out. */
export type Session = Pick<SignIn, 'start' | 'accessToken' | 'end' | 'onEnded'> & {
  /** The signed-in person; undefined before sign-in. */
  person(): Promise<Person | undefined>;
  /**
   * Completes the sign-in at the callback path.
   * @returns the path to return to; undefined in a sign-in window, which is then closed if the browser permits it.
   */
  complete(): Promise<string | undefined>;
  /**
   * Signs in again in another window, so that this page and its forms remain.
   * @param onClosed called when the window is closed, or seems closed, before the sign-in is complete. The sign-in may
   * still complete, because the page of an identity provider can cut its connection to the opener
   * (Cross-Origin-Opener-Policy).
   * @returns false when a later call has replaced this one.
   * @throws Error when the sign-in failed, or when the browser opened no window.
   */
  signInAgain(onClosed: () => void): Promise<boolean>;
};

const tokenStore: TokenStore = {
  async read() {
    const stored = parseJson(window.sessionStorage.getItem(tokensKey) ?? '');
    return isStoredSignIn(stored) ? stored : undefined;
  },
  async write(signIn, token) {
    window.sessionStorage.setItem(tokensKey, JSON.stringify({ ...signIn, token }));
  },
  async wipe() {
    window.sessionStorage.removeItem(tokensKey);
  },
};

export const createSession = ({ authUrl, issuer, clientId }: ConsoleConfig, origin: string): Session => {
  const signIn = createHostedSignIn({
    site: 'console',
    settings: { clientId, scope: personScopes.join(' '), issuer, ...hostedPage(authUrl) },
    redirectUri: `${origin}${consoleCallbackPath}`,
    store: tokenStore,
    sharing: () => 'end',
  });
  return {
    ...signIn,
    async person() {
      const stored = await tokenStore.read();
      return stored && { email: stored.email ?? stored.subject };
    },
    complete: async () => (handOverCallback() ? undefined : signIn.complete()),
    signInAgain: signInWindow(signIn),
  };
};
