import * as oauth from 'oauth4webapi';
import { webmailCallbackPath, type WebmailConfig } from '../../contract/deployment/webmail.ts';
import { refusedSignIn } from '../../contract/oauth/refused-sign-in.ts';
import { isSharedComputer, tokenStore } from './token-store.ts';

/** Thrown when the sign-in has ended, so that the person must sign in again. */
export class SignInEnded extends Error {
  override readonly name = 'SignInEnded';
}

/** Thrown when the sign-in server did not answer as it should; a later try may succeed. */
export class SignInUnavailable extends Error {
  override readonly name = 'SignInUnavailable';
}

export type SignIn = {
  /** Goes to the hosted sign-in, which returns to a path of the web mail. */
  start(returnTo: string): Promise<void>;
  /**
   * Completes the sign-in at the callback path. @returns the path to return to.
   * @throws Error with the reason of the sign-in server.
   */
  complete(): Promise<string>;
  /**
   * An access token that remains valid for at least a minute.
   * @param refused a token that the server refused, so that another one is needed.
   * @throws SignInEnded, SignInUnavailable
   */
  accessToken(refused?: string): Promise<string>;
  /** Whether a sign-in is stored. It may have ended meanwhile. */
  isStored(): Promise<boolean>;
  /** Ends the sign-in in all tabs, at the server and in the browser, and wipes the device. */
  end(): Promise<void>;
  /** Wipes what is left of a sign-in that ended at the server. */
  forget(): Promise<void>;
  /** Calls the listener when another tab ended the sign-in. */
  onEnded(listener: () => void): void;
};

type Token = { readonly value: string; readonly expiresAt: number; readonly subject: string };
type Attempt = { readonly verifier: string; readonly returnTo: string };

/** Milliseconds before its expiry from which a token is renewed. */
const expiryMargin = 60_000;
const lockName = 'webmail-sign-in';
const attemptKey = (state: string): string => `webmail.attempt.${state}`;

/** What tabs tell each other: a token that one of them renewed, or that one of them signed out. */
type Announcement = { readonly token: Token } | { readonly ended: true };

/** The subject of a JWT, unverified: it is compared with the one before, so that a renewal is the same person's. */
const subjectOf = (jwt: string): string => {
  try {
    const claims: unknown = JSON.parse(atob((jwt.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')));
    return typeof claims === 'object' && claims !== null && 'sub' in claims ? String(claims.sub) : '';
  } catch {
    return '';
  }
};

const isLocalPath = (path: string): boolean => path.startsWith('/') && !path.startsWith('//') && !path.startsWith('/\\');

export const createSignIn = (config: WebmailConfig['signIn'], origin: string): SignIn => {
  const server: oauth.AuthorizationServer = { issuer: config.issuer, token_endpoint: config.tokenEndpoint, revocation_endpoint: config.revocationEndpoint };
  const client: oauth.Client = { client_id: config.clientId };
  const redirectUri = `${origin}${webmailCallbackPath}`;
  // A sandbox on this machine has no certificate.
  const insecure = { [oauth.allowInsecureRequests]: new URL(config.tokenEndpoint).hostname === '127.0.0.1' };
  let token: Token | undefined;
  /** Whose mail this tab shows. Another person may sign in in another tab. */
  let subject: string | undefined;
  let renewal: Promise<string> | undefined;

  const channel = new BroadcastChannel(lockName);
  const announce = (announcement: Announcement): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target origin
    if (!isSharedComputer()) channel.postMessage(announcement);
  };
  const isUsable = (known: Token | undefined): known is Token => known !== undefined && known.expiresAt - Date.now() > expiryMargin;

  const keep = async (response: oauth.TokenEndpointResponse, refreshToken: string): Promise<string> => {
    subject = subjectOf(response.access_token);
    token = { value: response.access_token, expiresAt: Date.now() + (response.expires_in ?? 300) * 1000, subject };
    await tokenStore.write({ refreshToken, subject });
    announce({ token });
    return token.value;
  };

  const unavailable = (error: unknown): unknown => {
    if (error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant') return new SignInEnded('the sign-in has ended', { cause: error });
    return new SignInUnavailable('the sign-in server does not answer as it should', { cause: error });
  };

  /** Renews the tokens. One tab at a time, because a refresh token can be used once (RFC 9700 §2.2.2). */
  const renew = (refused: string | undefined): Promise<string> =>
    navigator.locks.request(lockName, async () => {
      // Another tab may have renewed them while this one waited.
      if (isUsable(token) && token.value !== refused) return token.value;
      const stored = await tokenStore.read();
      if (!stored) throw new SignInEnded('nobody is signed in');
      if (subject !== undefined && stored.subject !== subject) throw new SignInEnded('another person signed in');
      try {
        const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), stored.refreshToken, insecure);
        const renewed = await oauth.processRefreshTokenResponse(server, client, response);
        if (subjectOf(renewed.access_token) !== stored.subject) throw new SignInEnded('the sign-in is another person’s');
        return await keep(renewed, renewed.refresh_token ?? stored.refreshToken);
      } catch (error) {
        throw error instanceof SignInEnded ? error : unavailable(error);
      }
    });

  const forget = async (): Promise<void> => {
    token = undefined;
    await tokenStore.wipe();
  };

  return {
    async start(returnTo) {
      const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
      sessionStorage.setItem(attemptKey(state), JSON.stringify({ verifier, returnTo } satisfies Attempt));
      const url = new URL(config.authorizationEndpoint);
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: config.clientId,
        redirect_uri: redirectUri,
        scope: config.scope,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).toString();
      location.assign(url);
    },
    async complete() {
      const state = new URLSearchParams(location.search).get('state') ?? '';
      const stored = sessionStorage.getItem(attemptKey(state));
      if (stored === null) throw new Error('This sign-in began in another tab, or long ago.');
      sessionStorage.removeItem(attemptKey(state));
      const { verifier, returnTo }: Attempt = JSON.parse(stored);
      try {
        const parameters = oauth.validateAuthResponse(server, client, new URL(location.href), state);
        const response = await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), parameters, redirectUri, verifier, insecure);
        const result = await oauth.processAuthorizationCodeResponse(server, client, response);
        await keep(result, result.refresh_token ?? '');
      } catch (error) {
        if (error instanceof oauth.AuthorizationResponseError) throw new Error(refusedSignIn(error.error, error.error_description), { cause: error });
        throw unavailable(error);
      }
      return isLocalPath(returnTo) ? returnTo : '/';
    },
    async accessToken(refused) {
      if (isUsable(token) && token.value !== refused) return token.value;
      return (renewal ??= renew(refused).finally(() => {
        renewal = undefined;
      }));
    },
    isStored: async () => (await tokenStore.read()) !== undefined,
    async end() {
      const stored = await tokenStore.read().catch(() => undefined);
      if (stored) {
        // What the server does not revoke now ends with the page of the sign-in server, or at its expiry.
        await oauth.revocationRequest(server, client, oauth.None(), stored.refreshToken, insecure).catch(() => undefined);
      }
      announce({ ended: true });
      await forget();
      const leave = new URL(config.logoutUrl);
      leave.search = new URLSearchParams({ client_id: config.clientId, logout_uri: redirectUri }).toString();
      location.assign(leave);
    },
    forget,
    onEnded(listener) {
      channel.addEventListener('message', ({ data }: MessageEvent<Announcement>) => {
        if (isSharedComputer()) return;
        if ('ended' in data) void forget().then(listener);
        else if (subject === undefined || data.token.subject === subject) token = data.token;
      });
    },
  };
};
