import { withRemoval } from '../../account-removal/removal.ts';

const path = '/accounts/ListAccountRemovals';

describe('ListAccountRemovals', () => {
  test('lists an account from its deletion until its removal is complete, with the step and the removed items', async () => {
    const to = await withRemoval();
    const account_id = await to.create();
    await to.objects.put(`messages/${account_id}/1`, Buffer.from('x'));
    expect(await to.ok(path)).toEqual({ removals: [], next_page_token: '' });
    await to.ok('/accounts/DeleteAccount', { account_id });
    expect((await to.ok(path))['removals']).toEqual([
      {
        account_id,
        name: 'alice',
        email: 'alice@example.test',
        step: 'ACCESS',
        removed: 0,
        begun_at: expect.stringMatching(/^2\d{3}-.+Z$/),
        removal_at: expect.stringMatching(/^2\d{3}-.+Z$/),
      },
    ]);
    const steps = new Set<unknown>();
    // The time of each call is over from its beginning, so that it removes the least that it can.
    while (to.removalQueue.messages.length > 0) {
      await to.workOnce(-60_000);
      for (const { step } of (await to.ok(path))['removals'] as { step: string }[]) steps.add(step);
    }
    expect([...steps]).toEqual(['MAIL', 'OBJECTS', 'ADDRESSES']);
    expect(await to.ok(path)).toEqual({ removals: [], next_page_token: '' });
  });

  test('returns removals page by page', async () => {
    const to = await withRemoval();
    for (const name of ['a', 'b', 'c']) await to.ok('/accounts/DeleteAccount', { account_id: await to.create(name) });
    const first = await to.ok(path, { page_size: 2 });
    const second = await to.ok(path, { page_size: 2, page_token: first['next_page_token'] });
    const names = [first, second].flatMap(({ removals }) => (removals as { name: string }[]).map(({ name }) => name));
    expect(names.toSorted()).toEqual(['a', 'b', 'c']);
    expect(second['next_page_token']).toBe('');
  });
});
