import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

/** In addition to the default mailboxes: Work > Zeta > Deep, and Yard. */
describe('Mailbox/queryChanges', () => {
  const deployment = jmapDeploymentPerTest();
  let work: string, zeta: string, deep: string, yard: string;
  beforeEach(async () => {
    const { created } = await deployment.call('Mailbox/set', {
      create: { work: { name: 'Work' }, zeta: { name: 'Zeta', parentId: '#work' }, deep: { name: 'Deep', parentId: '#zeta' }, yard: { name: 'Yard' } },
    });
    [work, zeta, deep, yard] = ['work', 'zeta', 'deep', 'yard'].map((name) => (created as Json)[name].id as string) as [string, string, string, string];
  });
  const update = async (id: string, patch: Json, token = 'alice') => {
    expect(await deployment.call('Mailbox/set', { update: { [id]: patch } }, { token })).toMatchObject({ notUpdated: null });
  };
  const changesOf = async (args: Json, act: () => Promise<unknown>, token = 'alice') => {
    const { queryState } = await deployment.call('Mailbox/query', args, { token });
    await act();
    return deployment.call('Mailbox/queryChanges', { ...args, sinceQueryState: queryState }, { token });
  };
  const byName = { filter: { hasAnyRole: false }, sort: [{ property: 'name' }] };

  test('has a renamed mailbox in removed and, at its new place, in added', async () => {
    expect(await changesOf(byName, () => update(work, { name: 'Area' }))).toMatchObject({ removed: [work], added: [{ id: work, index: 0 }] });
  });

  test('without a sort depends on sortOrder and name, as the order of Mailbox/query does', async () => {
    expect(await changesOf({}, () => update(yard, { sortOrder: 99 }))).toMatchObject({ removed: [yard], added: [{ id: yard, index: 9 }] });
  });

  test('has no mailbox of which only counters changed', async () => {
    expect(await changesOf(byName, () => deployment.deliver())).toMatchObject({ removed: [], added: [] });
  });

  test('has a created and a destroyed mailbox', async () => {
    const create = async () => {
      await deployment.call('Mailbox/set', { create: { m: { name: 'A' } }, destroy: [yard] });
    };
    expect(await changesOf(byName, create)).toMatchObject({ removed: [yard], added: [{ id: expect.any(String) as string, index: 0 }] });
  });

  test('with sortAsTree moves the descendants of a renamed or moved mailbox with it', async () => {
    const asTree = { ...byName, sortAsTree: true };
    expect(await changesOf(asTree, () => update(work, { name: 'Zoo' }))).toEqual(
      expect.objectContaining({
        removed: expect.arrayContaining([work, zeta, deep]) as unknown,
        added: [
          { id: work, index: 1 },
          { id: zeta, index: 2 },
          { id: deep, index: 3 },
        ],
      }),
    );
    const moved = await changesOf(asTree, () => update(zeta, { parentId: yard }));
    expect(moved).toMatchObject({
      removed: expect.arrayContaining([zeta, deep]),
      added: [
        { id: zeta, index: 1 },
        { id: deep, index: 2 },
      ],
    });
    expect(moved['removed']).not.toContain(work);
  });

  test('with filterAsTree removes the descendants of a mailbox that no longer matches', async () => {
    const asTree = { filter: { isSubscribed: true, hasAnyRole: false }, sort: byName.sort, filterAsTree: true };
    const changes = await changesOf(asTree, () => update(work, { isSubscribed: false }));
    expect(changes).toMatchObject({ removed: expect.arrayContaining([work, zeta, deep]), added: [] });
    expect(changes['removed']).not.toContain(yard);
  });

  test('depends on the subscriptions of the caller only, and only if the filter does', async () => {
    const subscribed = { filter: { isSubscribed: true } };
    const unsubscribe = (isSubscribed: boolean) => () => update(yard, { isSubscribed }, 'bob');
    expect(await changesOf(subscribed, unsubscribe(true), 'alice')).toMatchObject({ removed: [], added: [] });
    expect(await changesOf(subscribed, unsubscribe(false), 'bob')).toMatchObject({ removed: [yard], added: [] });
    expect(await changesOf(byName, unsubscribe(true), 'bob')).toMatchObject({ removed: [], added: [] });
  });
});
