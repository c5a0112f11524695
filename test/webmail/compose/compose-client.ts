import { setImmediate } from 'node:timers/promises';
import type { Draft } from '../../../webmail/compose/draft.ts';
import type { SendDependencies } from '../../../webmail/compose/send-draft.ts';
import { createRequests, type CallMethod } from '../../../webmail/jmap/requests.ts';
import type { Session } from '../../../webmail/jmap/types.ts';
import type { JmapDeployment } from '../../lambdas/jmap/jmap-deployment.ts';

/** What the network does to the next requests. */
export type Network = { fault: ((body: string) => 'lost request' | 'lost response' | undefined) | undefined; readonly sent: string[] };

export const aDraft: Draft = {
  messageId: 'first@example.test',
  identityId: 'alias_alice',
  to: [{ name: 'Bob', email: 'bob@elsewhere.test' }],
  cc: [],
  bcc: [],
  subject: 'Hello',
  html: null,
  text: 'One',
  quote: undefined,
  parts: [],
  inReplyTo: [],
  references: [],
  original: undefined,
};

/** A client of the JMAP API for Alice's account, whose network can fail. */
export const composeClient = async (deployment: Pick<JmapDeployment, 'http' | 'roles'>) => {
  const session = JSON.parse((await deployment.http('GET', '/.well-known/jmap')).body!) as Session;
  const network: Network = { fault: undefined, sent: [] };
  const wait = async () => setImmediate();
  const requests = createRequests({
    session: () => session,
    accessToken: async () => 'alice',
    onConnection: () => undefined,
    wait,
    fetch: async (_, { body }) => {
      network.sent.push(body);
      const fault = network.fault?.(body);
      if (fault === 'lost request') throw new TypeError('fetch failed');
      const { body: answer, statusCode } = await deployment.http('POST', '/jmap', { body });
      if (fault === 'lost response') throw new TypeError('fetch failed');
      return new Response(answer, { status: statusCode! });
    },
  });
  const call: CallMethod = (name, args) => requests.call(name, { accountId: 'acc_alice', ...args });
  const { drafts, sent } = await deployment.roles();
  const toEmail = ({ messageId, to, subject, text }: Draft) => ({
    mailboxIds: { [drafts!]: true },
    keywords: { $draft: true, $seen: true },
    messageId: [messageId],
    from: [{ name: 'Alice', email: 'alice@example.test' }],
    to,
    subject,
    bodyStructure: { type: 'text/plain', partId: 'text' },
    bodyValues: { text: { value: text } },
  });
  const create: SendDependencies['create'] = (draft, destroy) => call('Email/set', { create: { message: toEmail(draft) }, destroy });
  return { create, session, network, requests, call, wait, toEmail, draftsId: drafts!, sentId: sent! };
};
