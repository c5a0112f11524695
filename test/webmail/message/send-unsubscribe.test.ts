import { setImmediate } from 'node:timers/promises';
import { createRequests, ResponseLost } from '../../../webmail/jmap/requests.ts';
import type { Session } from '../../../webmail/jmap/types.ts';
import { receivingIdentity, sendUnsubscribe } from '../../../webmail/message/send-unsubscribe.ts';
import { submissionDeploymentPerTest } from '../../lambdas/jmap/email-submission/submission-deployment.ts';

const deployment = submissionDeploymentPerTest();
const mail = { to: 'leave@lists.example.net', subject: 'go', text: 'one\ntwo' };

/** A client of the JMAP API, whose requests are counted. */
const start = async (isLost = false) => {
  const session = JSON.parse((await deployment.http('GET', '/.well-known/jmap')).body!) as Session;
  let count = 0;
  const requests = createRequests({
    session: () => session,
    accessToken: async () => 'alice',
    onConnection: () => undefined,
    wait: async () => setImmediate(),
    fetch: async (_, { body }) => {
      count += 1;
      const { body: answer, statusCode } = await deployment.http('POST', '/jmap', { body });
      if (isLost) throw new TypeError('fetch failed');
      return new Response(answer, { status: statusCode! });
    },
  });
  const { sent } = await deployment.roles();
  return { requests, sentId: sent!, count: () => count };
};
const inSent = async (sentId: string) => {
  const { ids } = await deployment.call('Email/query', { filter: { inMailbox: sentId } });
  const { list } = await deployment.call('Email/get', {
    ids,
    properties: ['from', 'to', 'subject', 'keywords', 'textBody', 'bodyValues'],
    fetchTextBodyValues: true,
  });
  return list;
};

test('a message that asks to unsubscribe is sent in one request, and is in Sent', async () => {
  const { requests, sentId, count } = await start();
  const identity = (await receivingIdentity(requests, 'acc_alice', [{ name: null, email: 'ALICE@example.test' }]))!;
  expect(identity.email).toBe('alice@example.test');
  const before = count();
  await sendUnsubscribe(requests, { accountId: 'acc_alice', sentId, identity, mail });
  expect(count() - before).toBe(1);
  expect(await inSent(sentId)).toMatchObject([{ from: [{ email: 'alice@example.test' }], to: [{ email: mail.to }], subject: 'go', keywords: { $seen: true } }]);
  expect(deployment.submits.waiting).toHaveLength(1);
});

test('nothing is left of a message that is not sent', async () => {
  const { requests, sentId } = await start();
  const sending = sendUnsubscribe(requests, { accountId: 'acc_alice', sentId, identity: { id: 'unknown', email: 'alice@example.test' }, mail });
  await expect(sending).rejects.toThrow(/./);
  expect(await inSent(sentId)).toEqual([]);
  expect(deployment.submits.waiting).toEqual([]);
});

test('a message whose answer is lost may have been sent, and stays', async () => {
  const { requests, sentId } = await start(true);
  const identity = { id: 'alias_alice', email: 'alice@example.test' };
  await expect(sendUnsubscribe(requests, { accountId: 'acc_alice', sentId, identity, mail })).rejects.toThrow(ResponseLost);
  expect(await inSent(sentId)).toHaveLength(1);
});
