import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

describe('Thread', () => {
  const deployment = jmapDeploymentPerTest();
  let first: string;
  let reply: string;
  beforeEach(async () => {
    first = await deployment.deliver({ id: 'first', receivedAt: 2000 });
    reply = await deployment.deliver({ id: 'reply', references: 'first', subject: 'Re: Subject of first', receivedAt: 1000 });
  });
  const threadOf = async (id: string): Promise<string> =>
    (await deployment.call('Email/get', { ids: [id], properties: ['threadId'] }))['list'][0].threadId as string;

  // @requirement 8621 §3 thread-order
  // @requirement 8621 §3 thread-of-email
  test('contains a reply and the message it replies to, oldest first', async () => {
    const threadId = await threadOf(first);
    expect(await threadOf(reply)).toBe(threadId);
    expect(await deployment.call('Thread/get', { ids: [threadId, 'Tnope'] })).toMatchObject({
      list: [{ id: threadId, emailIds: [reply, first] }],
      notFound: ['Tnope'],
    });
  });

  test('Thread/get returns all Threads for ids null, and the requested properties only', async () => {
    await deployment.deliver();
    expect((await deployment.call('Thread/get'))['list']).toHaveLength(2);
    expect(await deployment.call('Thread/get', { properties: ['id'] })).toMatchObject({ list: [{ id: await threadOf(first) }, {}] });
    expect(Object.keys((await deployment.call('Thread/get', { properties: [] }))['list'][0])).toEqual(['id']);
  });

  test('Thread/changes returns a Thread with a new Email as updated, and one without Emails as destroyed', async () => {
    const threadId = await threadOf(first);
    const { state } = await deployment.call('Thread/get', { ids: [] });
    const third = await deployment.deliver({ references: 'first', subject: 'Re: Subject of first' });
    const changed = await deployment.call('Thread/changes', { sinceState: state });
    expect(changed).toMatchObject({ oldState: state, created: [], updated: [threadId], destroyed: [], hasMoreChanges: false });
    await deployment.call('Email/set', { destroy: [first, reply, third] });
    expect(await deployment.call('Thread/changes', { sinceState: changed['newState'] })).toMatchObject({ created: [], updated: [], destroyed: [threadId] });
    expect(await deployment.call('Thread/get', { ids: [threadId] })).toMatchObject({ list: [], notFound: [threadId] });
  });

  // @requirement 8620 §5.1 get-state-stable
  test('is not changed by an Email’s keywords', async () => {
    const { state } = await deployment.call('Thread/get', { ids: [] });
    await deployment.call('Email/set', { update: { [first]: { 'keywords/$seen': true } } });
    expect((await deployment.call('Thread/get', { ids: [] }))['state']).toBe(state);
  });

  test('has no query and no set', async () => {
    for (const name of ['Thread/query', 'Thread/set']) {
      expect(await deployment.call(name)).toMatchObject({ type: 'unknownMethod' } satisfies Json);
    }
  });
});
