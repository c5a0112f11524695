import { coreLimits, emailLimits, unadvertisedLimits } from '../../../../contract/jmap/core.ts';
import { removeUnusedMessages, type StoredMessageKeys } from '../../../../core/blobs/unused-messages.ts';
import { referenceItem, referenceKey } from '../../../../core/mail/email/email-content.ts';
import { baseSubject } from '../../../../core/mime/base-subject.ts';
import { objectKeys } from '../../../../core/storage/object-keys.ts';
import { beforeNextWrite } from '../../../support/before-next-write.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

const deployment = jmapDeploymentPerTest();
let inbox: string;
beforeEach(async () => {
  inbox = (await deployment.roles())['inbox']!;
});

type MessageOptions = { readonly subject?: string; readonly fields?: readonly string[]; readonly body?: string };
const message = (id: string, { subject = `Subject of ${id}`, fields = [], body = `Text of ${id}.` }: MessageOptions = {}): Buffer =>
  Buffer.from(
    [
      ...fields,
      'From: Sender <sender@example.net>',
      `Subject: ${subject}`,
      `Message-ID: <${id}@example.net>`,
      'Date: Sat, 21 Nov 2026 08:38:00 +0100',
      '',
      body,
      '',
    ].join('\r\n'),
  );
/** An EmailImport object for a message in the inbox. */
const importOf = async (content: Buffer, more: Json = {}): Promise<Json> => ({
  blobId: await deployment.upload(content),
  mailboxIds: { [inbox]: true },
  ...more,
});
const importAll = (emails: Json, more: Json = {}) => deployment.call('Email/import', { emails, ...more });
const get = async (id: string, properties: readonly string[]): Promise<Json> =>
  (await deployment.call('Email/get', { ids: [id], properties }))['list'][0] as Json;
const total = async (): Promise<number> => (await deployment.call('Email/query', { calculateTotal: true }))['total'] as number;
const messageObjects = () => deployment.objects.keys().filter((key) => key.startsWith('messages/'));
const failureOf = async (emailImport: Json): Promise<Json> => {
  const { created, notCreated } = await importAll({ a: emailImport });
  expect([created, await total(), messageObjects()]).toEqual([{}, 0, []]);
  return notCreated.a as Json;
};
const ofType = (type: string, more: Json = {}): unknown => expect.objectContaining({ type, description: expect.any(String) as string, ...more });

describe('Email/import', () => {
  // @requirement 8621 §4.8 import-response
  test('creates an Email from an upload, with id, blobId, threadId and size in the response', async () => {
    const content = message('one');
    const { accountId, oldState, newState, created, notCreated } = await importAll({ a: await importOf(content) });
    const { id, blobId, threadId, size, ...rest } = created.a as Record<string, string>;
    expect([accountId, notCreated, size, rest]).toEqual(['acc_alice', {}, content.length, {}]);
    const { state, list } = await deployment.call('Email/get', { ids: [id], properties: ['blobId', 'threadId', 'size', 'subject', 'mailboxIds'] });
    expect(list).toEqual([{ id, blobId, threadId, size, subject: 'Subject of one', mailboxIds: { [inbox]: true } }]);
    expect([oldState === newState, newState]).toEqual([false, state]);
    expect((await deployment.objects.get(objectKeys.message('acc_alice', blobId!.slice(1))))!.bytes).toEqual(content);
    expect((await deployment.call('Email/changes', { sinceState: oldState }))['created']).toEqual([id]);
    expect((await deployment.call('Mailbox/get', { ids: [inbox] }))['list'][0]).toMatchObject({ totalEmails: 1, unreadEmails: 1 });
  });

  test('imports a message of an Email, and an attached message with its transfer encoding decoded', async () => {
    const inner = message('inner');
    const outer = await deployment.deliver({
      raw: [
        'From: a@example.net',
        'MIME-Version: 1.0',
        'Content-Type: multipart/mixed; boundary=x',
        '',
        '--x',
        'Content-Type: message/rfc822',
        'Content-Transfer-Encoding: base64',
        '',
        inner.toString('base64'),
        '--x--',
        '',
      ].join('\n'),
    });
    const { blobId, attachments } = await get(outer, ['blobId', 'attachments']);
    const { created } = await importAll({
      whole: { blobId, mailboxIds: { [inbox]: true } },
      part: { blobId: attachments[0].blobId as string, mailboxIds: { [inbox]: true } },
    });
    expect(created.whole.id).not.toBe(outer);
    expect(await get(created.part.id as string, ['subject', 'size'])).toMatchObject({ subject: 'Subject of inner', size: inner.length });
  });

  // @requirement 8621 §4.8 import-received-at
  test('takes receivedAt from the import, else from the newest Received field, else the time of the import', async () => {
    const received = ['Received: from b by c (x;y); Sat, 21 Nov 2026 10:00:00 +0100 (CET)', 'Received: from a by b; Sat, 21 Nov 2026 07:00:00 +0000'];
    const { created } = await importAll({
      given: await importOf(message('1', { fields: received }), { receivedAt: '2001-02-03T04:05:06Z' }),
      field: await importOf(message('2', { fields: ['Received: no date', ...received] })),
      now: await importOf(message('3', { fields: ['Received: from a by b'] })),
    });
    const times = await Promise.all(
      ['given', 'field', 'now'].map(async (name) => (await get(created[name].id as string, ['receivedAt']))['receivedAt'] as string),
    );
    expect(times).toEqual(['2001-02-03T04:05:06Z', '2026-11-21T09:00:00Z', deployment.now().toISOString().replace('.000Z', 'Z')]);
  });

  test('sets keywords in lower case, and resolves creation ids of mailboxes; later calls name the Email by its creation id', async () => {
    const responses = await deployment.perform([
      ['Mailbox/set', { accountId: 'acc_alice', create: { box: { name: 'Imported' } } }, '0'],
      [
        'Email/import',
        {
          accountId: 'acc_alice',
          emails: { mail: { blobId: await deployment.upload(message('one')), mailboxIds: { '#box': true }, keywords: { $Seen: true, Work: true } } },
        },
        '1',
      ],
      ['Email/set', { accountId: 'acc_alice', update: { '#mail': { 'keywords/$flagged': true } } }, '2'],
    ]);
    const [box, { id }] = [responses[0]![1]['created'].box.id as string, responses[1]![1]['created'].mail as { id: string }];
    expect(await get(id, ['mailboxIds', 'keywords'])).toEqual({ id, mailboxIds: { [box]: true }, keywords: { $seen: true, $flagged: true, work: true } });
  });

  test('puts a message into the Thread of an Email that it answers', async () => {
    const first = await deployment.deliver({ id: 'root', subject: 'Plan' });
    const { created } = await importAll({
      reply: await importOf(message('reply', { subject: 'Re: Plan', fields: ['In-Reply-To: <root@example.net>'] })),
      other: await importOf(message('other', { subject: 'Re: Plan' })),
    });
    const { threadId } = await get(first, ['threadId']);
    expect([created.reply.threadId === threadId, created.other.threadId === threadId]).toEqual([true, false]);
  });

  test('makes one Thread with deliveries of the same Thread at the same time', async () => {
    const reply = (id: string) => message(id, { subject: 'Re: Plan', fields: ['In-Reply-To: <root@example.net>'] });
    const emails = { a: await importOf(reply('a')), b: await importOf(reply('b')) };
    const [{ created }, ...delivered] = await Promise.all([
      importAll(emails),
      ...['c', 'd', 'e'].map((id) => deployment.deliver({ id, subject: 'Re: Plan', references: 'root' })),
    ]);
    const threads = await Promise.all(delivered.map(async (id) => (await get(id, ['threadId']))['threadId'] as string));
    expect(new Set([created.a.threadId, created.b.threadId, ...threads]).size).toBe(1);
  });

  test('changes the states of Email, Thread, Mailbox and EmailDelivery, which are pushed', async () => {
    const types = ['Email', 'Thread', 'Mailbox', 'EmailDelivery'];
    const states = async (): Promise<string[]> => {
      const view = (await deployment.store.open('acc_alice'))!;
      return types.map((type) => view.state(type));
    };
    const before = await states();
    await importAll({ a: await importOf(message('one')) });
    const after = await states();
    expect(after.filter((state, index) => state === before[index])).toEqual([]);
  });

  test('is one commit for 20 Emails, and puts messages of one new Thread into one Thread', async () => {
    const emails = Object.fromEntries(
      await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          const fields = i < 19 ? [`References: <m${i + 1}@example.net>`] : [];
          return [`c${i}`, await importOf(message(`m${i}`, { subject: 'Re: Plan', fields }))];
        }),
      ),
    );
    const before = (await deployment.store.open('acc_alice'))!.sequence;
    const { created } = await importAll(emails);
    expect((await deployment.store.open('acc_alice'))!.sequence).toBe(before + 1);
    expect(new Set(Object.values(created as Record<string, Json>).map(({ threadId }) => threadId as string)).size).toBe(1);
  });

  // @requirement 8621 §4.8 import-already-exists
  test('of the same octets again is alreadyExists with the id of the Email, so that a client may repeat it', async () => {
    const emails = { a: await importOf(message('one')), b: await importOf(message('one')) };
    const first = await importAll(emails);
    const { id } = first['created'].a as { id: string };
    expect(first['notCreated']).toEqual({ b: ofType('alreadyExists', { existingId: id }) });
    const { oldState, newState, created, notCreated } = await importAll(emails);
    expect([created, Object.keys(notCreated), newState]).toEqual([{}, ['a', 'b'], oldState]);
    expect(notCreated.a).toEqual(ofType('alreadyExists', { existingId: id }));
    expect([await total(), messageObjects().length]).toEqual([1, 1]);
  });

  test('creates another Email from the same octets when the earlier one was destroyed', async () => {
    const emails = { a: await importOf(message('one')) };
    const { id } = (await importAll(emails))['created'].a as { id: string };
    await deployment.call('Email/set', { destroy: [id] });
    const { created } = await importAll(emails);
    expect([created.a.id === id, await total()]).toEqual([false, 1]);
  });

  test('creates one Email when two clients import the same octets concurrently', async () => {
    const emails = { a: await importOf(message('one')) };
    const responses = await Promise.all([importAll(emails), importAll(emails), importAll(emails)]);
    expect(responses.filter(({ created }) => Object.hasOwn(created as Json, 'a'))).toHaveLength(1);
    expect(responses.filter(({ notCreated }) => notCreated.a?.type === 'alreadyExists')).toHaveLength(2);
    expect(await total()).toBe(1);
  });

  test('creates another Email when the first one is imported and destroyed concurrently, and sends no transaction twice', async () => {
    const emails = { a: await importOf(message('one')) };
    const meanwhile = async () => {
      const { id } = (await importAll(emails))['created'].a as { id: string };
      await deployment.call('Email/set', { destroy: [id] });
      return id;
    };
    const { first, sent } = beforeNextWrite(deployment, meanwhile);
    const { created, notCreated } = await importAll(emails);
    expect([notCreated, created?.a.id === (await first), await total()]).toEqual([{}, false, 1]);
    expect(await get(created.a.id as string, ['subject'])).toMatchObject({ subject: 'Subject of one' });
    expect(new Set(sent).size).toBe(sent.length);
  });

  test('creates another Email when the removal of unused messages takes its id in the meantime', async () => {
    const emails = { a: await importOf(message('one')) };
    beforeNextWrite(deployment, async () => {
      const { message: announced } = deployment.removals.messages[0]!;
      const { accountId, messageKeys } = announced as StoredMessageKeys;
      await removeUnusedMessages({ table: deployment.mail, objects: deployment.objects, now: deployment.now }, accountId, messageKeys);
    });
    const { created, notCreated } = await importAll(emails);
    expect([notCreated, await total()]).toEqual([{}, 1]);
    expect(messageObjects()).toEqual([objectKeys.message('acc_alice', (created.a.blobId as string).slice(1))]);
  });

  test('joins the Thread of a reference that is written concurrently without a commit', async () => {
    const { threadId } = await get(await deployment.deliver({ id: 'sent', subject: 'Plan' }), ['threadId']);
    const reference = referenceItem(referenceKey('acc_alice', 'wire@example.net', baseSubject('Plan')), threadId as string);
    const { sent } = beforeNextWrite(deployment, () => deployment.mail.write([{ put: reference }]));
    const { created } = await importAll({ a: await importOf(message('reply', { subject: 'Re: Plan', fields: ['In-Reply-To: <wire@example.net>'] })) });
    expect([created?.a.threadId, sent.length]).toEqual([threadId, 2]);
  });

  // @requirement 8621 §4.8 import-atomic
  test('lets each Email succeed or fail separately', async () => {
    const { created, notCreated } = await importAll({
      good: await importOf(message('good')),
      bad: { blobId: 'U'.padEnd(23, 'x'), mailboxIds: { [inbox]: true } },
      worse: {},
    });
    expect([Object.keys(created), Object.keys(notCreated).sort()]).toEqual([['good'], ['bad', 'worse']]);
    expect(await total()).toBe(1);
  });

  test('of no Emails changes nothing', async () => {
    const { oldState, newState, created, notCreated } = await importAll({});
    expect([newState, created, notCreated]).toEqual([oldState, {}, {}]);
    expect(deployment.removals.messages).toEqual([]);
  });
});

describe('Email/import refuses', () => {
  // @requirement 8621 §4.8 import-invalid-properties
  test.each([
    ['without a blobId', ['blobId'], { blobId: undefined }],
    ['with a blobId that is no Id', ['blobId'], { blobId: 7 }],
    ['of a blob that does not exist', ['blobId'], { blobId: 'U'.padEnd(23, 'x') }],
    ['of a blob id that was made up', ['blobId'], { blobId: 'nothing' }],
    ['without mailboxIds', ['mailboxIds'], { mailboxIds: undefined }],
    ['in no mailbox', ['mailboxIds'], { mailboxIds: {} }],
    ['in a mailbox that does not exist', ['mailboxIds'], { mailboxIds: { none: true } }],
    ['in a mailbox of a creation id that does not exist', ['mailboxIds'], { mailboxIds: { '#none': true } }],
    ['in mailboxes that are false', ['mailboxIds'], { mailboxIds: { none: false } }],
    ['with keywords that are false', ['keywords'], { keywords: { $seen: false } }],
    ['with a keyword of forbidden characters', ['keywords'], { keywords: { 'a b': true } }],
    ['with a receivedAt that is no UTCDate', ['receivedAt'], { receivedAt: '2026-11-21T08:00:00+01:00' }],
    ['with an unknown property', ['subject'], { subject: 'x' }],
  ])('an Email %s, with invalidProperties', async (_title, properties, more) => {
    expect(await failureOf(await importOf(message('one'), more))).toEqual(ofType('invalidProperties', { properties }));
  });

  test('a blob of another account, with invalidProperties', async () => {
    expect(await failureOf({ blobId: await deployment.upload(message('one'), 'acc_bob'), mailboxIds: { [inbox]: true } })).toEqual(
      ofType('invalidProperties', { properties: ['blobId'] }),
    );
  });

  test('too many keywords, with tooManyKeywords', async () => {
    const keywords = Object.fromEntries(Array.from({ length: emailLimits.maxKeywordsPerEmail + 1 }, (_, i) => [`k${i}`, true]));
    expect(await failureOf(await importOf(message('one'), { keywords }))).toEqual(ofType('tooManyKeywords'));
  });

  // @requirement 8621 §4.8 import-invalid-email
  test.each([
    ['nothing', ''],
    ['a picture', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'],
    ['JSON', '{"from": "someone",\n"to": "someone else"}'],
    ['plain text', 'Note: buy milk\n\nFrom: here on, nothing\n'],
    ['a body alone', '\r\nFrom: x@example.net\r\n'],
  ])('a blob of %s, with invalidEmail', async (_title, content) => {
    expect(await failureOf(await importOf(Buffer.from(content, 'latin1')))).toEqual(ofType('invalidEmail'));
  });

  // @requirement 8621 §4.8 import-state
  test('a call whose ifInState is not the current state, with stateMismatch', async () => {
    expect(await importAll({ a: await importOf(message('one')) }, { ifInState: 'Email-999' })).toMatchObject({ type: 'stateMismatch' });
    const { state } = await deployment.call('Email/get', { ids: [] });
    expect((await importAll({ a: await importOf(message('one')) }, { ifInState: state }))['created']).toHaveProperty('a');
    expect(await importAll({ a: await importOf(message('two')) }, { ifInState: state })).toMatchObject({ type: 'stateMismatch' });
    expect(messageObjects()).toHaveLength(1);
  });

  test('more Emails than maxObjectsInSet, with requestTooLarge', async () => {
    const emails = Object.fromEntries(Array.from({ length: coreLimits.maxObjectsInSet + 1 }, (_, i) => [`c${i}`, {}]));
    expect(await importAll(emails)).toMatchObject({ type: 'requestTooLarge', description: expect.stringContaining('maxObjectsInSet') as string });
  });

  test('more blobs than a request may read as messages, with requestTooLarge, before it looks one up, whether they exist or not', async () => {
    const emails = (call: number) =>
      Object.fromEntries(
        Array.from({ length: 500 }, (_, index) => [`e${index}`, { blobId: `B${String(call * 500 + index).padStart(22, 'x')}`, mailboxIds: { [inbox]: true } }]),
      );
    const responses = await deployment.perform(
      [0, 1, 2].map((call) => ['Email/import', { accountId: 'acc_alice', emails: emails(call) }, `c${call}`] as const),
    );
    expect(responses.map(([name, { type }]) => [name, type])).toEqual([
      ['Email/import', undefined],
      ['Email/import', undefined],
      ['error', 'requestTooLarge'],
    ]);
  });

  test('messages of more octets than a request may read, with requestTooLarge, before it reads one', async () => {
    const large = Buffer.concat([message('large'), Buffer.alloc(unadvertisedLimits.maxRawOctetsInRequest)]);
    expect(await importAll({ a: await importOf(large) })).toMatchObject({
      type: 'requestTooLarge',
      description: expect.stringContaining('maxRawOctetsInRequest') as string,
    });
    expect(messageObjects()).toEqual([]);
  });

  test('a reader with accountReadOnly, a token without MAIL_WRITE with forbidden, an account of others with accountNotFound', async () => {
    const emails = { a: await importOf(message('one')) };
    expect(await deployment.call('Email/import', { emails }, { token: 'bob' })).toMatchObject({ type: 'accountReadOnly' });
    expect(await deployment.call('Email/import', { emails }, { token: 'reader' })).toMatchObject({ type: 'forbidden' });
    expect(await deployment.call('Email/import', { emails, accountId: 'acc_bob' })).toMatchObject({ type: 'accountNotFound' });
    expect(messageObjects()).toEqual([]);
  });

  test.each([
    ['without emails', {}],
    ['with emails that are a list', { emails: [] }],
    ['with an EmailImport that is no object', { emails: { a: null } }],
    ['with an unknown argument', { emails: {}, more: 1 }],
    ['with an ifInState that is no String', { emails: {}, ifInState: 1 }],
  ])('a call %s, with invalidArguments', async (_title, args) => {
    expect(await deployment.call('Email/import', args as Json)).toMatchObject({ type: 'invalidArguments' });
  });
});

describe('Email/import of several transactions', () => {
  test('refuses the Emails of a mailbox that another client destroys between them, and imports the others', async () => {
    const box = (await deployment.call('Mailbox/set', { create: { box: { name: 'Box' } } }))['created'].box.id as string;
    const emails = Object.fromEntries(
      await Promise.all(
        Array.from({ length: 60 }, async (_, i) => [`c${i}`, await importOf(message(`m${i}`), i === 59 ? { mailboxIds: { [box]: true } } : {})]),
      ),
    );
    const write = deployment.mail.write.bind(deployment.mail);
    deployment.mail.write = async (writes) => {
      await write(writes);
      deployment.mail.write = write;
      await deployment.call('Mailbox/set', { destroy: [box] });
    };
    const { oldState, created, notCreated } = await importAll(emails);
    expect([Object.keys(created).length, notCreated]).toEqual([59, { c59: ofType('invalidProperties', { properties: ['mailboxIds'] }) }]);
    expect([await total(), typeof oldState]).toEqual([59, 'string']);
  });
});
