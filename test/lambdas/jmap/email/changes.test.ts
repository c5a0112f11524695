import { coreLimits } from '../../../../contract/jmap/core.ts';
import { headKey, logKey } from '../../../../core/account-log/keys.ts';
import { newEmail } from '../../../support/email-fixtures.ts';
import { jmapDeployment, jmapDeploymentPerTest, type JmapDeployment, type Json } from '../jmap-deployment.ts';

const deployment = jmapDeploymentPerTest();
const stateNow = async (): Promise<string> => (await deployment.call('Email/get', { ids: [] }))['state'] as string;
const changes = (sinceState: string, args: Json = {}) => deployment.call('Email/changes', { sinceState, ...args });
const setSeen = (id: string) => deployment.call('Email/set', { update: { [id]: { 'keywords/$seen': true } } });

describe('Email/changes', () => {
  test('returns no changes since the current state', async () => {
    const state = await stateNow();
    expect(await changes(state)).toEqual({
      accountId: 'acc_alice',
      oldState: state,
      newState: state,
      hasMoreChanges: false,
      created: [],
      updated: [],
      destroyed: [],
    });
  });

  // @requirement 8620 §5.1 get-state
  // @requirement 8620 §5.2 changes-old-state
  // @pitfall changes old-state
  test('returns the Email that was delivered, sinceState as oldState, and the state of a /get of the same request', async () => {
    const before = await stateNow();
    const id = await deployment.deliver();
    const [changed, got] = (
      await deployment.perform([
        ['Email/changes', { accountId: 'acc_alice', sinceState: before }, 'a'],
        ['Email/get', { accountId: 'acc_alice', ids: [] }, 'b'],
      ])
    ).map(([, args]) => args);
    expect(changed).toMatchObject({ oldState: before, created: [id], updated: [], destroyed: [] });
    expect(changed!['newState']).toBe(got!['state']);
  });

  // @pitfall changes same-state-as-get
  test('has the state of a /get of the same request, though a message is delivered between the two calls', async () => {
    const id = await deployment.deliver();
    const sinceState = await stateNow();
    let deliverNow: (() => Promise<unknown>) | undefined = () => deployment.deliver();
    const get = deployment.objects.get.bind(deployment.objects);
    deployment.objects.get = async (key, range) => {
      const act = deliverNow;
      deliverNow = undefined;
      await act?.();
      return get(key, range);
    };
    const accountId = 'acc_alice';
    const [got, changed] = (
      await deployment.perform([
        ['Email/get', { accountId, ids: [id], properties: ['headers'] }, 'a'],
        ['Email/changes', { accountId, sinceState }, 'b'],
      ])
    ).map(([, args]) => args);
    expect(deliverNow).toBeUndefined();
    expect(changed).toMatchObject({ newState: got!['state'], created: [] });
    expect((await changes(got!['state'] as string))['created']).toHaveLength(1);
  });

  // @requirement 8620 §5.2 changes-created-destroyed
  // @pitfall changes created-and-destroyed
  test('does not return an Email that was created and destroyed since', async () => {
    const before = await stateNow();
    await deployment.call('Email/set', { destroy: [await deployment.deliver()] });
    expect(await changes(before)).toMatchObject({ created: [], updated: [], destroyed: [] });
  });

  // @requirement 8620 §5.2 changes-created-updated
  // @pitfall changes created-and-updated
  test('returns an Email that was created and updated since as created only', async () => {
    const before = await stateNow();
    const id = await deployment.deliver();
    await setSeen(id);
    expect(await changes(before)).toMatchObject({ created: [id], updated: [], destroyed: [] });
  });

  // @pitfall changes moved
  test('returns an Email that was moved between mailboxes as updated', async () => {
    const id = await deployment.deliver();
    const before = await stateNow();
    const { archive } = await deployment.roles();
    await deployment.call('Email/set', { update: { [id]: { mailboxIds: { [archive!]: true } } } });
    expect(await changes(before)).toMatchObject({ created: [], updated: [id], destroyed: [] });
  });

  // @requirement 8620 §5.2 changes-updated-destroyed
  test('returns an Email that was updated and destroyed since as destroyed only', async () => {
    const id = await deployment.deliver();
    const before = await stateNow();
    await setSeen(id);
    await deployment.call('Email/set', { destroy: [id] });
    expect(await changes(before)).toMatchObject({ created: [], updated: [], destroyed: [id] });
  });

  // @requirement 8620 §5.2 changes-max
  // @requirement 8620 §5.2 changes-intermediate
  // @pitfall changes progress
  test('with maxChanges returns all changes over several calls, each with a new state', async () => {
    let state = await stateNow();
    const ids = [await deployment.deliver(), await deployment.deliver(), await deployment.deliver()];
    const seen: string[] = [];
    for (let hasMoreChanges = true; hasMoreChanges;) {
      const piece = await changes(state, { maxChanges: 1 });
      expect(piece['created'].length + piece['updated'].length + piece['destroyed'].length).toBeLessThanOrEqual(1);
      expect(piece['oldState']).toBe(state);
      if (piece['hasMoreChanges']) expect(piece['newState']).not.toBe(state);
      seen.push(...piece['created']);
      hasMoreChanges = piece['hasMoreChanges'] as boolean;
      state = piece['newState'] as string;
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());
    expect(state).toBe(await stateNow());
  });

  // @pitfall client changes-into-get
  test('without maxChanges returns no more ids than Email/get accepts', async () => {
    const state = await stateNow();
    for (let index = 0; index <= coreLimits.maxObjectsInGet; index += 1) await deployment.store.deliver('acc_alice', newEmail(index));
    const first = await changes(state);
    expect([first['created'].length, first['hasMoreChanges']]).toEqual([coreLimits.maxObjectsInGet, true]);
    expect((await changes(first['newState']))['created']).toHaveLength(1);
  });

  // @requirement 8620 §5.2 changes-max-positive
  test('refuses maxChanges 0 with invalidArguments', async () => {
    expect(await changes(await stateNow(), { maxChanges: 0 })).toMatchObject({ type: 'invalidArguments' });
  });

  // @requirement 8620 §5.2 changes-cannot-calculate
  test.each(['', 'nonsense', 'Email-999999', 'Mailbox-1', 'Thread-1', 'Email--1', 'Email-1e3'])(
    'fails with cannotCalculateChanges for the invalid state "%s"',
    async (state) => {
      await deployment.deliver();
      expect(await changes(state)).toMatchObject({ type: 'cannotCalculateChanges' });
    },
  );

  // @pitfall changes foreign-state
  test('fails with cannotCalculateChanges for a state of another type', async () => {
    await deployment.deliver();
    const { state } = await deployment.call('Mailbox/get', { ids: [] });
    expect(await changes(state as string)).toMatchObject({ type: 'cannotCalculateChanges' });
  });

  // @pitfall changes state-of-get
  // @pitfall changes older-than-log
  test('fails with cannotCalculateChanges for a state older than the log, and never for the state that /get returned', async () => {
    const types = ['Email', 'Thread', 'Mailbox'];
    const states = async (from: JmapDeployment) =>
      Promise.all(types.map(async (type) => [type, (await from.call(`${type}/get`, { ids: [] }))['state'] as string] as const));
    const old = await states(deployment);
    await deployment.deliver();
    await deployment.deliver();
    const head = 3;
    await deployment.mail.write([{ update: headKey('acc_alice'), set: { lowWater: head } }]);
    for (let sequence = 1; sequence <= head; sequence += 1) await deployment.mail.write([{ delete: logKey('acc_alice', sequence) }]);
    const cold = await jmapDeployment({ mail: deployment.mail, directory: deployment.directory });
    for (const [type, sinceState] of old) {
      expect(await cold.call(`${type}/changes`, { sinceState })).toMatchObject({ type: 'cannotCalculateChanges' });
    }
    for (const [type, sinceState] of await states(cold)) {
      expect(await cold.call(`${type}/changes`, { sinceState })).toMatchObject({ oldState: sinceState, newState: sinceState, created: [] });
    }
  });

  test('takes sinceState from a result reference', async () => {
    const responses = await deployment.perform([
      ['Email/get', { accountId: 'acc_alice', ids: [] }, 'a'],
      ['Email/changes', { accountId: 'acc_alice', '#sinceState': { resultOf: 'a', name: 'Email/get', path: '/state' } }, 'b'],
    ]);
    expect(responses[1]).toMatchObject(['Email/changes', { created: [] }, 'b']);
  });
});
