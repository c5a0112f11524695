import { perTest } from '../../../support/per-test.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

/** More creations than one transaction can have. */
const many = 150;
const creations = (more: (index: number) => Json = () => ({})): Json =>
  Object.fromEntries(Array.from({ length: many }, (_, index) => [`c${index}`, { name: `Mailbox ${index}`, ...more(index) }]));

const deployment = jmapDeploymentPerTest();
const roles = perTest(() => deployment.roles());

const set = (args: Json) => deployment.call('Mailbox/set', args);
const created = async (properties: Json): Promise<string> => (await set({ create: { a: properties } }))['created'].a.id as string;
const list = async (): Promise<Json[]> => (await deployment.call('Mailbox/get', { ids: null }))['list'] as Json[];
const named = async (name: string): Promise<Json[]> => (await list()).filter((each) => each['name'] === name);

/** Runs an action of another client between the two transactions of the next /set. */
const meanwhile = (act: () => Promise<unknown>) => {
  const write = deployment.mail.write.bind(deployment.mail);
  deployment.mail.write = async (writes) => {
    await write(writes);
    deployment.mail.write = write;
    await act();
  };
};

describe('a Mailbox/set of two transactions, between which another client changes mailboxes', () => {
  test('refuses a creation whose name the other client took, with alreadyExists, and makes the others', async () => {
    meanwhile(() => created({ name: 'Mailbox 149' }));
    const { created: made, notCreated, oldState, newState } = await set({ create: creations() });
    expect([Object.keys(made).length, notCreated]).toEqual([149, { c149: expect.objectContaining({ type: 'alreadyExists' }) as unknown }]);
    expect(await named('Mailbox 149')).toHaveLength(1);
    expect([oldState, newState]).toEqual([null, (await deployment.call('Mailbox/get', { ids: [] }))['state']]);
  });

  test('refuses the children of a parent that the other client destroyed, and their children', async () => {
    const parent = await created({ name: 'Parent' });
    meanwhile(() => set({ destroy: [parent] }));
    const { created: made, notCreated } = await set({
      create: creations((index) => (index === 148 ? { parentId: parent } : index === 149 ? { parentId: '#c148' } : {})),
    });
    expect(Object.keys(made)).toHaveLength(148);
    expect(notCreated).toEqual({
      c148: expect.objectContaining({ type: 'invalidProperties', properties: ['parentId'] }) as unknown,
      c149: expect.objectContaining({ type: 'invalidProperties', properties: ['parentId'] }) as unknown,
    });
    const ids = new Set((await list()).map(({ id }) => id as string));
    expect((await list()).filter(({ parentId }) => parentId !== null && !ids.has(parentId as string))).toEqual([]);
  });

  test('refuses a role that the other client gave to its own mailbox', async () => {
    await set({ update: { [roles['archive']!]: { role: null } } });
    meanwhile(() => created({ name: 'Theirs', role: 'archive' }));
    const { notCreated } = await set({ create: creations((index) => (index === 149 ? { role: 'archive' } : {})) });
    expect(notCreated).toEqual({ c149: expect.objectContaining({ type: 'invalidProperties', properties: ['role'] }) as unknown });
    expect((await list()).filter(({ role }) => role === 'archive').map(({ name }) => name as string)).toEqual(['Theirs']);
  });

  test('undoes neither a destruction nor a rename of the other client, and refuses a new name that it took', async () => {
    const [mine, renamed, gone] = [await created({ name: 'Mine' }), await created({ name: 'Before' }), await created({ name: 'Gone' })];
    meanwhile(() => set({ update: { [renamed]: { name: 'After' } }, destroy: [gone], create: { taken: { name: 'Taken' } } }));
    const { notUpdated } = await set({ create: creations(), update: { [mine]: { name: 'Taken' }, [renamed]: { sortOrder: 7 }, [gone]: { sortOrder: 8 } } });
    expect(notUpdated).toEqual({ [mine]: expect.objectContaining({ type: 'alreadyExists' }) as unknown });
    expect(await named('Mine')).toHaveLength(1);
    expect(await named('After')).toEqual([expect.objectContaining({ id: renamed, sortOrder: 7 })]);
    expect(await named('Gone')).toEqual([]);
  });

  test('refuses a parent that the other client moved below the mailbox', async () => {
    const [one, two] = [await created({ name: 'One' }), await created({ name: 'Two' })];
    meanwhile(() => set({ update: { [two]: { parentId: one } } }));
    const { notUpdated } = await set({ create: creations(), update: { [one]: { parentId: two } } });
    expect(notUpdated).toEqual({ [one]: expect.objectContaining({ type: 'invalidProperties', properties: ['parentId'] }) as unknown });
    expect((await named('One'))[0]!['parentId']).toBeNull();
  });

  test('refuses to destroy mailboxes in which the other client created a mailbox or received an Email', async () => {
    const [parent, empty] = [await created({ name: 'Parent' }), await created({ name: 'Empty' })];
    const email = await deployment.deliver();
    meanwhile(async () => {
      await created({ name: 'Child', parentId: parent });
      await deployment.call('Email/set', { update: { [email]: { mailboxIds: { [empty]: true } } } });
    });
    const { notDestroyed, destroyed, created: made } = await set({ create: creations(), destroy: [parent, empty] });
    expect(notDestroyed).toEqual({
      [parent]: expect.objectContaining({ type: 'mailboxHasChild' }) as unknown,
      [empty]: expect.objectContaining({ type: 'mailboxHasEmail' }) as unknown,
    });
    expect([destroyed, Object.keys(made).length]).toEqual([null, many]);
  });
});
