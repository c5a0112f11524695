import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

/** RFC 8620 §5.3: the state after a /set must be valid. The order of its changes does not matter. */
describe('Mailbox/set with changes that depend on each other', () => {
  const deployment = jmapDeploymentPerTest();
  let ids: Record<string, string>;
  const set = (args: Json) => deployment.call('Mailbox/set', args);
  const get = async (id: string): Promise<Json> => (await deployment.call('Mailbox/get', { ids: [id] }))['list'][0] as Json;
  beforeEach(async () => {
    const { created } = await set({
      create: { a: { name: 'A' }, b: { name: 'B' }, c: { name: 'C' }, parent: { name: 'Parent' }, child: { name: 'Child', parentId: '#parent' } },
    });
    ids = Object.fromEntries(Object.entries(created as Json).map(([name, { id }]) => [name, id as string]));
  });

  test('swaps the names of two mailboxes, and rotates those of three', async () => {
    const { a, b, c } = ids as { a: string; b: string; c: string };
    expect(await set({ update: { [a]: { name: 'B' }, [b]: { name: 'A' } } })).toMatchObject({ updated: { [a]: null, [b]: null }, notUpdated: null });
    expect([await get(a), await get(b)]).toMatchObject([{ name: 'B' }, { name: 'A' }]);
    expect(await set({ update: { [a]: { name: 'C' }, [b]: { name: 'B' }, [c]: { name: 'A' } } })).toMatchObject({ notUpdated: null });
    expect([await get(a), await get(b), await get(c)]).toMatchObject([{ name: 'C' }, { name: 'B' }, { name: 'A' }]);
  });

  test('swaps the roles of two mailboxes, also for later deliveries', async () => {
    const { junk, archive } = await deployment.roles();
    expect(await set({ update: { [junk!]: { role: 'archive' }, [archive!]: { role: 'junk' } } })).toMatchObject({ notUpdated: null });
    const email = await deployment.deliver({ isJunk: true });
    const { list } = await deployment.call('Email/get', { ids: [email], properties: ['mailboxIds'] });
    expect(list[0].mailboxIds).toEqual({ [archive!]: true });
  });

  test('makes the possible changes of several, and leaves the others as they were', async () => {
    const { a, b, c } = ids as { a: string; b: string; c: string };
    const { updated, notUpdated } = await set({ update: { [a]: { name: 'B' }, [b]: { name: 'A' }, [c]: { name: 'Inbox' } } });
    expect(Object.keys(updated as Json).toSorted()).toEqual([a, b].toSorted());
    expect(notUpdated).toMatchObject({ [c]: { type: 'alreadyExists' } });
    expect(await get(c)).toMatchObject({ name: 'C' });
  });

  test('makes the first one of changes that exclude each other, and refuses the second one', async () => {
    const { a, b, c } = ids as { a: string; b: string; c: string };
    expect(await set({ update: { [a]: { name: 'New' }, [b]: { name: 'New' } } })).toMatchObject({
      updated: { [a]: null },
      notUpdated: { [b]: { type: 'alreadyExists', existingId: a } },
    });
    expect(await set({ update: { [b]: { parentId: c }, [c]: { parentId: b } } })).toMatchObject({
      updated: { [b]: null },
      notUpdated: { [c]: { type: 'invalidProperties', properties: ['parentId'] } },
    });
    expect([await get(b), await get(c)]).toMatchObject([
      { name: 'B', parentId: c },
      { name: 'C', parentId: null },
    ]);
  });

  test('creates a mailbox with the name that an update or a destroy of the same call frees', async () => {
    const { a, b } = ids as { a: string; b: string };
    expect(await set({ create: { x: { name: 'A' }, y: { name: 'B' } }, update: { [a]: { name: 'Z' } }, destroy: [b] })).toMatchObject({
      notCreated: null,
      notUpdated: null,
      notDestroyed: null,
      destroyed: [b],
    });
  });

  test('moves a child to the place of its parent, which the same call destroys', async () => {
    const { parent, child } = ids as { parent: string; child: string };
    expect(await set({ update: { [child]: { name: 'Parent', parentId: null } }, destroy: [parent] })).toMatchObject({
      updated: { [child]: null },
      destroyed: [parent],
      notUpdated: null,
      notDestroyed: null,
    });
    expect(await get(child)).toMatchObject({ name: 'Parent', parentId: null });
  });

  test('names the new mailbox by its creation id in an update and in a destroy of the same call', async () => {
    const { a } = ids as { a: string };
    const made = await set({ create: { x: { name: 'X' }, y: { name: 'Y' } }, update: { '#x': { parentId: a }, [a]: { parentId: '#y' } } });
    expect(made).toMatchObject({ notCreated: null, notUpdated: null });
    expect(await get(made['created'].x.id as string)).toMatchObject({ parentId: a });
    const gone = await set({ create: { x: { name: 'X' } }, destroy: ['#x', '#nope'] });
    expect(gone).toMatchObject({ destroyed: [gone['created'].x.id], notDestroyed: { '#nope': { type: 'notFound' } } });
    expect(await set({ create: { x: { name: 'X' } }, update: { '#x': { name: 'Other' } }, destroy: ['#x'] })).toMatchObject({
      notUpdated: { '#x': { type: 'willDestroy' } },
    });
  });
});
