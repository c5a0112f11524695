import * as z from 'zod';
import { cliCallbackUrls, scopes } from '../../contract/oauth/oauth.ts';
import { accessToken, storeTokens, type Access } from '../sign-in/access-token.ts';
import { signInWithBrowser } from '../sign-in/browser-sign-in.ts';
import { oneLine } from '../sign-in/token-endpoint.ts';
import type { CliContext } from '../terminal/cli-context.ts';
import { signInError } from '../terminal/cli-error.ts';
import { authUrlOf, findServer, readServer, readServerMetadata, storeServer, type MailServer, type ServerOptions } from './mail-server.ts';

/** The access for reading mail, and for adding mail if needed. */
const mailAccess = (toWrite: boolean): Access => ({
  scope: (toWrite ? [scopes.MAIL_READ, scopes.MAIL_WRITE] : [scopes.MAIL_READ]).join(' '),
  login: 'npx postrider login',
});

/** A token for mail: POSTRIDER_TOKEN, else that of the headless client, else that of the signed-in person. */
export const mailToken = async (context: CliContext, server: MailServer, { toWrite }: { readonly toWrite: boolean }): Promise<string> =>
  context.environment['POSTRIDER_TOKEN'] ?? accessToken(context, server, mailAccess(toWrite));

const Registered = z.object({ client_id: z.string() });

/** Registers this command line as a client (RFC 7591). The same name and redirect URI always get the same client id. */
const registerClient = async ({ fetch: send }: CliContext, endpoint: string | undefined): Promise<string> => {
  if (endpoint === undefined) {
    throw signInError('the server does not register clients. Ask its operator for the output cliClientId, and pass it: --client-id ID');
  }
  const response = await send(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    signal: AbortSignal.timeout(30_000),
    redirect: 'error',
    body: JSON.stringify({ client_name: 'Postrider command line', redirect_uris: cliCallbackUrls }),
  }).catch(() => undefined);
  const body: unknown = await response?.json().catch(() => undefined);
  const registered = response?.ok ? Registered.safeParse(body).data : undefined;
  if (registered) return registered.client_id;
  const reason = z.object({ error_description: z.string() }).safeParse(body).data?.error_description ?? `status ${response?.status ?? 'unknown'}`;
  throw signInError(`the server does not register this client: ${oneLine(reason)}. Ask its operator for the output cliClientId, and give --client-id ID`);
};

const serverToSignIn = async (context: CliContext, options: ServerOptions & { readonly clientId?: string | undefined }): Promise<MailServer> => {
  if (options.server === undefined) {
    const known = await findServer(context, options);
    return { ...known, clientId: options.clientId ?? known.clientId };
  }
  const jmapUrl = readServer(options.server);
  const metadata = await readServerMetadata(context, jmapUrl);
  const clientId = options.clientId ?? (await registerClient(context, metadata.registration_endpoint));
  return { jmapUrl, authUrl: authUrlOf(metadata), clientId };
};

/**
 * Signs a person in through the browser, and stores the tokens and the server.
 * @throws CliError when the sign-in fails. Then nothing is stored.
 */
export const mailLogin = async (
  context: CliContext,
  options: ServerOptions & { readonly clientId?: string | undefined; readonly noBrowser: boolean },
): Promise<void> => {
  const server = await serverToSignIn(context, options);
  const tokens = await signInWithBrowser(options.noBrowser ? { ...context, openBrowser: () => undefined } : context, server);
  await storeTokens(context.environment, server.authUrl, server.clientId ?? '', tokens);
  await storeServer(context.environment, server);
  context.printMessage(`You are signed in to ${server.jmapUrl}.`);
};
