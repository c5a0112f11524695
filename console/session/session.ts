import { ErrorResponse, UserManager, WebStorageStateStore, type User } from 'oidc-client-ts';
import type { ConsoleConfig } from '../../contract/deployment/console.ts';
import { consoleCallbackPath, personScopes } from '../../contract/oauth/oauth.ts';
import { refusedSignIn } from '../../contract/oauth/refused-sign-in.ts';

export type Person = { readonly email: string };

/** Thrown when the sign-in has ended, so that no token can be renewed without the person. */
export class SignInRequired extends Error {
  override readonly name = 'SignInRequired';
}

/**
 * The person's sign-in at the hosted page, by authorization code with PKCE (RFC 7636). Tokens are kept for this tab in
 * sessionStorage, so that a reload does not sign the person out.
 */
export type Session = {
  /** The signed-in person; undefined before sign-in. */
  person(): Promise<Person | undefined>;
  /** Goes to the hosted sign-in, which returns to a path of the console. */
  signIn(returnTo: string): Promise<void>;
  /**
   * Completes the sign-in at the callback path.
   * @returns the path to return to; undefined in a sign-in window, which is then closed if the browser permits it.
   */
  completeSignIn(): Promise<string | undefined>;
  /**
   * Signs in again in another window, so that this page and its forms remain.
   * @param onClosed called when the window is closed, or seems closed, before the sign-in is complete. The sign-in may
   * still complete, because the page of an identity provider can cut its connection to the opener
   * (Cross-Origin-Opener-Policy).
   * @returns false when a later call has replaced this one.
   * @throws Error when the sign-in failed, or when the browser opened no window.
   */
  signInAgain(onClosed: () => void): Promise<boolean>;
  /**
   * An access token that remains valid for at least a minute.
   * @throws SignInRequired when the token can't be renewed.
   */
  accessToken(): Promise<string>;
  /** Revokes the tokens and ends the sign-in at the hosted page, and in the browser's other tabs. */
  signOut(): Promise<void>;
  /**
   * Calls the listener when another tab has signed out, which also ends the sign-in of this tab.
   * @returns a function that removes the listener.
   */
  onSignedOut(listener: () => void): () => void;
};

/** Seconds before its expiry from which a token is renewed before a call. */
const expiryMargin = 60;

/**
 * The suffix of the OAuth state of a sign-in in another window. The tab that opened the window completes the sign-in.
 */
const windowMark = 'window';

/** The name of the sign-in window, so that at most one is open. */
const windowName = 'postrider-sign-in';

/** Milliseconds between two checks for a closed window. */
const watchInterval = 300;

/** Calls the listener when a window is closed before it has sent a message. @returns a function that stops watching. */
const watchWindow = (opened: Window, onClosed: () => void): (() => void) => {
  const stop = (): void => {
    clearInterval(timer);
    window.removeEventListener('message', stopOnMessage);
  };
  const stopOnMessage = ({ source }: MessageEvent): void => {
    if (source === opened) stop();
  };
  const timer = setInterval(() => {
    if (!opened.closed) return;
    stop();
    onClosed();
  }, watchInterval);
  window.addEventListener('message', stopOnMessage);
  return stop;
};

/** The channel by which tabs of the console announce a sign-out. */
const signOutChannel = 'postrider-console-sign-out';

/** The beginning of the keys under which oidc-client-ts keeps tokens. */
const tokensKey = 'oidc.user:';

/**
 * Whether this tab has tokens, or returns from the hosted sign-in. Otherwise the browser is redirected to the hosted
 * sign-in, or a page shows why not.
 */
export const mayBeSignedIn = ({ pathname, search }: Location): boolean =>
  (pathname === consoleCallbackPath && new URLSearchParams(search).has('code')) || Object.keys(window.sessionStorage).some((key) => key.startsWith(tokensKey));

const signInPath = '/oauth2/authorize';

const managerFor = ({ authUrl, clientId }: ConsoleConfig, origin: string): UserManager => {
  const callback = `${origin}${consoleCallbackPath}`;
  return new UserManager({
    authority: authUrl,
    metadata: {
      issuer: authUrl,
      authorization_endpoint: `${authUrl}${signInPath}`,
      token_endpoint: `${authUrl}/oauth2/token`,
      revocation_endpoint: `${authUrl}/oauth2/revoke`,
    },
    client_id: clientId,
    redirect_uri: callback,
    popup_redirect_uri: callback,
    scope: personScopes.join(' '),
    userStore: new WebStorageStateStore({ store: window.sessionStorage }),
    stateStore: new WebStorageStateStore({ store: window.sessionStorage }),
    automaticSilentRenew: false,
    loadUserInfo: false,
    revokeTokenTypes: ['refresh_token'],
    validateSubOnSilentRenew: true,
  });
};

const personOf = (user: User | null): Person | undefined =>
  user ? { email: typeof user.profile.email === 'string' ? user.profile.email : user.profile.sub } : undefined;

/** The path to return to after the sign-in. */
type SignInState = { readonly returnTo: string };

export const createSession = (config: ConsoleConfig, origin: string): Session => {
  const manager = managerFor(config, origin);
  let renewal: Promise<User | null> | undefined;
  let attempt: AbortController | undefined;

  /** Renews the tokens, one renewal at a time: a refresh token can be used once (RFC 9700 §2.2.2). */
  const renew = (): Promise<User | null> =>
    (renewal ??= manager.signinSilent().finally(() => {
      renewal = undefined;
    }));

  const accessToken = async (): Promise<string> => {
    const user = await manager.getUser();
    if (user && (user.expires_in ?? 0) > expiryMargin) return user.access_token;
    if (!user?.refresh_token) throw new SignInRequired('the sign-in has ended');
    try {
      const renewed = await renew();
      if (!renewed) throw new SignInRequired('the sign-in has ended');
      return renewed.access_token;
    } catch (error) {
      if (error instanceof ErrorResponse) throw new SignInRequired('the sign-in has ended', { cause: error });
      throw error;
    }
  };

  const forget = async (): Promise<void> => {
    await manager.revokeTokens().catch(() => undefined);
    await manager.removeUser();
  };

  return {
    accessToken,
    async person() {
      return personOf(await manager.getUser());
    },
    async signIn(returnTo) {
      await manager.signinRedirect({ state: { returnTo } satisfies SignInState });
    },
    async completeSignIn() {
      if (new URLSearchParams(window.location.search).get('state')?.endsWith(windowMark)) {
        await manager.signinPopupCallback();
        return undefined;
      }
      const user = await manager.signinCallback().catch((error: unknown) => {
        throw error instanceof ErrorResponse ? new Error(refusedSignIn(error.error, error.error_description), { cause: error }) : error;
      });
      const { returnTo = '/' } = (user?.state ?? {}) as Partial<SignInState>;
      return returnTo.startsWith('/') && !returnTo.startsWith('//') ? returnTo : '/';
    },
    async signInAgain(onClosed) {
      attempt?.abort();
      const { signal } = (attempt = new AbortController());
      const opened = window.open('', windowName, 'popup,width=500,height=700');
      if (!opened) throw new Error('the browser opened no window');
      const stopWatching = watchWindow(opened, onClosed);
      try {
        await manager.signinPopup({ url_state: windowMark, popupWindowTarget: windowName, popupSignal: signal });
        return true;
      } catch (error) {
        if (signal.aborted) return false;
        throw error;
      } finally {
        stopWatching();
      }
    },
    async signOut() {
      await forget();
      const channel = new BroadcastChannel(signOutChannel);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target origin
      channel.postMessage('');
      channel.close();
      const leave = new URL(`${config.authUrl}/logout`);
      leave.search = new URLSearchParams({ client_id: config.clientId, logout_uri: `${origin}${consoleCallbackPath}` }).toString();
      window.location.assign(leave);
    },
    onSignedOut(listener) {
      const channel = new BroadcastChannel(signOutChannel);
      channel.addEventListener('message', () => {
        void forget().then(listener);
      });
      return () => channel.close();
    },
  };
};
