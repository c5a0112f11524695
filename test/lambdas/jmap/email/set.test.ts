import { emailsOf } from '../../../../core/mail/email/email-type.ts';
import { mailCommit } from '../../../support/email-fixtures.ts';
import { perTest } from '../../../support/per-test.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

const deployment = jmapDeploymentPerTest();
const roles = perTest(() => deployment.roles());
let id: string;
beforeEach(async () => {
  id = await deployment.deliver({ keywords: ['$seen', 'project'] });
});
const set = (args: Json) => deployment.call('Email/set', args);
const update = (patch: Json) => set({ update: { [id]: patch } });
const get = async (): Promise<Json> => (await deployment.call('Email/get', { ids: [id], properties: ['keywords', 'mailboxIds'] }))['list'][0] as Json;

describe('Email/set update of keywords', () => {
  // @requirement 8621 §4.1.1 email-keywords-case
  test.each<[string, Json, string[]]>([
    ['adds a keyword', { 'keywords/$flagged': true }, ['$flagged', '$seen', 'project']],
    // @pitfall set patch-null
    ['removes a keyword by null', { 'keywords/$seen': null }, ['project']],
    ['removes a keyword that the Email does not have', { 'keywords/never': null }, ['$seen', 'project']],
    ['adds and removes keywords', { 'keywords/$flagged': true, 'keywords/project': null }, ['$flagged', '$seen']],
    ['replaces all keywords', { keywords: { $answered: true } }, ['$answered']],
    ['removes all keywords', { keywords: {} }, []],
    ['sets the default by null', { keywords: null }, []],
    ['stores keywords in lower case', { 'keywords/$FLAGGED': true, 'keywords/$Seen': null }, ['$flagged', 'project']],
    // @pitfall set escaped-path
    ['accepts a keyword with a slash and a tilde', { 'keywords/a~1b~0c': true }, ['$seen', 'a/b~c', 'project']],
    // @pitfall set digits
    ['accepts a keyword of digits', { 'keywords/123': true }, ['$seen', '123', 'project']],
    [
      'accepts the keywords __proto__ and constructor',
      { 'keywords/__proto__': true, 'keywords/constructor': true },
      ['$seen', '__proto__', 'constructor', 'project'],
    ],
    // @pitfall set no-change
    ['accepts an empty patch', {}, ['$seen', 'project']],
  ])('%s', async (_what, patch, keywords) => {
    expect(await set(JSON.parse(`{"update":{"${id}":${JSON.stringify(Object.fromEntries(Object.entries(patch)))}}}`) as Json)).toMatchObject({
      updated: { [id]: null },
      notUpdated: null,
    });
    expect(Object.keys((await get())['keywords']).sort()).toEqual(keywords.toSorted());
    expect(Object.values((await get())['keywords'])).toEqual(keywords.map(() => true));
  });

  // @requirement 8620 §5.3 set-record-atomic
  // @requirement 8620 §5.3 set-patch-missing-parent
  // @requirement 8620 §5.3 set-patch-overlap
  // @requirement 8621 §4.1.1 email-keywords-characters
  test.each<[string, Json, string, string[]]>([
    // @pitfall set true-only
    ['false in a whole value', { keywords: { $seen: false } }, 'invalidProperties', ['keywords']],
    ['a value that is not a set', { keywords: ['$seen'] }, 'invalidProperties', ['keywords']],
    ['a keyword with a space', { 'keywords/a b': true }, 'invalidProperties', ['keywords']],
    ['a keyword with a bracket', { keywords: { 'a(b': true } }, 'invalidProperties', ['keywords']],
    ['an empty keyword', { 'keywords/': true }, 'invalidProperties', ['keywords']],
    ['a keyword of 256 characters', { [`keywords/${'k'.repeat(256)}`]: true }, 'invalidProperties', ['keywords']],
    ['101 keywords', { keywords: Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`k${index}`, true])) }, 'tooManyKeywords', []],
    // @pitfall set overlapping-paths
    ['a whole value and a path within it, with invalidPatch,', { keywords: {}, 'keywords/$seen': true }, 'invalidPatch', []],
    ['a path within a path', { 'keywords/a': true, 'keywords/a/b': true }, 'invalidPatch', []],
    ['a path through a missing member', { 'keywords/a/b': true }, 'invalidPatch', []],
    ['a path through a boolean', { 'keywords/$seen/b': true }, 'invalidPatch', []],
    ['a path that is not a JSON pointer', { 'keywords/~2': true }, 'invalidPatch', []],
    ['an unknown property', { colour: 'red', 'shape/round': true }, 'invalidProperties', ['colour', 'shape']],
    ['several invalid properties', { keywords: 1, mailboxIds: null, colour: 2 }, 'invalidProperties', ['colour', 'keywords', 'mailboxIds']],
  ])('refuses %s and changes nothing', async (_what, patch, type, properties) => {
    const before = await get();
    const { updated, notUpdated, oldState, newState } = await update(patch);
    expect(updated).toBeNull();
    expect(notUpdated[id]).toMatchObject({ type, description: expect.any(String) as string });
    expect((notUpdated[id].properties ?? []).toSorted()).toEqual(properties);
    expect(await get()).toEqual(before);
    expect(newState).toBe(oldState);
  });
});

describe('Email/set update of mailboxIds', () => {
  // @requirement 8621 §4.6 set-update
  // @pitfall set patch-null
  test('moves, adds and removes mailboxes', async () => {
    const { inbox, archive, sent } = roles as { inbox: string; archive: string; sent: string };
    await update({ mailboxIds: { [archive]: true } });
    expect((await get())['mailboxIds']).toEqual({ [archive]: true });
    await update({ [`mailboxIds/${inbox}`]: true, [`mailboxIds/${sent}`]: true });
    expect((await get())['mailboxIds']).toEqual({ [archive]: true, [inbox]: true, [sent]: true });
    await update({ [`mailboxIds/${archive}`]: null });
    expect((await get())['mailboxIds']).toEqual({ [inbox]: true, [sent]: true });
  });

  // @requirement 8621 §4.1.1 email-in-mailbox
  test.each<[string, () => Json]>([
    ['an empty set', () => ({ mailboxIds: {} })],
    ['null', () => ({ mailboxIds: null })],
    // @pitfall set in-a-mailbox
    ['the removal of the last mailbox', () => ({ [`mailboxIds/${roles['inbox']}`]: null })],
    ['an unknown mailbox', () => ({ 'mailboxIds/Fnope': true })],
    ['an unknown creation id', () => ({ 'mailboxIds/#nope': true })],
    ['false in a whole value', () => ({ mailboxIds: { [roles['inbox']!]: true, [roles['sent']!]: false } })],
    ['the removal of the last mailbox by false', () => ({ [`mailboxIds/${roles['inbox']}`]: false })],
  ])('refuses %s with invalidProperties', async (_what, patch) => {
    expect(await update(patch())).toMatchObject({ notUpdated: { [id]: { type: 'invalidProperties', properties: ['mailboxIds'] } } });
    expect((await get())['mailboxIds']).toEqual({ [roles['inbox']!]: true });
  });

  // @pitfall set creation-id-in-path
  // @pitfall set creation-id-across-calls
  test('accepts the creation id of a mailbox that an earlier call created, in a path and in a whole value', async () => {
    const accountId = 'acc_alice';
    const other = await deployment.deliver();
    const responses = await deployment.perform([
      ['Mailbox/set', { accountId, create: { new: { name: 'New' } } }, 'a'],
      ['Email/set', { accountId, update: { [id]: { 'mailboxIds/#new': true }, [other]: { mailboxIds: { '#new': true } } } }, 'b'],
    ]);
    const made = responses[0]![1]['created'].new.id as string;
    expect(responses[1]![1]['updated']).toEqual({ [id]: null, [other]: { mailboxIds: { [made]: true } } });
    expect((await get())['mailboxIds']).toEqual({ [roles['inbox']!]: true, [made]: true });
  });
});

describe('Email/set update of immutable properties', () => {
  // @pitfall set unchanged-server-set
  test('accepts the current values of all properties', async () => {
    const whole = (await deployment.call('Email/get', { ids: [id] }))['list'][0] as Json;
    expect(await update({ ...whole, keywords: { $draft: true } })).toMatchObject({ updated: { [id]: null } });
    expect((await get())['keywords']).toEqual({ $draft: true });
  });

  // @requirement 8620 §5.3 set-immutable
  // @pitfall set changed-server-set
  test('refuses other values with invalidProperties that names them', async () => {
    const { notUpdated } = await update({ subject: 'Other', size: 1, from: null, id: 'Mother', preview: 'x', 'header:X': 'y' });
    expect(notUpdated[id]).toMatchObject({ type: 'invalidProperties' });
    expect(notUpdated[id].properties.toSorted()).toEqual(['from', 'header:X', 'id', 'preview', 'size', 'subject']);
  });
});

describe('Email/set destroy and create', () => {
  // @requirement 8621 §4.6 set-destroy
  // @pitfall set unknown-destroy
  test('destroys Emails, and returns notFound for unknown ids', async () => {
    expect(await set({ destroy: [id, 'Mnope'] })).toMatchObject({ destroyed: [id], notDestroyed: { Mnope: { type: 'notFound' } } });
    expect(await deployment.call('Email/get', { ids: [id] })).toMatchObject({ list: [], notFound: [id] });
    expect(await set({ destroy: [id] })).toMatchObject({ destroyed: null, notDestroyed: { [id]: { type: 'notFound' } } });
  });

  test('destroys an Email once when its id is repeated', async () => {
    expect(await set({ destroy: [id, id] })).toMatchObject({ destroyed: [id], notDestroyed: null });
  });

  // @requirement 8620 §5.3 set-will-destroy
  test('refuses an update of an Email that the same call destroys with willDestroy', async () => {
    expect(await set({ update: { [id]: { keywords: {} } }, destroy: [id] })).toMatchObject({ notUpdated: { [id]: { type: 'willDestroy' } }, destroyed: [id] });
  });

  // @requirement 8620 §5.3 set-not-found
  // @pitfall set unknown-update
  test('refuses an update of an unknown id with notFound', async () => {
    expect(await set({ update: { Mnope: { 'keywords/$seen': true } } })).toMatchObject({ updated: null, notUpdated: { Mnope: { type: 'notFound' } } });
  });
});

describe('Email/set states and limits', () => {
  const stateNow = async (): Promise<string> => (await deployment.call('Email/get', { ids: [] }))['state'] as string;

  // @requirement 8620 §5.3 set-states
  test('oldState and newState are the states of /get and /changes', async () => {
    const before = await stateNow();
    const { oldState, newState } = await update({ 'keywords/$flagged': true });
    expect([oldState, newState]).toEqual([before, await stateNow()]);
    expect(await deployment.call('Email/changes', { sinceState: oldState })).toMatchObject({ updated: [id], newState });
  });

  test('later calls of the request see its changes', async () => {
    const accountId = 'acc_alice';
    const responses = await deployment.perform([
      ['Email/set', { accountId, update: { [id]: { 'keywords/$flagged': true } } }, 'a'],
      ['Email/query', { accountId, filter: { hasKeyword: '$flagged' } }, 'b'],
      ['Email/set', { accountId, destroy: [id] }, 'c'],
      ['Email/query', { accountId }, 'd'],
    ]);
    expect([responses[1]![1]['ids'], responses[3]![1]['ids']]).toEqual([[id], []]);
  });

  // @requirement 8620 §5.3 set-if-in-state
  // @requirement 8620 §3.6.2 no-change-on-error
  test('fails with stateMismatch for another ifInState, and changes nothing', async () => {
    expect(await set({ ifInState: `${await stateNow()}0`, update: { [id]: { keywords: {} } } })).toMatchObject({ type: 'stateMismatch' });
    expect((await get())['keywords']).toEqual({ $seen: true, project: true });
  });

  // @pitfall set if-in-state
  test('compares ifInState with the newest state when another commit precedes', async () => {
    const state = await stateNow();
    const commit = deployment.store.commit.bind(deployment.store);
    deployment.store.commit = async (view, plan) => {
      deployment.store.commit = commit;
      const row = emailsOf(view).get(id)!;
      const otherView = (await deployment.store.open('acc_alice'))!;
      await commit(otherView, () => mailCommit({ updateEmails: [{ ...row, keywords: ['$other'] }] }));
      return commit((await deployment.store.open('acc_alice'))!, plan);
    };
    expect(await set({ ifInState: state, update: { [id]: { keywords: {} } } })).toMatchObject({ type: 'stateMismatch' });
    expect((await get())['keywords']).toEqual({ $other: true });
  });

  test('oldState is null when another commit is between the commits of a large call', async () => {
    const many: string[] = [];
    for (let index = 0; index < 250; index += 1) many.push(await deployment.deliver());
    const write = deployment.mail.write.bind(deployment.mail);
    let commits = 0;
    deployment.mail.write = async (writes) => {
      await write(writes);
      if (++commits === 1) await deployment.deliver({ id: 'between' });
    };
    const { oldState, newState, updated } = await set({ update: Object.fromEntries(many.map((emailId) => [emailId, { 'keywords/$seen': true }])) });
    expect([Object.keys(updated).length, oldState, newState]).toEqual([250, null, await stateNow()]);
  });

  // @requirement 8620 §5.3 set-updated
  test('returns keywords that were normalized', async () => {
    expect((await update({ keywords: { $SEEN: true } }))['updated']).toEqual({ [id]: { keywords: { $seen: true } } });
  });

  test('updates and destroys 500 Emails in a call', async () => {
    const many: string[] = [];
    for (let index = 0; index < 500; index += 1) many.push(await deployment.deliver());
    const { updated, notUpdated } = await set({ update: Object.fromEntries(many.map((emailId) => [emailId, { 'keywords/$seen': true }])) });
    expect([Object.keys(updated).length, notUpdated]).toEqual([500, null]);
    const { total } = await deployment.call('Email/query', { filter: { notKeyword: '$seen' }, calculateTotal: true });
    expect(total).toBe(0);
    expect((await set({ destroy: many }))['destroyed']).toHaveLength(500);
  });
});
