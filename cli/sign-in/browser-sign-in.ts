import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { cliCallbackUrls, personScopes } from '../../contract/oauth/oauth.ts';
import { refusedSignIn } from '../../contract/oauth/refused-sign-in.ts';
import type { CliContext } from '../terminal/cli-context.ts';
import { signInError } from '../terminal/cli-error.ts';
import type { Deployment } from './known-deployment.ts';
import { requestTokens, oneLine, type Tokens } from './token-endpoint.ts';

/** The callback at the loopback IP address, because `localhost` may resolve to another address (RFC 8252 §8.3). */
const callback = new URL(cliCallbackUrls.find((url) => url.includes('127.0.0.1')) ?? cliCallbackUrls[0]);

/** The address at which a browser ends its sign-in at the hosted page. */
export const signOutUrl = (authUrl: string, clientId: string): string =>
  `${authUrl}/logout?${new URLSearchParams({ client_id: clientId, logout_uri: callback.href }).toString()}`;

/** Maximum milliseconds of a sign-in. */
const signInTimeout = 5 * 60_000;

const timingSafeEquals = (a: string, b: string): boolean => {
  const [first, second] = [Buffer.from(a), Buffer.from(b)];
  return first.length === second.length && timingSafeEqual(first, second);
};

const page = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'",
    connection: 'close',
  });
  response.end(`<!doctype html><title>Postrider</title><p>${text}</p>`);
};

/**
 * The result of a request to the callback URL: the code, or the error. Undefined for requests with another `state`,
 * which are ignored.
 */
const callbackResult = ({ url = '', method }: IncomingMessage, state: string): { code?: string; refusal?: string } | undefined => {
  const { pathname, searchParams } = new URL(url, callback);
  if (method !== 'GET' || pathname !== callback.pathname || !timingSafeEquals(searchParams.get('state') ?? '', state)) return undefined;
  const code = searchParams.get('code');
  return code ? { code } : { refusal: oneLine(refusedSignIn(searchParams.get('error'), searchParams.get('error_description'))) };
};

const listen = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        signInError(
          error.code === 'EADDRINUSE'
            ? `port ${callback.port} is taken, but the browser's callback needs it; another login may be waiting there`
            : `cannot listen on ${callback.host}: ${error.code}`,
        ),
      ),
    );
    server.listen(Number(callback.port), callback.hostname, resolve);
  });

/** Listens on the callback URL, calls `show` and waits for the code. */
const codeFromBrowser = async (state: string, show: () => void, timeout: number): Promise<string> => {
  const server = createServer();
  await listen(server);
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<string>((resolve, reject) => {
      timer = setTimeout(() => reject(signInError(`no sign-in within ${Math.round(timeout / 60_000)} minutes`)), timeout);
      server.on('request', (request, response) => {
        const result = callbackResult(request, state);
        if (!result) return page(response, 404, 'Not found.');
        page(
          response,
          result.code ? 200 : 400,
          result.code ? 'You are signed in. You can close this window.' : 'The sign-in failed. The terminal shows the reason.',
        );
        if (result.code) return resolve(result.code);
        return reject(signInError(`the sign-in was refused: ${result.refusal}`));
      });
      show();
    });
  } finally {
    clearTimeout(timer);
    server.close();
    server.closeAllConnections();
  }
};

/**
 * Gets a user's tokens by the authorization code grant with PKCE (RFC 6749 §4.1, RFC 7636, RFC 8252). It opens the
 * browser, and also prints the URL.
 * @throws CliError when the sign-in is refused or takes longer than five minutes.
 */
export const signInWithBrowser = async (
  context: Pick<CliContext, 'fetch' | 'now' | 'printMessage' | 'openBrowser'>,
  { authUrl, clientId }: Pick<Deployment, 'authUrl' | 'clientId'>,
  timeout = signInTimeout,
): Promise<Tokens> => {
  if (!clientId) throw signInError('the OAuth client is not known; give --client-id');
  const [verifier, state] = [randomBytes(48).toString('base64url'), randomBytes(24).toString('base64url')];
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: callback.href,
    scope: personScopes.join(' '),
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const url = `${authUrl}/oauth2/authorize?${query.toString()}`;
  const code = await codeFromBrowser(
    state,
    () => {
      context.printMessage(`Sign in in the browser. If none opens, visit:\n\n  ${url}\n`);
      context.openBrowser(url);
    },
    timeout,
  );
  return requestTokens(context, authUrl, { grant_type: 'authorization_code', client_id: clientId, redirect_uri: callback.href, code, code_verifier: verifier });
};
