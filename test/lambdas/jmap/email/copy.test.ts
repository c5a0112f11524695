import { coreLimits } from '../../../../contract/jmap/core.ts';
import { emailIdOf } from '../../../../core/mail/email/blob-id.ts';
import { objectKeys } from '../../../../core/storage/object-keys.ts';
import { beforeNextWrite } from '../../../support/before-next-write.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

const deployment = jmapDeploymentPerTest();
let inbox: string;
let original: string;
/** Permits Alice to write into Bob's account, from which she copies Emails into hers. */
beforeEach(async () => {
  await deployment.addMember('alice', 'acc_bob', 'WRITE', false);
  inbox = (await deployment.roles())['inbox']!;
  original = await deployment.deliver({ id: 'one', accountId: 'acc_bob', subject: 'Plan', keywords: ['$flagged'], receivedAt: Date.UTC(2026, 1, 2) });
});

const copyArguments = (create: Json, more: Json = {}): Json => ({ fromAccountId: 'acc_bob', accountId: 'acc_alice', create, ...more });
const copy = (create: Json, more: Json = {}, options = {}) => deployment.call('Email/copy', copyArguments(create, more), options);
const toInbox = (id: string, more: Json = {}): Json => ({ id, mailboxIds: { [inbox]: true }, ...more });
const get = async (id: string, properties: readonly string[], accountId = 'acc_alice'): Promise<Json> =>
  (await deployment.call('Email/get', { accountId, ids: [id], properties }))['list'][0] as Json;
const total = async (accountId: string): Promise<number> => (await deployment.call('Email/query', { accountId, calculateTotal: true }))['total'] as number;
const ofType = (type: string, more: Json = {}): unknown => expect.objectContaining({ type, description: expect.any(String) as string, ...more });
const failureOf = async (create: Json): Promise<Json> => {
  const { created, notCreated } = await copy({ c: create });
  expect([created, await total('acc_alice')]).toEqual([null, 0]);
  return notCreated.c as Json;
};

describe('Email/copy', () => {
  // @requirement 8621 §4.7 copy-response
  test('copies an Email with its message, keywords and receivedAt into mailboxes of the other account', async () => {
    const { fromAccountId, accountId, oldState, newState, created, notCreated } = await copy({ c: toInbox(original) });
    const { id, blobId, threadId, size, ...rest } = created.c as Record<string, string>;
    expect([fromAccountId, accountId, notCreated, rest, id === original, oldState === newState]).toEqual(['acc_bob', 'acc_alice', null, {}, false, false]);
    expect(await get(id!, ['blobId', 'threadId', 'size', 'subject', 'mailboxIds', 'keywords', 'receivedAt', 'sentAt', 'preview'])).toEqual({
      id,
      blobId,
      threadId,
      size,
      subject: 'Plan',
      mailboxIds: { [inbox]: true },
      keywords: { $flagged: true },
      receivedAt: '2026-02-02T00:00:00Z',
      sentAt: '2026-11-21T08:38:00+01:00',
      preview: 'Hello from one.',
    });
    const messageOf = async (account: string, emailId: string) => (await deployment.objects.get(objectKeys.message(account, emailId.slice(1))))!.bytes;
    expect(await messageOf('acc_alice', id!)).toEqual(await messageOf('acc_bob', original));
    expect(await total('acc_bob')).toBe(1);
  });

  // @requirement 8620 §5.4 copy-overrides
  test('sets keywords and receivedAt instead of the original’s', async () => {
    const { created } = await copy({ c: toInbox(original, { keywords: { Work: true }, receivedAt: '2001-02-03T04:05:06Z' }) });
    expect(await get(created.c.id as string, ['keywords', 'receivedAt'])).toMatchObject({ keywords: { work: true }, receivedAt: '2001-02-03T04:05:06Z' });
  });

  test('puts a copy into the Thread that its account has, and copies of one Thread into one Thread', async () => {
    const reply = await deployment.deliver({ id: 'reply', accountId: 'acc_bob', subject: 'Re: Plan', references: 'one' });
    const known = await deployment.deliver({ id: 'known', subject: 'Re: Plan', references: 'one' });
    const { created } = await copy({ a: toInbox(reply), b: toInbox(original) });
    const { threadId } = await get(known, ['threadId']);
    expect([created.a.threadId, created.b.threadId]).toEqual([threadId, threadId]);
  });

  test('creates another copy when the first copy is destroyed concurrently, and sends no transaction twice', async () => {
    const { first, sent } = beforeNextWrite(deployment, async () => {
      const { id } = (await copy({ c: toInbox(original) }))['created'].c as { id: string };
      await deployment.call('Email/set', { destroy: [id] });
      return id;
    });
    const { created, notCreated } = await copy({ c: toInbox(original) });
    expect([notCreated, created?.c.id === (await first), await total('acc_alice')]).toEqual([null, false, 1]);
    expect(new Set(sent).size).toBe(sent.length);
  });

  // @requirement 8620 §5.4 copy-destroy-original
  test('with onSuccessDestroyOriginal is followed by an Email/set that destroys the originals, under the same call id', async () => {
    const other = await deployment.deliver({ id: 'two', accountId: 'acc_bob' });
    const responses = await deployment.perform([
      ['Email/copy', copyArguments({ a: toInbox(original), b: { id: other } }, { onSuccessDestroyOriginal: true }), 'x'],
      ['Email/query', { accountId: 'acc_bob' }, 'y'],
    ]);
    expect(responses.map(([name, , id]) => [name, id])).toEqual([
      ['Email/copy', 'x'],
      ['Email/set', 'x'],
      ['Email/query', 'y'],
    ]);
    expect(responses[1]![1]).toMatchObject({ accountId: 'acc_bob', destroyed: [original], notDestroyed: null });
    expect(responses[2]![1]['ids']).toEqual([other]);
  });

  test('makes no Email/set when nothing was copied, when the copy fails, or without a request for it', async () => {
    const names = async (more: Json) => (await deployment.perform([['Email/copy', copyArguments({ a: { id: original } }, more), 'x']])).map(([name]) => name);
    expect(await names({ onSuccessDestroyOriginal: true })).toEqual(['Email/copy']);
    expect(await names({ onSuccessDestroyOriginal: true, ifInState: 'Email-99' })).toEqual(['error']);
    expect(await names({ create: { a: toInbox(original) } })).toEqual(['Email/copy']);
    expect(await total('acc_bob')).toBe(1);
  });

  test('passes destroyFromIfInState to the Email/set, whose failure leaves the copy', async () => {
    const responses = await deployment.perform([
      ['Email/copy', copyArguments({ a: toInbox(original) }, { onSuccessDestroyOriginal: true, destroyFromIfInState: 'Email-99' }), 'x'],
    ]);
    expect(responses.map(([name, args, id]) => [name, args['type'], id])).toEqual([
      ['Email/copy', undefined, 'x'],
      ['error', 'stateMismatch', 'x'],
    ]);
    expect([await total('acc_alice'), await total('acc_bob')]).toEqual([1, 1]);
  });

  test('cannot destroy originals of an account that may only be read', async () => {
    await deployment.addMember('alice', 'acc_bob', 'READ', false);
    const responses = await deployment.perform([['Email/copy', copyArguments({ a: toInbox(original) }, { onSuccessDestroyOriginal: true }), 'x']]);
    expect(responses.map(([name, args]) => [name, args['type']])).toEqual([
      ['Email/copy', undefined],
      ['error', 'accountReadOnly'],
    ]);
  });

  // @requirement 8620 §5.4 copy-already-exists
  test('of the same Email again is alreadyExists with the id of the copy, until the copy is destroyed', async () => {
    const { created } = await copy({ c: toInbox(original) });
    const { id } = created.c as { id: string };
    expect((await copy({ c: toInbox(original), d: toInbox(original) }))['notCreated']).toEqual({
      c: ofType('alreadyExists', { existingId: id }),
      d: ofType('alreadyExists', { existingId: id }),
    });
    await deployment.call('Email/set', { destroy: [id] });
    expect((await copy({ c: toInbox(original) }))['created'].c.id).not.toBe(id);
  });

  test('opens both accounts in the same trip', async () => {
    await copy({ c: toInbox(original) });
    const again = copyArguments({ c: toInbox(original) });
    expect(await deployment.tripsOf(() => deployment.call('Email/copy', again))).toBeLessThanOrEqual(4);
    const one = await deployment.tripsOf(() => deployment.call('Email/get', { ids: [] }));
    expect(await deployment.tripsOf(() => deployment.call('Email/copy', copyArguments({})))).toBe(one);
  });

  test('resolves creation ids of originals and mailboxes, and later calls name the copy', async () => {
    const responses = await deployment.perform([
      ['Mailbox/set', { accountId: 'acc_alice', create: { box: { name: 'Copies' } } }, '0'],
      ['Email/copy', copyArguments({ c: { id: original, mailboxIds: { '#box': true } } }), '1'],
      ['Email/set', { accountId: 'acc_alice', update: { '#c': { 'keywords/$seen': true } } }, '2'],
    ]);
    expect(responses[2]![1]['notUpdated']).toBeNull();
    expect(await get(responses[1]![1]['created'].c.id as string, ['mailboxIds', 'keywords'])).toMatchObject({
      mailboxIds: { [responses[0]![1]['created'].box.id as string]: true },
      keywords: { $seen: true, $flagged: true },
    });
  });
});

describe('Email/copy refuses', () => {
  // @requirement 8621 §4.7 copy-properties
  // @requirement 8620 §5.4 copy-atomic
  test.each([
    ['without an id', ['id'], { id: undefined }],
    ['with an id that is no Id', ['id'], { id: 5 }],
    ['without mailboxIds', ['mailboxIds'], { mailboxIds: undefined }],
    ['in no mailbox', ['mailboxIds'], { mailboxIds: {} }],
    ['in a mailbox that does not exist', ['mailboxIds'], { mailboxIds: { none: true } }],
    ['with another subject', ['subject'], { subject: 'x' }],
    ['with an unknown property', ['nothing'], { nothing: 1 }],
    ['with keywords that are null', ['keywords'], { keywords: null }],
    ['with a receivedAt that is no date', ['receivedAt'], { receivedAt: 'now' }],
  ])('a copy %s, with invalidProperties', async (_title, properties, more) => {
    expect(await failureOf({ ...toInbox(original), ...more })).toEqual(ofType('invalidProperties', { properties }));
  });

  // @requirement 8620 §5.4 copy-not-found
  test('an original that does not exist in its account, with notFound', async () => {
    expect(await failureOf(toInbox(emailIdOf('x'.repeat(22))))).toEqual(ofType('notFound'));
  });

  // @requirement 8620 §5.4 copy-same-account
  // @pitfall error copy-within-account
  test('a copy within one account, with invalidArguments', async () => {
    expect(await copy({ c: toInbox(original) }, { fromAccountId: 'acc_alice' })).toMatchObject({ type: 'invalidArguments' });
  });

  // @requirement 8620 §5.4 copy-from-not-found
  test('an account of others as the source, with fromAccountNotFound, and as the target, with accountNotFound', async () => {
    expect(await copy({ c: toInbox(original) }, { fromAccountId: 'acc_none' })).toMatchObject({ type: 'fromAccountNotFound' });
    expect(await copy({ c: toInbox(original) }, { accountId: 'acc_none' })).toMatchObject({ type: 'accountNotFound' });
    await deployment.directory.write([{ delete: { pk: 'member#alice', sk: 'acc_bob' } }]);
    expect(await copy({ c: toInbox(original) })).toMatchObject({ type: 'fromAccountNotFound' });
  });

  test('a target that the caller may only read, with accountReadOnly', async () => {
    expect(await copy({ c: toInbox(original) }, {}, { token: 'bob' })).toMatchObject({ type: 'accountReadOnly' });
    expect(await copy({ c: toInbox(original) }, {}, { token: 'reader' })).toMatchObject({ type: 'forbidden' });
  });

  // @requirement 8620 §5.4 copy-states
  test.each(['ifInState', 'ifFromInState'])('a call whose %s is not the current state, with stateMismatch', async (argument) => {
    const accountId = argument === 'ifInState' ? 'acc_alice' : 'acc_bob';
    const { state } = await deployment.call('Email/get', { accountId, ids: [] });
    expect(await copy({ c: toInbox(original) }, { [argument]: 'Email-99' })).toMatchObject({ type: 'stateMismatch' });
    expect((await copy({ c: toInbox(original) }, { [argument]: state }))['notCreated']).toBeNull();
  });

  test('more records than maxObjectsInSet, with requestTooLarge', async () => {
    const create = Object.fromEntries(Array.from({ length: coreLimits.maxObjectsInSet + 1 }, (_, i) => [`c${i}`, {}]));
    expect(await copy(create)).toMatchObject({ type: 'requestTooLarge' });
  });
});
