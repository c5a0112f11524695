import * as z from 'zod';
import { capability } from '../../contract/jmap/core.ts';
import { parseEmailAddress } from '../../contract/values/mail-address.ts';
import type { MailContext } from '../terminal/cli-context.ts';
import { httpClient, type HttpClient } from './http-client.ts';
import { jmapClient, readSession, type JmapClient } from './jmap-client.ts';
import { mailToken } from './mail-login.ts';
import { findServer, type ServerOptions } from './mail-server.ts';
import { mailSession, type Session } from './mail-session.ts';

const Identities = z.object({ list: z.array(z.object({ email: z.string() })) });

/**
 * The id of the account that sends from an address; undefined for a text that is no address, or the id or the name of an
 * account.
 */
const accountSendingFrom = async (context: MailContext, http: HttpClient, session: Session, wanted: string): Promise<string | undefined> => {
  const address = parseEmailAddress(wanted);
  if (address === undefined || Object.entries(session.accounts).some(([id, { name }]) => id === wanted || name === wanted)) return undefined;
  const sending = Object.entries(session.accounts).filter(([, { accountCapabilities }]) => capability.submission in accountCapabilities);
  for (const [accountId] of sending) {
    const client = jmapClient(context, http, mailSession(session, accountId, { toWrite: false }));
    const [identities] = await client.call([['Identity/get', { accountId, ids: null, properties: ['email'] }, '0']]);
    if (Identities.parse(identities).list.some(({ email }) => parseEmailAddress(email) === address)) return accountId;
  }
  return undefined;
};

/**
 * Connects to the account of `--account`, or to the person's own account.
 * @throws CliError when no server is known, nobody is signed in, or the account does not exist.
 */
export const connectToAccount = async (
  context: MailContext,
  options: ServerOptions & { readonly account?: string | undefined },
  access: { readonly toWrite: boolean },
): Promise<{ readonly client: JmapClient; readonly jmapUrl: string }> => {
  const server = await findServer(context, options);
  const http = httpClient(context, () => mailToken(context, server, access));
  const session = await readSession(http, server.jmapUrl);
  const account = options.account && ((await accountSendingFrom(context, http, session, options.account)) ?? options.account);
  return { client: jmapClient(context, http, mailSession(session, account, access)), jmapUrl: server.jmapUrl };
};
