import { jmapDeployment, type Call, type JmapDeployment } from '../jmap-deployment.ts';

/** Concurrent calls count as one. */
describe('sequential DynamoDB calls of a warm JMAP Lambda', () => {
  const accountId = 'acc_alice';
  let deployment: JmapDeployment;
  beforeAll(async () => {
    deployment = await jmapDeployment();
    for (let index = 0; index < 5; index += 1) await deployment.deliver();
    await deployment.call('Mailbox/get');
  });
  const tripsOf = (...calls: Call[]) => deployment.tripsOf(() => deployment.perform(calls));

  test('Mailbox/get of all mailboxes: one', async () => {
    expect(await tripsOf(['Mailbox/get', { accountId }, 'a'])).toBe(1);
  });

  test('Email/changes: one, which includes the caller’s memberships', async () => {
    const { state } = await deployment.call('Email/get', { ids: [] });
    await deployment.deliver();
    expect(await tripsOf(['Email/changes', { accountId, sinceState: state as string }, 'a'])).toBe(1);
  });

  test('the event source: two, one for the caller and one for all their accounts', async () => {
    expect(await deployment.tripsOf(() => deployment.http('GET', '/eventsource', { query: { types: '*' }, headers: { 'last-event-id': '1' } }))).toBe(2);
  });

  test('the four calls that load a client’s first view: two', async () => {
    expect(
      await tripsOf(
        ['Email/query', { accountId, collapseThreads: true, limit: 30 }, 'query'],
        ['Email/get', { accountId, '#ids': { resultOf: 'query', name: 'Email/query', path: '/ids' }, properties: ['threadId'] }, 'threads'],
        ['Thread/get', { accountId, '#ids': { resultOf: 'threads', name: 'Email/get', path: '/list/*/threadId' } }, 'thread'],
        [
          'Email/get',
          {
            accountId,
            '#ids': { resultOf: 'thread', name: 'Thread/get', path: '/list/*/emailIds' },
            properties: ['threadId', 'mailboxIds', 'keywords', 'from', 'subject', 'receivedAt', 'preview'],
          },
          'emails',
        ],
      ),
    ).toBe(2);
  });

  test('Email/set of one Email: at most three', async () => {
    const { ids } = await deployment.call('Email/query', { limit: 1 });
    expect(await tripsOf(['Email/set', { accountId, update: { [ids[0]]: { 'keywords/$seen': true } } }, 'a'])).toBeLessThanOrEqual(3);
  });
});
