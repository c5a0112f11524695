import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { cliCallbackUrls, personScopes } from '../contract/oauth.ts';
import { signInError } from './cli-error.ts';
import type { Deployment } from './known-deployment.ts';
import type { CliContext } from './cli-context.ts';
import { requestTokens, oneLine, type Tokens } from './token-endpoint.ts';

/** RFC 8252 §8.3: the address itself rather than `localhost`, which may lead elsewhere. */
const callback = new URL(cliCallbackUrls.find((url) => url.includes('127.0.0.1')) ?? cliCallbackUrls[0]);

/** How long somebody may take to sign in, in milliseconds. */
const signInTimeout = 5 * 60_000;

const timingSafeEquals = (a: string, b: string): boolean => {
  const [first, second] = [Buffer.from(a), Buffer.from(b)];
  return first.length === second.length && timingSafeEqual(first, second);
};

const page = (response: ServerResponse, status: number, words: string): void => {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'content-security-policy': "default-src 'none'", connection: 'close' });
  response.end(`<!doctype html><title>Postrider</title><p>${words}</p>`);
};

/** The code that the browser brings back, or why there is none. What does not carry our state is nobody's business and is left waiting. */
const callbackResult = ({ url = '', method }: IncomingMessage, state: string): { code?: string; refusal?: string } | undefined => {
  const { pathname, searchParams } = new URL(url, callback);
  if (method !== 'GET' || pathname !== callback.pathname || !timingSafeEquals(searchParams.get('state') ?? '', state)) return undefined;
  const code = searchParams.get('code');
  return code ? { code } : { refusal: oneLine(searchParams.get('error_description') ?? searchParams.get('error') ?? 'no code came back') };
};

const listen = (server: Server): Promise<void> => new Promise((resolve, reject) => {
  server.once('error', (error: NodeJS.ErrnoException) => reject(signInError(error.code === 'EADDRINUSE'
    ? `port ${callback.port} is taken, where the browser is to come back to; another sign-in may be waiting there`
    : `nothing can listen on ${callback.host}: ${error.code}`)));
  server.listen(Number(callback.port), callback.hostname, resolve);
});

/** Waits for the browser at the callback while `show` is under way. */
const codeFromBrowser = async (state: string, show: () => void, patience: number): Promise<string> => {
  const server = createServer();
  await listen(server);
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<string>((resolve, reject) => {
      timer = setTimeout(() => reject(signInError(`nobody signed in within ${Math.round(patience / 60_000)} minutes`)), patience);
      server.on('request', (request, response) => {
        const answer = callbackResult(request, state);
        if (!answer) return page(response, 404, 'There is nothing here.');
        page(response, answer.code ? 200 : 400, answer.code ? 'You are signed in. You can close this window.' : 'The sign-in did not work. The terminal says why.');
        if (answer.code) return resolve(answer.code);
        return reject(signInError(`the sign-in refused: ${answer.refusal}`));
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
 * Tokens of a person by the authorization code grant with PKCE (RFC 6749 §4.1, RFC 7636, RFC 8252) in their browser, at whose URL they can also look themselves.
 * @throws CliError when the sign-in refuses, or nobody signs in for five minutes.
 */
export const signInWithBrowser = async (world: Pick<CliContext, 'fetch' | 'now' | 'printMessage' | 'openBrowser'>, { authUrl, clientId }: Deployment, patience = signInTimeout): Promise<Tokens> => {
  if (!clientId) throw signInError('which client people sign in with is not known; give --client-id');
  const [verifier, state] = [randomBytes(48).toString('base64url'), randomBytes(24).toString('base64url')];
  const query = new URLSearchParams({
    response_type: 'code', client_id: clientId, redirect_uri: callback.href, scope: personScopes.join(' '), state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256',
  });
  const url = `${authUrl}/oauth2/authorize?${query.toString()}`;
  const code = await codeFromBrowser(state, () => {
    world.printMessage(`Sign in in the browser. If none opens, visit:\n\n  ${url}\n`);
    world.openBrowser(url);
  }, patience);
  return requestTokens(world, authUrl, { grant_type: 'authorization_code', client_id: clientId, redirect_uri: callback.href, code, code_verifier: verifier });
};
