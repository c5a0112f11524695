import * as oauth from 'oauth4webapi';
import type { SignInSettings } from '../../contract/deployment/webmail.ts';
import { refusedSignIn } from '../../contract/oauth/refused-sign-in.ts';
import type { StoredSignIn, Token, TokenStore } from './token-store.ts';

/** Thrown when the sign-in has ended, so that the person must sign in again. */
export class SignInEnded extends Error {
  override readonly name = 'SignInEnded';
}

/** Thrown when the sign-in server did not answer as it should; a later try may succeed. */
export class SignInUnavailable extends Error {
  override readonly name = 'SignInUnavailable';
}

export type SignIn = {
  /** Goes to the hosted sign-in, which returns to a path of the site. */
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

/** A sign-in at the hosted page, by authorization code with PKCE (RFC 7636). */
export type HostedSignIn = SignIn & {
  /** Begins a sign-in that another window shows. @returns the URL of the hosted sign-in, and its state. */
  begin(returnTo: string, stateSuffix: string): Promise<{ readonly url: URL; readonly state: string }>;
  /** @param answer the query of the callback, by default this page's. */
  complete(answer?: string): Promise<string>;
};

/** Tabs of a browser share the tokens; or only the end of the sign-in, because each has tokens of its own; or nothing. */
export type Sharing = 'tokens' | 'end' | 'nothing';

export type SignInOptions = {
  /** The site, in the names of what the browser keeps. */
  readonly site: string;
  readonly settings: SignInSettings;
  readonly redirectUri: string;
  readonly store: TokenStore;
  readonly sharing: () => Sharing;
};

type Attempt = { readonly verifier: string; readonly returnTo: string; readonly nonce?: string };

/** Milliseconds before its expiry from which a token is renewed. */
const expiryMargin = 60_000;

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

const isUsable = (known: Token | undefined): known is Token => known !== undefined && known.expiresAt - Date.now() > expiryMargin;

/** The sign-in server, as oauth4webapi takes it. */
const serverOf = ({ clientId, issuer, tokenEndpoint, revocationEndpoint }: SignInSettings) => ({
  server: { issuer, token_endpoint: tokenEndpoint, revocation_endpoint: revocationEndpoint } satisfies oauth.AuthorizationServer,
  // An ID token comes from the token endpoint as it is issued. A day lets people in whose clock is wrong.
  client: { client_id: clientId, [oauth.clockTolerance]: 86_400 } satisfies oauth.Client,
  // A sandbox on this machine has no certificate.
  insecure: { [oauth.allowInsecureRequests]: new URL(tokenEndpoint).hostname === '127.0.0.1' },
});
type SignInServer = ReturnType<typeof serverOf>;

/** The error of a sign-in for its caller. */
const signInError = (error: unknown): unknown => {
  if (error instanceof SignInEnded) return error;
  if (error instanceof oauth.AuthorizationResponseError) return new Error(refusedSignIn(error.error, error.error_description), { cause: error });
  if (error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant') return new SignInEnded('the sign-in has ended', { cause: error });
  return new SignInUnavailable('the sign-in server does not answer as it should', { cause: error });
};

const attemptKey = (site: string, state: string): string => `${site}.attempt.${state}`;

/** Begins a sign-in, whose attempt the tab keeps until the answer comes. */
const beginSignIn = async ({ site, settings, redirectUri }: SignInOptions, returnTo: string, stateSuffix: string) => {
  const { clientId, scope, authorizationEndpoint } = settings;
  const verifier = oauth.generateRandomCodeVerifier();
  const state = `${oauth.generateRandomState()}${stateSuffix}`;
  const nonce = scope.split(' ').includes('openid') ? oauth.generateRandomNonce() : undefined;
  sessionStorage.setItem(attemptKey(site, state), JSON.stringify({ verifier, returnTo, nonce } satisfies Attempt));
  const url = new URL(authorizationEndpoint);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    ...(nonce !== undefined && { nonce }),
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  return { url, state };
};

/** Takes the attempt that an answer belongs to. An attempt is answered once. */
const takeAttempt = (site: string, state: string): Attempt => {
  const stored = sessionStorage.getItem(attemptKey(site, state));
  if (stored === null) throw new Error('This sign-in began in another tab, or long ago.');
  sessionStorage.removeItem(attemptKey(site, state));
  return JSON.parse(stored);
};

/** Exchanges the code of an answer for tokens. */
const exchangeCode = async ({ server, client, insecure }: SignInServer, redirectUri: string, callback: URLSearchParams, attempt: Attempt) => {
  const parameters = oauth.validateAuthResponse(server, client, callback, callback.get('state') ?? '');
  const response = await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), parameters, redirectUri, attempt.verifier, insecure);
  return oauth.processAuthorizationCodeResponse(server, client, response, { expectedNonce: attempt.nonce });
};

/** Exchanges a refresh token for tokens of the same person. */
const refreshTokens = async ({ server, client, insecure }: SignInServer, { refreshToken, subject }: StoredSignIn) => {
  const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, insecure);
  const renewed = await oauth.processRefreshTokenResponse(server, client, response);
  if (subjectOf(renewed.access_token) !== subject) throw new SignInEnded('the sign-in is another person’s');
  return renewed;
};

/** Revokes the refresh token that is stored. */
const revokeStored = async ({ server, client, insecure }: SignInServer, store: TokenStore): Promise<void> => {
  const stored = await store.read().catch(() => undefined);
  // What the server does not revoke now ends with the page of the sign-in server, or at its expiry.
  if (stored) await oauth.revocationRequest(server, client, oauth.None(), stored.refreshToken, insecure).catch(() => undefined);
};

export const createHostedSignIn = (options: SignInOptions): HostedSignIn => {
  const { site, settings, redirectUri, store, sharing } = options;
  const server = serverOf(settings);
  const lockName = `${site}-sign-in`;
  let token: Token | undefined;
  /** Whose sign-in this tab shows. Another person may sign in in another tab. */
  let subject: string | undefined;
  let renewal: Promise<string> | undefined;
  /** How often the sign-in was forgotten: a renewal that began before must not bring it back. */
  let timesForgotten = 0;

  const channel = new BroadcastChannel(lockName);
  const announce = (announcement: Announcement): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target origin
    channel.postMessage(announcement);
  };

  const keep = async (response: oauth.TokenEndpointResponse, before?: StoredSignIn): Promise<string> => {
    subject = subjectOf(response.access_token);
    token = { value: response.access_token, expiresAt: Date.now() + (response.expires_in ?? 300) * 1000, subject };
    const refreshToken = response.refresh_token ?? before?.refreshToken ?? '';
    const email = oauth.getValidatedIdTokenClaims(response)?.['email'];
    await store.write({ refreshToken, subject, email: typeof email === 'string' ? email : before?.email }, token);
    if (sharing() === 'tokens') announce({ token });
    return token.value;
  };

  /** Renews the tokens. One tab at a time, because a refresh token can be used once (RFC 9700 §2.2.2). */
  const renew = (refused: string | undefined): Promise<string> =>
    navigator.locks.request(lockName, async () => {
      // Another tab may have renewed them while this one waited.
      if (isUsable(token) && token.value !== refused) return token.value;
      const stored = await store.read();
      if (!stored) throw new SignInEnded('nobody is signed in');
      if (subject !== undefined && stored.subject !== subject) throw new SignInEnded('another person signed in');
      if (isUsable(stored.token) && stored.token.value !== refused) {
        ({ token, subject } = stored);
        return stored.token.value;
      }
      const before = timesForgotten;
      try {
        const renewed = await refreshTokens(server, stored);
        if (timesForgotten !== before) throw new SignInEnded('the sign-in ended meanwhile');
        return await keep(renewed, stored);
      } catch (error) {
        throw signInError(error);
      }
    });

  const forget = async (): Promise<void> => {
    token = undefined;
    timesForgotten += 1;
    await store.wipe();
  };

  return {
    begin: (returnTo, stateSuffix) => beginSignIn(options, returnTo, stateSuffix),
    async start(returnTo) {
      location.assign((await beginSignIn(options, returnTo, '')).url);
    },
    async complete(answer: string = location.search) {
      const callback = new URLSearchParams(answer);
      const attempt = takeAttempt(site, callback.get('state') ?? '');
      try {
        await keep(await exchangeCode(server, redirectUri, callback, attempt));
      } catch (error) {
        throw signInError(error);
      }
      return isLocalPath(attempt.returnTo) ? attempt.returnTo : '/';
    },
    async accessToken(refused) {
      if (isUsable(token) && token.value !== refused) return token.value;
      return (renewal ??= renew(refused).finally(() => {
        renewal = undefined;
      }));
    },
    isStored: async () => (await store.read()) !== undefined,
    async end() {
      await revokeStored(server, store);
      if (sharing() !== 'nothing') announce({ ended: true });
      await forget();
      const leave = new URL(settings.logoutUrl);
      leave.search = new URLSearchParams({ client_id: settings.clientId, logout_uri: redirectUri }).toString();
      location.assign(leave);
    },
    forget,
    onEnded(listener) {
      const endHere = async (): Promise<void> => {
        if (sharing() === 'end') await revokeStored(server, store);
        await forget();
        listener();
      };
      channel.addEventListener('message', ({ data }: MessageEvent<Announcement>) => {
        if (sharing() === 'nothing') return;
        if ('ended' in data) void endHere();
        else if (subject === undefined || data.token.subject === subject) token = data.token;
      });
    },
  };
};
