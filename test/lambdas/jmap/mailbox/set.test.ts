import { perTest } from '../../../support/per-test.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

const deployment = jmapDeploymentPerTest();
const roles = perTest(() => deployment.roles());
const set = (args: Json) => deployment.call('Mailbox/set', args);
const created = async (properties: Json): Promise<string> => (await set({ create: { a: properties } }))['created'].a.id as string;
const get = async (id: string): Promise<Json | undefined> => (await deployment.call('Mailbox/get', { ids: [id] }))['list'][0] as Json | undefined;

describe('Mailbox/set create', () => {
  // @requirement 8620 §5.3 set-created
  // @requirement 8620 §5.3 set-defaults
  // @requirement 8620 §3.5 default-arguments
  test('returns the properties that the client omitted: id, defaults, counters and myRights', async () => {
    const { created: made, notCreated, oldState, newState } = await set({ create: { a: { name: 'Work' } } });
    expect(Object.keys(made.a).sort()).toEqual([
      'id',
      'isSubscribed',
      'myRights',
      'parentId',
      'role',
      'sortOrder',
      'totalEmails',
      'totalThreads',
      'unreadEmails',
      'unreadThreads',
    ]);
    expect(made.a).toMatchObject({ parentId: null, role: null, sortOrder: 0, isSubscribed: true, totalEmails: 0 });
    expect(notCreated).toBeNull();
    expect(newState).not.toBe(oldState);
    expect(await deployment.call('Mailbox/changes', { sinceState: oldState })).toMatchObject({
      created: [made.a.id],
      updated: [],
      destroyed: [],
      newState,
      updatedProperties: null,
    });
  });

  // @requirement 8620 §5.3 set-creation-order
  test('creates a child that precedes its parent', async () => {
    const { created: made } = await set({ create: { child: { name: 'Child', parentId: '#parent' }, parent: { name: 'Parent' } } });
    expect(await get(made.child.id)).toMatchObject({ parentId: made.parent.id });
  });

  // @requirement 8620 §5.3 set-continues
  test('refuses the child of a parent that was refused', async () => {
    expect(await set({ create: { child: { name: 'Child', parentId: '#parent' }, parent: { name: '' } } })).toMatchObject({
      created: null,
      notCreated: { child: { type: 'invalidProperties', properties: ['parentId'] }, parent: { type: 'invalidProperties', properties: ['name'] } },
    });
  });

  // @requirement 8620 §5.3 set-invalid-properties
  // @requirement 8621 §2 mailbox-name-size
  // @requirement 8621 §2 mailbox-role-registered
  // @requirement 8621 §2 mailbox-role-unique
  // @requirement 8621 §2 mailbox-sort-order
  test.each<[string, Json, string[]]>([
    ['no name', {}, ['name']],
    ['an empty name', { name: '' }, ['name']],
    ['a control character', { name: 'a\nb' }, ['name']],
    ['a name of 256 octets', { name: 'ü'.repeat(128) }, ['name']],
    ['a name that is no text', { name: 7 }, ['name']],
    ['an unknown parent', { name: 'x', parentId: 'Fnope' }, ['parentId']],
    ['an unknown role', { name: 'x', role: 'Inbox' }, ['role']],
    // @pitfall mailbox role-once
    ['a role that another has', { name: 'x', role: 'sent' }, ['role']],
    ['what only the server sets', { name: 'x', totalEmails: 0, id: 'F1' }, ['id', 'totalEmails']],
    ['an unknown property', { name: 'x', colour: 'red' }, ['colour']],
    ['a negative sortOrder', { name: 'x', sortOrder: -1 }, ['sortOrder']],
    ['a sortOrder of 2³¹', { name: 'x', sortOrder: 2 ** 31 }, ['sortOrder']],
    ['several', { name: '\n', parentId: 'Fnope', role: 'boss', sortOrder: 2 ** 40 }, ['name', 'parentId', 'role', 'sortOrder']],
    ['half a surrogate pair', { name: '\ud800' }, ['name']],
  ])('refuses %s with invalidProperties that names the properties', async (_what, properties, named) => {
    const { notCreated, created: made, oldState, newState } = await set({ create: { a: properties } });
    expect(made).toBeNull();
    expect(notCreated.a).toMatchObject({ type: 'invalidProperties', description: expect.any(String) as string });
    expect(notCreated.a.properties.toSorted()).toEqual(named);
    expect(newState).toBe(oldState);
  });

  // @requirement 8621 §2 mailbox-name-unique
  // @pitfall mailbox sibling-names
  test('refuses the name of a sibling with alreadyExists; under another parent it is accepted', async () => {
    const work = await created({ name: 'Work' });
    expect(await set({ create: { a: { name: 'Work' }, b: { name: 'Work', parentId: work } } })).toMatchObject({
      notCreated: { a: { type: 'alreadyExists', existingId: work } },
      created: { b: {} },
    });
  });

  test('normalizes names to NFC, so that canonically equivalent names are equal', async () => {
    await created({ name: 'Äpfel' });
    expect(await set({ create: { a: { name: 'Äpfel'.normalize('NFD') } } })).toMatchObject({ notCreated: { a: { type: 'alreadyExists' } } });
  });

  test('returns names that were normalized', async () => {
    const { created: made } = await set({ create: { p: { name: 'Parent' }, c: { name: 'Äpfel'.normalize('NFD'), parentId: '#p' } } });
    expect(made.c).toMatchObject({ name: 'Äpfel'.normalize('NFC'), parentId: made.p.id });
    expect((await set({ update: { [made.c.id]: { name: 'Öl'.normalize('NFD') } } }))['updated']).toEqual({ [made.c.id]: { name: 'Öl'.normalize('NFC') } });
  });

  test('creates ten levels, and refuses the eleventh', async () => {
    const levels = Array.from({ length: 11 }, (_, level) => [`l${level}`, { name: `Level ${level}`, ...(level > 0 && { parentId: `#l${level - 1}` }) }]);
    const { created: made, notCreated } = await set({ create: Object.fromEntries(levels) as Json });
    expect(Object.keys(made)).toHaveLength(10);
    expect(notCreated).toMatchObject({ l10: { type: 'invalidProperties', properties: ['parentId'] } });
  });

  test('accepts a role that no mailbox has', async () => {
    expect(await get(await created({ name: 'Later', role: 'snoozed' }))).toMatchObject({ role: 'snoozed' });
  });
});

describe('Mailbox/set update', () => {
  test('renames, moves, reorders, unsubscribes', async () => {
    const [parent, id] = [await created({ name: 'Parent' }), await created({ name: 'Before' })];
    expect(await set({ update: { [id]: { name: 'After', parentId: parent, sortOrder: 99, isSubscribed: false } } })).toMatchObject({
      updated: { [id]: null },
      notUpdated: null,
    });
    expect(await get(id)).toMatchObject({ name: 'After', parentId: parent, sortOrder: 99, isSubscribed: false });
  });

  // @requirement 8620 §5.3 set-patch-null
  test('null sets a property to its default', async () => {
    const id = await created({ name: 'x', parentId: roles['archive'], sortOrder: 5, isSubscribed: false });
    await set({ update: { [id]: { parentId: null, sortOrder: null, isSubscribed: null } } });
    expect(await get(id)).toMatchObject({ parentId: null, sortOrder: 0, isSubscribed: true });
  });

  // @requirement 8621 §2 mailbox-no-loop
  // @pitfall mailbox parent-cycle
  test('refuses a descendant or the mailbox itself as parentId', async () => {
    const upper = await created({ name: 'Upper' });
    const lower = await created({ name: 'Lower', parentId: upper });
    expect(await set({ update: { [upper]: { parentId: lower }, [lower]: { parentId: lower } } })).toMatchObject({
      updated: null,
      notUpdated: { [upper]: { type: 'invalidProperties', properties: ['parentId'] }, [lower]: { type: 'invalidProperties', properties: ['parentId'] } },
    });
  });

  // @requirement 8620 §5.3 set-creation-id
  test('accepts the creation id of a parent that the same call creates', async () => {
    const id = await created({ name: 'x' });
    const { created: made } = await set({ create: { p: { name: 'New parent' } }, update: { [id]: { parentId: '#p' } } });
    expect(await get(id)).toMatchObject({ parentId: made.p.id });
  });

  // @requirement 8620 §5.3 set-server-set
  // @pitfall set unchanged-server-set
  // @pitfall set changed-server-set
  test('accepts the current values of server-set properties, and refuses others with invalidProperties that names them', async () => {
    const id = await created({ name: 'x' });
    const whole = (await get(id))!;
    expect(await set({ update: { [id]: { ...whole, name: 'y' } } })).toMatchObject({ updated: { [id]: null } });
    expect(await set({ update: { [id]: { totalEmails: 7, myRights: {} } } })).toMatchObject({
      notUpdated: { [id]: { type: 'invalidProperties', properties: ['totalEmails', 'myRights'] } },
    });
  });

  // @pitfall set no-change
  test('an update that changes nothing succeeds without a new state', async () => {
    const { oldState, newState, updated } = await set({ update: { [roles['sent']!]: { name: 'Sent' } } });
    expect(updated).toEqual({ [roles['sent']!]: null });
    expect(newState).toBe(oldState);
  });

  test('renames the inbox, and refuses to change its role', async () => {
    const inbox = roles['inbox']!;
    expect(await set({ update: { [inbox]: { name: 'Eingang' } } })).toMatchObject({ updated: { [inbox]: null } });
    expect(await set({ update: { [inbox]: { role: null } } })).toMatchObject({ notUpdated: { [inbox]: { type: 'invalidProperties', properties: ['role'] } } });
    expect(await set({ update: { [inbox]: { role: 'archive' } } })).toMatchObject({ notUpdated: { [inbox]: { type: 'invalidProperties' } } });
  });

  // @requirement 8620 §5.3 set-final-state
  test('a role moves from one mailbox to another within a call', async () => {
    const id = await created({ name: 'Papierkorb' });
    expect(await set({ update: { [id]: { role: 'trash' }, [roles['trash']!]: { role: null } } })).toMatchObject({ notUpdated: null });
    expect(await get(id)).toMatchObject({ role: 'trash' });
  });

  test('refuses an unknown id with notFound', async () => {
    expect(await set({ update: { nope: { name: 'x' }, '#never': { name: 'y' } } })).toMatchObject({
      notUpdated: { nope: { type: 'notFound' }, '#never': { type: 'notFound' } },
    });
  });
});

describe('Mailbox/set destroy', () => {
  test('destroys an empty mailbox', async () => {
    const id = await created({ name: 'x' });
    expect(await set({ destroy: [id, 'nope'] })).toMatchObject({ destroyed: [id], notDestroyed: { nope: { type: 'notFound' } } });
    expect(await get(id)).toBeUndefined();
  });

  // @requirement 8621 §2.5 mailbox-has-child
  // @pitfall mailbox has-child
  test('refuses a mailbox with children with mailboxHasChild and destroys nothing, also with onDestroyRemoveEmails', async () => {
    const parent = await created({ name: 'Parent' });
    await created({ name: 'Child', parentId: parent });
    const mail = await deployment.deliver();
    await deployment.call('Email/set', { update: { [mail]: { mailboxIds: { [parent]: true } } } });
    expect(await set({ destroy: [parent], onDestroyRemoveEmails: true })).toMatchObject({
      destroyed: null,
      notDestroyed: { [parent]: { type: 'mailboxHasChild' } },
    });
    expect(await deployment.call('Email/get', { ids: [mail], properties: ['mailboxIds'] })).toMatchObject({ list: [{ mailboxIds: { [parent]: true } }] });
  });

  test('destroys a parent and its child in any order', async () => {
    const parent = await created({ name: 'Parent' });
    const child = await created({ name: 'Child', parentId: parent });
    const { destroyed, notDestroyed } = await set({ destroy: [parent, child] });
    expect(destroyed.toSorted()).toEqual([parent, child].toSorted());
    expect(notDestroyed).toBeNull();
  });

  // @requirement 8621 §2.5 mailbox-has-email
  // @pitfall mailbox has-email
  test('refuses a mailbox with Emails with mailboxHasEmail', async () => {
    await deployment.deliver({ isJunk: true });
    expect(await set({ destroy: [roles['junk']] })).toMatchObject({ destroyed: null, notDestroyed: { [roles['junk']!]: { type: 'mailboxHasEmail' } } });
  });

  // @requirement 8621 §2.5 mailbox-remove-emails
  // @pitfall mailbox remove-emails
  test('onDestroyRemoveEmails removes Emails from the mailbox, and destroys those in no other mailbox', async () => {
    const id = await created({ name: 'Project' });
    const [onlyThere, alsoElsewhere] = [await deployment.deliver(), await deployment.deliver()];
    await deployment.call('Email/set', { update: { [onlyThere]: { mailboxIds: { [id]: true } }, [alsoElsewhere]: { [`mailboxIds/${id}`]: true } } });
    const { state } = await deployment.call('Email/get', { ids: [] });
    expect(await set({ destroy: [id], onDestroyRemoveEmails: true })).toMatchObject({ destroyed: [id] });
    expect(await deployment.call('Email/get', { ids: [onlyThere, alsoElsewhere], properties: ['mailboxIds'] })).toMatchObject({
      list: [{ id: alsoElsewhere, mailboxIds: { [roles['inbox']!]: true } }],
      notFound: [onlyThere],
    });
    expect(await deployment.call('Email/changes', { sinceState: state })).toMatchObject({ created: [], updated: [alsoElsewhere], destroyed: [onlyThere] });
  });

  test('refuses the inbox with forbidden', async () => {
    expect(await set({ destroy: [roles['inbox']], onDestroyRemoveEmails: true })).toMatchObject({ notDestroyed: { [roles['inbox']!]: { type: 'forbidden' } } });
  });

  test('refuses an update of a mailbox that the same call destroys with willDestroy', async () => {
    const id = await created({ name: 'x' });
    expect(await set({ update: { [id]: { name: 'y' } }, destroy: [id] })).toMatchObject({ notUpdated: { [id]: { type: 'willDestroy' } }, destroyed: [id] });
  });
});

describe('Mailbox/set with ifInState', () => {
  test('fails with stateMismatch for another state, and changes nothing', async () => {
    expect(await set({ ifInState: 'Mailbox-999', create: { a: { name: 'x' } } })).toMatchObject({ type: 'stateMismatch' });
    expect((await deployment.call('Mailbox/get'))['list']).toHaveLength(6);
  });

  test('compares the state when there are no changes', async () => {
    expect(await set({ ifInState: 'nonsense', update: {} })).toMatchObject({ type: 'stateMismatch' });
  });

  test('makes the changes when the state is current', async () => {
    const { state } = await deployment.call('Mailbox/get', { ids: [] });
    expect(await set({ ifInState: state, create: { a: { name: 'x' } } })).toMatchObject({ oldState: state, created: { a: {} } });
  });
});
