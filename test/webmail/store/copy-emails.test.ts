import { setImmediate } from 'node:timers/promises';
import { createRequests } from '../../../webmail/jmap/requests.ts';
import type { Email, Session } from '../../../webmail/jmap/types.ts';
import { copyEmails } from '../../../webmail/store/copy-emails.ts';
import { jmapDeployment } from '../../lambdas/jmap/jmap-deployment.ts';

/** Bob reads mail in Alice's account, and copies it to his own. */
const start = async (fault: (request: number) => boolean) => {
  const server = await jmapDeployment();
  const token = 'bob';
  const session = JSON.parse((await server.http('GET', '/.well-known/jmap', { token })).body!) as Session;
  let count = 0;
  const requests = createRequests({
    session: () => session,
    accessToken: async () => token,
    onConnection: () => undefined,
    wait: async () => setImmediate(),
    async fetch(_, { body }) {
      const response = await server.http('POST', '/jmap', { body, token });
      count += 1;
      if (fault(count)) throw new TypeError('fetch failed');
      return new Response(response.body, { status: response.statusCode! });
    },
  });
  const ids: string[] = [];
  for (let index = 0; index < 7; index += 1) ids.push(await server.deliver({ receivedAt: 1000 * (index % 3), keywords: ['$seen'] }));
  const { list } = await requests.call<{ list: Email[] }>('Email/get', { accountId: 'acc_alice', ids, properties: ['id', 'size', 'receivedAt', 'keywords'] })
    .result;
  const { inbox } = await server.roles('acc_bob');
  const copy = (emails: readonly Email[]) =>
    copyEmails(
      { requests, wait: async () => setImmediate(), maxObjectsInSet: 3 },
      { fromAccountId: 'acc_alice', accountId: 'acc_bob', mailboxId: inbox!, emails },
    );
  const found = async (): Promise<string[]> =>
    (await requests.call<{ ids: string[] }>('Email/query', { accountId: 'acc_bob', filter: { inMailbox: inbox } }).result).ids;
  return { list, copy, found };
};

test.each<[string, (request: number) => boolean]>([
  ['no fault', () => false],
  ['each third response lost', (request) => request % 3 === 0],
  ['each second response lost', (request) => request % 2 === 0],
])('with %s, each message is copied once', async (_, fault) => {
  const { list, copy, found } = await start(fault);
  const { copies, reason } = await copy(list);
  expect([copies.size, reason]).toEqual([7, undefined]);
  expect((await found()).toSorted()).toEqual([...copies.values()].toSorted());
});

test('says what was not copied, and why', async () => {
  const { list, copy, found } = await start(() => false);
  const { copies, reason } = await copy([{ ...list[0]!, id: 'none' }, list[1]!]);
  expect([[...copies.keys()], reason]).toEqual([[list[1]!.id], expect.any(String)]);
  expect(await found()).toHaveLength(1);
});
