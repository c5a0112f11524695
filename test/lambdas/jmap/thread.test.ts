import { jmapDeployment, type JmapDeployment, type Json } from './jmap-deployment.ts';

describe('threads', () => {
  let deployment: JmapDeployment;
  let first: string;
  let reply: string;
  beforeEach(async () => {
    deployment = await jmapDeployment();
    first = await deployment.deliver({ id: 'first', receivedAt: 2000 });
    reply = await deployment.deliver({ id: 'reply', references: 'first', subject: 'Re: Subject of first', receivedAt: 1000 });
  });
  const threadOf = async (id: string): Promise<string> => (await deployment.call('Email/get', { ids: [id], properties: ['threadId'] }))['list'][0].threadId as string;

  test('an answer is in the thread of what it answers, the oldest first', async () => {
    const threadId = await threadOf(first);
    expect(await threadOf(reply)).toBe(threadId);
    expect(await deployment.call('Thread/get', { ids: [threadId, 'Tnope'] })).toMatchObject({ list: [{ id: threadId, emailIds: [reply, first] }], notFound: ['Tnope'] });
  });

  test('ids null: every thread; only the properties asked for', async () => {
    await deployment.deliver();
    expect((await deployment.call('Thread/get'))['list']).toHaveLength(2);
    expect(await deployment.call('Thread/get', { properties: ['id'] })).toMatchObject({ list: [{ id: await threadOf(first) }, {}] });
    expect(Object.keys((await deployment.call('Thread/get', { properties: [] }))['list'][0])).toEqual(['id']);
  });

  test('a new message changes its thread; the last one to go takes it along', async () => {
    const threadId = await threadOf(first);
    const { state } = await deployment.call('Thread/get', { ids: [] });
    const third = await deployment.deliver({ references: 'first', subject: 'Re: Subject of first' });
    const changed = await deployment.call('Thread/changes', { sinceState: state });
    expect(changed).toMatchObject({ oldState: state, created: [], updated: [threadId], destroyed: [], hasMoreChanges: false });
    await deployment.call('Email/set', { destroy: [first, reply, third] });
    expect(await deployment.call('Thread/changes', { sinceState: changed['newState'] })).toMatchObject({ created: [], updated: [], destroyed: [threadId] });
    expect(await deployment.call('Thread/get', { ids: [threadId] })).toMatchObject({ list: [], notFound: [threadId] });
  });

  test('reading a message does not change its thread', async () => {
    const { state } = await deployment.call('Thread/get', { ids: [] });
    await deployment.call('Email/set', { update: { [first]: { 'keywords/$seen': true } } });
    expect((await deployment.call('Thread/get', { ids: [] }))['state']).toBe(state);
  });

  test('Thread has no query and no set', async () => {
    for (const name of ['Thread/query', 'Thread/set']) expect(await deployment.call(name)).toMatchObject({ type: 'unknownMethod' } satisfies Json);
  });
});
