import { jmapDeployment, type JmapDeployment, type Json } from './jmap-deployment.ts';

let deployment: JmapDeployment;
beforeEach(async () => {
  deployment = await jmapDeployment();
});
const stateNow = async (): Promise<string> => (await deployment.call('Email/get', { ids: [] }))['state'] as string;
const changes = (sinceState: string, more: Json = {}) => deployment.call('Email/changes', { sinceState, ...more });
const setSeen = (id: string) => deployment.call('Email/set', { update: { [id]: { 'keywords/$seen': true } } });

describe('Email/changes', () => {
  test('since the state that /get just gave: nothing, and no error', async () => {
    const state = await stateNow();
    expect(await changes(state)).toEqual({ accountId: 'acc_alice', oldState: state, newState: state, hasMoreChanges: false, created: [], updated: [], destroyed: [] });
  });

  test('names exactly the message that arrived, and agrees with /get on the state', async () => {
    const before = await stateNow();
    const id = await deployment.deliver();
    const [changed, got] = (await deployment.perform([
      ['Email/changes', { accountId: 'acc_alice', sinceState: before }, 'a'], ['Email/get', { accountId: 'acc_alice', ids: [] }, 'b'],
    ])).map(([, args]) => args);
    expect(changed).toMatchObject({ oldState: before, created: [id], updated: [], destroyed: [] });
    expect(changed!['newState']).toBe(got!['state']);
  });

  test('created and destroyed since: nowhere', async () => {
    const before = await stateNow();
    await deployment.call('Email/set', { destroy: [await deployment.deliver()] });
    expect(await changes(before)).toMatchObject({ created: [], updated: [], destroyed: [] });
  });

  test('created and updated since: once, as created', async () => {
    const before = await stateNow();
    const id = await deployment.deliver();
    await setSeen(id);
    expect(await changes(before)).toMatchObject({ created: [id], updated: [], destroyed: [] });
  });

  test('a move between mailboxes is an update', async () => {
    const id = await deployment.deliver();
    const before = await stateNow();
    const { archive } = await deployment.roles();
    await deployment.call('Email/set', { update: { [id]: { mailboxIds: { [archive!]: true } } } });
    expect(await changes(before)).toMatchObject({ created: [], updated: [id], destroyed: [] });
  });

  test('destroyed since', async () => {
    const id = await deployment.deliver();
    const before = await stateNow();
    await setSeen(id);
    await deployment.call('Email/set', { destroy: [id] });
    expect(await changes(before)).toMatchObject({ created: [], updated: [], destroyed: [id] });
  });

  test('with maxChanges comes in pieces that end at the same place, and never with the same state', async () => {
    let state = await stateNow();
    const ids = [await deployment.deliver(), await deployment.deliver(), await deployment.deliver()];
    const seen: string[] = [];
    for (let more = true; more;) {
      const piece = await changes(state, { maxChanges: 1 });
      expect(piece['created'].length + piece['updated'].length + piece['destroyed'].length).toBeLessThanOrEqual(1);
      expect(piece['oldState']).toBe(state);
      if (piece['hasMoreChanges']) expect(piece['newState']).not.toBe(state);
      seen.push(...piece['created']);
      more = piece['hasMoreChanges'] as boolean;
      state = piece['newState'] as string;
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());
    expect(state).toBe(await stateNow());
  });

  test('maxChanges 0 is invalidArguments', async () => {
    expect(await changes(await stateNow(), { maxChanges: 0 })).toMatchObject({ type: 'invalidArguments' });
  });

  test.each(['', 'nonsense', 'Email-999999', 'Mailbox-1', 'Thread-1', 'Email--1', 'Email-1e3'])('a state that never was ("%s") is cannotCalculateChanges', async (state) => {
    await deployment.deliver();
    expect(await changes(state)).toMatchObject({ type: 'cannotCalculateChanges' });
  });

  test('a state of another type is cannotCalculateChanges', async () => {
    await deployment.deliver();
    const { state } = await deployment.call('Mailbox/get', { ids: [] });
    expect(await changes(state as string)).toMatchObject({ type: 'cannotCalculateChanges' });
  });

  test('a state that came by reference in the same request', async () => {
    const responses = await deployment.perform([
      ['Email/get', { accountId: 'acc_alice', ids: [] }, 'a'], ['Email/changes', { accountId: 'acc_alice', '#sinceState': { resultOf: 'a', name: 'Email/get', path: '/state' } }, 'b'],
    ]);
    expect(responses[1]).toMatchObject(['Email/changes', { created: [] }, 'b']);
  });
});
