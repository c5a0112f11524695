import { httpClient } from './http-client.ts';
import { jmapClient, readSession, type JmapClient } from './jmap-client.ts';
import { mailSession } from './mail-session.ts';
import type { MailContext } from '../terminal/cli-context.ts';
import { mailToken } from './mail-login.ts';
import { findServer, type ServerOptions } from './mail-server.ts';

/**
 * Connects to the account of `--account`, or to the person's own account.
 * @throws CliError when no server is known, nobody is signed in, or the account does not exist.
 */
export const connectToAccount = async (
  context: MailContext, options: ServerOptions & { readonly account?: string | undefined }, access: { readonly toWrite: boolean },
): Promise<{ readonly client: JmapClient; readonly jmapUrl: string }> => {
  const server = await findServer(context, options);
  const http = httpClient(context, () => mailToken(context, server, access));
  const session = mailSession(await readSession(http, server.jmapUrl), options.account, access);
  return { client: jmapClient(context, http, session), jmapUrl: server.jmapUrl };
};
