import { capability, unadvertisedLimits } from '../../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../../contract/jmap/data-type.ts';
import { recordType } from '../../../../contract/jmap/record.ts';
import { plainStoredType, storedTypeTable } from '../../../../core/account-log/records/stored-type.ts';
import { mailRemovalIn } from '../../../../core/mail/mail-store/mail-removal.ts';
import { storedTypes } from '../../../../core/mail/mail-store/stored-types.ts';
import { mailStore } from '../../../../core/mail/mail-store/table-mail-store.ts';
import { methods } from '../../../../lambdas/jmap/methods.ts';
import { principalMethod } from '../../../../lambdas/jmap/request/method.ts';
import { plainBehaviour } from '../../../../lambdas/jmap/request/plain-records.ts';
import { standardMethods } from '../../../../lambdas/jmap/request/standard-methods.ts';
import { notifierInMemory } from '../../../support/notifier.ts';
import { jmapDeployment } from '../jmap-deployment.ts';

/** The contract of a type for this test, with two properties. One refers to a Mailbox. */
const note = recordType({
  name: 'Note',
  capability: capability.mail,
  methods: ['get', 'changes', 'query', 'queryChanges', 'set', 'copy'],
  properties: {
    id: { type: 'Id', immutable: true, serverSet: true },
    text: { type: 'String', default: '' },
    mailboxId: { type: { orNull: 'Id' }, default: null, refersTo: 'Mailbox' },
  },
  filters: { mailboxId: { type: { orNull: 'Id' } }, text: { type: 'String' } },
  sorts: { text: {} },
});
/** The entry of the type in the registry of stored types, and in the registry of methods. */
const typesWithNote = storedTypeTable([...storedTypes.values(), plainStoredType(note)]);
const methodsWithNote = new Map([...methods, ...standardMethods(note, plainBehaviour(note))]);

describe('a record type with a contract and two registry lines', () => {
  let deployment: Awaited<ReturnType<typeof jmapDeployment>>;
  let call: (method: string, args?: JsonObject) => Promise<JsonObject>;
  let inbox: string;
  beforeEach(async () => {
    deployment = await jmapDeployment({ types: typesWithNote, methods: methodsWithNote });
    call = async (method, args = {}) => {
      const { body } = await deployment.request({ using: [capability.mail], methodCalls: [[method, { accountId: 'acc_alice', ...args }, 'c']] });
      return (body['methodResponses'] as [[string, JsonObject]])[0][1];
    };
    inbox = ((await call('Mailbox/query', { filter: { role: 'inbox' } }))['ids'] as string[])[0]!;
  });
  const create = async (...notes: JsonObject[]) => {
    const { created, notCreated } = await call('Note/set', { create: Object.fromEntries(notes.map((properties, i) => [`n${i}`, properties])) });
    expect(notCreated).toBeNull();
    return notes.map((_, i) => (created as Record<string, { id: string }>)[`n${i}`]!.id);
  };

  test('is copied between accounts, with the properties that the call sets, and the original destroyed when asked', async () => {
    await deployment.addMember('alice', 'acc_bob', 'WRITE', false);
    const [id] = await create({ text: 'Call Bob', mailboxId: inbox });
    const inBob = { accountId: 'acc_bob', fromAccountId: 'acc_alice' };
    expect(await call('Note/copy', { ...inBob, create: { a: { id }, b: { id: 'none' }, c: { id, mailboxId: null, more: 1 } } })).toMatchObject({
      created: null,
      notCreated: {
        a: { type: 'invalidProperties', properties: ['mailboxId'] },
        b: { type: 'notFound' },
        c: { type: 'invalidProperties', properties: ['more'] },
      },
    });
    const { created } = await call('Note/copy', { ...inBob, create: { a: { id, mailboxId: null } }, onSuccessDestroyOriginal: true });
    const copy = (created as Record<string, { id: string }>)['a']!.id;
    expect(await call('Note/get', { accountId: 'acc_bob' })).toMatchObject({ list: [{ id: copy, text: 'Call Bob', mailboxId: null }] });
    expect(await call('Note/get')).toMatchObject({ list: [] });
  });

  test('is created, read, updated and destroyed, with its defaults', async () => {
    const [id] = await create({ text: 'Call Bob' });
    expect(await call('Note/get')).toMatchObject({ list: [{ id, text: 'Call Bob', mailboxId: null }], notFound: [] });
    expect(await call('Note/set', { update: { [id!]: { mailboxId: inbox, text: null } } })).toMatchObject({ updated: { [id!]: null } });
    expect(await call('Note/get', { ids: [id, 'none'], properties: ['mailboxId', 'text'] })).toMatchObject({
      list: [{ id, mailboxId: inbox, text: '' }],
      notFound: ['none'],
    });
    expect(await call('Note/set', { destroy: [id] })).toMatchObject({ destroyed: [id] });
    expect(await call('Note/get')).toMatchObject({ list: [] });
  });

  test('refuses a reference to a Mailbox that does not exist, an unknown property, and a value of another type', async () => {
    const { created, notCreated } = await call('Note/set', {
      create: { a: { mailboxId: 'none' }, b: { colour: 'red' }, c: { text: 1 }, d: { text: 'good', mailboxId: inbox } },
    });
    expect(Object.keys(created as object)).toEqual(['d']);
    expect(notCreated).toMatchObject({
      a: { type: 'invalidProperties', properties: ['mailboxId'] },
      b: { type: 'invalidProperties', properties: ['colour'] },
      c: { type: 'invalidProperties', properties: ['text'] },
    });
  });

  test('keeps a reference to a Mailbox that was destroyed, and can still be updated', async () => {
    const { created } = await call('Mailbox/set', { create: { m: { name: 'Projects' } } });
    const mailboxId = (created as { m: { id: string } }).m.id;
    const [id] = await create({ text: 'a', mailboxId });
    expect(await call('Mailbox/set', { destroy: [mailboxId] })).toMatchObject({ destroyed: [mailboxId] });
    expect(await call('Note/set', { update: { [id!]: { text: 'b' } } })).toMatchObject({ updated: { [id!]: null }, notUpdated: null });
    expect(await call('Note/get')).toMatchObject({ list: [{ id, text: 'b', mailboxId }] });
    expect(await call('Note/set', { update: { [id!]: { mailboxId } } })).toMatchObject({ notUpdated: { [id!]: { type: 'invalidProperties' } } });
  });

  test('has its own state, which changes of other types do not change', async () => {
    const before = (await call('Note/get'))['state'] as string;
    const [first, second] = await create({ text: 'a' }, { text: 'b' });
    const after = (await call('Note/get'))['state'] as string;
    expect(await call('Note/changes', { sinceState: before })).toMatchObject({
      oldState: before,
      newState: after,
      created: expect.arrayContaining([first, second]),
      updated: [],
      destroyed: [],
    });
    await call('Note/set', { update: { [first!]: { text: 'c' } }, destroy: [second] });
    expect(await call('Note/changes', { sinceState: after })).toMatchObject({ created: [], updated: [first], destroyed: [second] });
    const { state } = await call('Note/get');
    await deployment.deliver();
    expect((await call('Note/get'))['state']).toBe(state);
    expect((await call('Mailbox/get'))['state']).not.toBe(state);
  });

  test('is queried by its filters and sorts, and has /queryChanges', async () => {
    const ids = await create({ text: 'b', mailboxId: inbox }, { text: 'a', mailboxId: inbox }, { text: 'c' });
    const [b, a, c] = ids;
    expect(await call('Note/query', { sort: [{ property: 'text' }], calculateTotal: true })).toMatchObject({ ids: [a, b, c], total: 3 });
    expect(await call('Note/query', { filter: { mailboxId: inbox }, sort: [{ property: 'text', isAscending: false }] })).toMatchObject({ ids: [b, a] });
    expect(await call('Note/query', { filter: { operator: 'NOT', conditions: [{ mailboxId: inbox }] } })).toMatchObject({ ids: [c] });
    expect(await call('Note/query', { filter: { colour: 'red' } })).toMatchObject({ type: 'unsupportedFilter' });
    expect(await call('Note/query', { sort: [{ property: 'mailboxId' }] })).toMatchObject({ type: 'unsupportedSort' });
    const byText = { filter: { operator: 'NOT', conditions: [{ text: 'b' }] }, sort: [{ property: 'text' }] };
    const { queryState, canCalculateChanges } = await call('Note/query', byText);
    expect(canCalculateChanges).toBe(true);
    await call('Note/set', { update: { [b!]: { text: 'd' }, [c!]: { mailboxId: inbox } } });
    const [first] = await create({ text: '0' });
    expect(await call('Note/queryChanges', { ...byText, sinceQueryState: queryState })).toMatchObject({
      removed: [b, c],
      added: [
        { id: first, index: 0 },
        { id: c, index: 2 },
        { id: b, index: 3 },
      ],
    });
  });

  test('has typed additional properties of a Comparator, and may find the matching records asynchronously', async () => {
    const sorted = recordType({
      ...note,
      sorts: { nearest: { properties: ['text'], arguments: { to: { type: 'UnsignedInt' }, unit: { type: 'String', default: 'm' } } } },
    });
    const asked: unknown[] = [];
    const behaviour = { ...plainBehaviour(note), query: { matchingIds: async (...[, , sort]: [unknown, unknown, unknown]) => (asked.push(sort), ['N1']) } };
    deployment = await jmapDeployment({ types: typesWithNote, methods: new Map([...methods, ...standardMethods(sorted, behaviour as never)]) });
    const queryBy = (comparator: JsonObject) => call('Note/query', { sort: [{ property: 'nearest', ...comparator }] });
    expect(await queryBy({ to: 7 })).toMatchObject({ ids: ['N1'] });
    expect(asked).toMatchObject([[{ property: 'nearest', isAscending: true, arguments: { to: 7, unit: 'm' } }]]);
    expect(await queryBy({ to: 7, from: 1 })).toMatchObject({ ids: ['N1'] });
    expect(asked[1]).toEqual(asked[0]);
    for (const wrong of [{}, { to: -1 }, { to: null }, { to: 7, unit: 1 }]) {
      expect(await queryBy(wrong)).toMatchObject({ type: 'invalidArguments' });
    }
  });

  test('fails with tooManyChanges when a query has more changes than one response has', async () => {
    const affected = (count: number) => ({
      ...plainBehaviour(note),
      query: { matchingIds: () => ['N0'], affectedBy: () => Array.from({ length: count }, (_, i) => `N${i}`) },
    });
    const changesWith = async (count: number) => {
      deployment = await jmapDeployment({ types: typesWithNote, methods: new Map([...methods, ...standardMethods(note, affected(count) as never)]) });
      return call('Note/queryChanges', { sinceQueryState: 'Note-0' });
    };
    const { maxChangesInQueryChanges } = unadvertisedLimits;
    expect(await changesWith(maxChangesInQueryChanges)).toMatchObject({
      type: 'tooManyChanges',
      description: expect.stringContaining('maxChangesInQueryChanges'),
    });
    expect((await changesWith(maxChangesInQueryChanges - 1))['removed']).toHaveLength(maxChangesInQueryChanges - 1);
  });

  test('is read by a Lambda that opens the account for the first time', async () => {
    const [id] = await create({ text: 'kept', mailboxId: inbox });
    const other = await jmapDeployment({ types: typesWithNote, methods: methodsWithNote, mail: deployment.mail });
    const { body } = await other.request({ using: [capability.mail], methodCalls: [['Note/get', { accountId: 'acc_alice' }, 'c']] });
    expect((body['methodResponses'] as [[string, JsonObject]])[0][1]).toMatchObject({ list: [{ id, text: 'kept', mailboxId: inbox }] });
  });

  test('has its changes pushed to clients that subscribe to all types, and not to clients that subscribe to others', async () => {
    const notifier = notifierInMemory();
    const store = mailStore({ table: notifier.mail, types: typesWithNote });
    await store.createAccount('acc_1');
    await notifier.person('user_1');
    await notifier.directory.write([{ put: { pk: 'account-member#acc_1', sk: 'user_1', role: 'ADMIN' } }]);
    const upToNow = { notifiedUpTo: new Map([['acc_1', 1]]) };
    await notifier.socket('user_1', 'all', upToNow);
    await notifier.socket('user_1', 'emails', { ...upToNow, dataTypes: ['Email'] });
    notifier.takeStreamRecords();
    await store.commit((await store.open('acc_1'))!, () => ({ records: { Note: { put: [{ id: 'N1', text: 'new', mailboxId: null }] } } }) as never);
    await notifier.run(notifier.takeStreamRecords());
    expect(notifier.webSocketSender.received('all').map((frame) => JSON.parse(frame) as JsonObject)).toMatchObject([
      { '@type': 'StateChange', changed: { acc_1: { Note: 'Note-2' } } },
    ]);
    expect(notifier.webSocketSender.received('emails')).toEqual([]);
  });

  test('is removed with its account', async () => {
    await create({ text: 'x' });
    await mailRemovalIn(deployment.mail, typesWithNote).removeSome('acc_alice', 1000);
    expect(await deployment.mail.query({ pk: 'acc_alice#note' })).toEqual([]);
  });
});

describe('a custom method', () => {
  const countNotes = {
    name: 'Note/count',
    capability: capability.mail,
    permission: 'MAIL_READ',
    arguments: { accountId: { type: 'Id' }, text: { type: { orNull: 'String' } } },
  } as const;
  const withCount = recordType({ ...note, methods: [...note.methods, countNotes] });

  test('is called with decoded arguments and the open account', async () => {
    const behaviour = {
      ...plainBehaviour(note),
      'Note/count': (
        { text }: { text: string | null },
        { accountId, view }: { accountId: string; view: { index(type: { name: string }): { size: number } } },
      ) => ({ accountId, text, count: view.index({ name: 'Note' }).size }),
    };
    const deployment = await jmapDeployment({ types: typesWithNote, methods: new Map([...methods, ...standardMethods(withCount, behaviour as never)]) });
    const calls = async (...methodCalls: JsonObject[]) => {
      const { body } = await deployment.request({ using: [capability.mail], methodCalls: methodCalls.map((args) => ['Note/count', args, 'c']) });
      return (body['methodResponses'] as [string, JsonObject][]).map(([, answer]) => answer);
    };
    expect(await calls({ accountId: 'acc_alice' }, { accountId: 'acc_none' }, { accountId: 'acc_alice', text: 1 }, {})).toMatchObject([
      { accountId: 'acc_alice', text: null, count: 0 },
      { type: 'accountNotFound' },
      { type: 'invalidArguments' },
      { type: 'invalidArguments' },
    ]);
  });

  test('is called without an account when it has no accountId', async () => {
    const hello = principalMethod({ capability: capability.mail, arguments: { name: { type: 'String', default: 'you' } } }, ({ name }) => ({ hello: name }));
    const deployment = await jmapDeployment({ methods: new Map([...methods, ['Test/hello', hello]]) });
    const { body } = await deployment.request({ using: [capability.mail], methodCalls: [['Test/hello', {}, 'c']] });
    expect(body['methodResponses']).toEqual([['Test/hello', { hello: 'you' }, 'c']]);
  });
});
