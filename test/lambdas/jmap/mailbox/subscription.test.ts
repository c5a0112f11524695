import { mailboxesOf } from '../../../../core/mail/mailbox/mailbox-record.ts';
import { jmapDeployment, jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

const accountId = 'acc_alice';

/** Alice owns the account. Bob may read it, Dora and a machine may write. */
describe('isSubscribed of a shared account', () => {
  const deployment = jmapDeploymentPerTest();
  let archive: string;
  beforeEach(async () => {
    await deployment.addUser('dora');
    await deployment.addMember('dora', accountId, 'WRITE', false);
    deployment.tokens['dora'] = { ...deployment.tokens['alice']!, principalId: 'dora' };
    ({ archive = '' } = await deployment.roles());
  });

  const isSubscribed = async (token: string, id = archive): Promise<boolean> => {
    const {
      list: [mailbox],
    } = await deployment.call('Mailbox/get', { ids: [id], properties: ['isSubscribed'] }, { token });
    return mailbox.isSubscribed as boolean;
  };
  const set = (token: string, args: Json) => deployment.call('Mailbox/set', args, { token });
  const subscribe = (token: string, value: boolean | null, id = archive) => set(token, { update: { [id]: { isSubscribed: value } } });
  const changesFor = (token: string, sinceState: string) => deployment.call('Mailbox/changes', { sinceState }, { token });
  const state = async (token: string) => (await deployment.call('Mailbox/get', { ids: [] }, { token }))['state'] as string;

  // @requirement 8621 §2 mailbox-subscribed-default
  test('is true for the owner and false for other members, by default', async () => {
    expect(await isSubscribed('alice')).toBe(true);
    expect(await isSubscribed('bob')).toBe(false);
    expect(await isSubscribed('dora')).toBe(false);
  });

  // @requirement 8621 §2 mailbox-subscribed
  test('is of one member: what one changes does not show to the others', async () => {
    expect(await subscribe('dora', true)).toMatchObject({ updated: { [archive]: null } });
    expect([await isSubscribed('alice'), await isSubscribed('bob'), await isSubscribed('dora')]).toEqual([true, false, true]);
    await subscribe('alice', false);
    expect([await isSubscribed('alice'), await isSubscribed('bob'), await isSubscribed('dora')]).toEqual([false, false, true]);
    await subscribe('dora', false);
    expect([await isSubscribed('alice'), await isSubscribed('bob'), await isSubscribed('dora')]).toEqual([false, false, false]);
  });

  test('decides Mailbox/query for the member who asks', async () => {
    await subscribe('dora', true);
    const query = async (token: string) => (await deployment.call('Mailbox/query', { filter: { isSubscribed: true } }, { token }))['ids'] as string[];
    expect(await query('dora')).toEqual([archive]);
    expect(await query('bob')).toEqual([]);
    expect(await query('alice')).toHaveLength(6);
  });

  test('is an update in Mailbox/changes for the member, and none for the others', async () => {
    const before = await state('alice');
    await subscribe('dora', true);
    const [mine, others] = [await changesFor('dora', before), await changesFor('alice', before)];
    expect(mine).toMatchObject({ created: [], updated: [archive], destroyed: [], updatedProperties: null, hasMoreChanges: false });
    expect(others).toMatchObject({ created: [], updated: [], destroyed: [], hasMoreChanges: false });
    expect([mine['newState'], others['newState']]).toEqual([await state('dora'), await state('dora')]);
    await subscribe('alice', false);
    expect(await changesFor('alice', before)).toMatchObject({ updated: [archive] });
  });

  test('beside another change of the Mailbox is an update for all', async () => {
    const before = await state('alice');
    await set('dora', { update: { [archive]: { isSubscribed: true, name: 'Renamed' } } });
    for (const token of ['alice', 'bob', 'dora']) expect(await changesFor(token, before)).toMatchObject({ updated: [archive] });
  });

  test('is true for the member who creates the Mailbox, true for the owner, and false for others', async () => {
    const { created } = await set('dora', { create: { new: { name: 'New' }, quiet: { name: 'Quiet', isSubscribed: false } } });
    expect(created['new']).toMatchObject({ isSubscribed: true });
    expect(Object.keys(created['new'] as Json)).not.toContain('subscribers');
    const [id, quiet] = [created['new'].id as string, created['quiet'].id as string];
    expect([await isSubscribed('dora', id), await isSubscribed('alice', id), await isSubscribed('bob', id)]).toEqual([true, true, false]);
    expect([await isSubscribed('dora', quiet), await isSubscribed('alice', quiet)]).toEqual([false, true]);
  });

  test('may be changed by a member with the role READ, who may change nothing else', async () => {
    expect(await subscribe('bob', true)).toMatchObject({ updated: { [archive]: null } });
    expect(await isSubscribed('bob')).toBe(true);
    for (const args of [
      { update: { [archive]: { isSubscribed: false, name: 'Mine' } } },
      { create: { new: { name: 'New' } } },
      { destroy: [archive] },
      { update: { [archive]: { 'isSubscribed/x': true } } },
    ])
      expect(await set('bob', args)).toMatchObject({ type: 'accountReadOnly' });
    expect(await isSubscribed('bob')).toBe(true);
  });

  test('stays through other changes of the Mailbox, and in a Lambda that loads the account', async () => {
    await subscribe('dora', true);
    await set('alice', { update: { [archive]: { name: 'Renamed', sortOrder: 9 } } });
    const cold = await jmapDeployment({ mail: deployment.mail });
    await cold.addMember('bob', accountId, 'READ', false);
    expect(await isSubscribed('dora')).toBe(true);
    expect(mailboxesOf((await cold.store.open(accountId))!).get(archive)).toMatchObject({ subscribers: ['dora'], isSubscribed: true });
  });

  test('keeps the latest 1,000 members of a Mailbox, so that its item stays small', async () => {
    const view = (await deployment.store.open(accountId))!;
    const subscribers = Array.from({ length: 1000 }, (_, index) => `user_${index}`);
    await deployment.store.commit(view, () => ({ records: { Mailbox: { put: [{ ...mailboxesOf(view).get(archive)!, subscribers }] } } }));
    await subscribe('dora', true);
    const after = mailboxesOf((await deployment.store.open(accountId))!).get(archive)!;
    expect(after.subscribers).toEqual([...subscribers.slice(1), 'dora']);
  });

  test('takes no further round trip', async () => {
    await deployment.call('Mailbox/get', {}, { token: 'dora' });
    expect(await deployment.tripsOf(() => deployment.call('Mailbox/get', {}, { token: 'dora' }))).toBe(1);
    expect(await deployment.tripsOf(() => subscribe('dora', true))).toBe(2);
  });
});
