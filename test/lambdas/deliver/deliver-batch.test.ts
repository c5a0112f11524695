import { removalDelay } from '../../../core/blobs/destroyed-emails.ts';
import type { DeliveredEmail } from '../../../core/mail/email/email-store.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { parseMessage } from '../../../core/mime/parse-message.ts';
import { WriteRefused } from '../../../core/storage/table.ts';
import type { DeliverDependencies } from '../../../lambdas/deliver/deliver-dependencies.ts';
import { faultyTable, type Fault } from '../../fakes/faulty-table.ts';
import { mailCommit } from '../../support/email-fixtures.ts';
import { timesAsMany } from '../../support/test-seed.ts';
import { deliverDeploymentPerTest, inboundRecord, receivedNotification } from './deliver-deployment.ts';
import { settledWorld, type WorldOptions } from './receipt-rules-world.ts';

const mail = deliverDeploymentPerTest();

const message = (id: string, subject: string, ...fields: string[]) =>
  [
    `Message-ID: <${id}@elsewhere.test>`,
    'From: X <x@elsewhere.test>',
    'To: alice@example.test',
    `Subject: ${subject}`,
    'Date: Fri, 20 Nov 2026 20:00:00 +0100',
    ...fields,
    '',
    'Hello',
    '',
  ].join('\r\n');
const recordOf = async (accountId: string, id: string) => (await mail.mailStore.emailContents(accountId, [id])).get(id);

describe('the delivery of a message', () => {
  test('stores it unread in the inbox, with a copy of the raw message and the time at which SES received it', async () => {
    const raw = message('one', 'Grüße');
    expect(await mail.deliver([await mail.arrive('ses-1', raw, ['alice@example.test'])])).toEqual([]);
    const [id] = await mail.emails('acc_alice', 'inbox');
    const row = emailsOf(await mail.view('acc_alice')).get(id!);
    expect(row).toMatchObject({
      keywords: [],
      receivedAt: Date.parse('2026-11-21T08:38:00Z'),
      sentAt: Date.parse('2026-11-20T19:00:00Z'),
      size: Buffer.byteLength(raw),
    });
    const record = await recordOf('acc_alice', id!);
    expect(record).toMatchObject({ id, subject: 'Grüße', messageId: ['one@elsewhere.test'], preview: 'Hello' });
    expect(record!.blobId).toBe(`B${id!.slice(1)}`);
    expect((await mail.objects.get(`messages/acc_alice/${id!.slice(1)}`))?.bytes.toString()).toBe(raw);
  });

  test('stores one message when several recipients are addresses of the account, in any case', async () => {
    await mail.deliver([await mail.arrive('ses-1', message('one', 'Hi'), ['Alice@Example.test', 'alice.liddell@example.test', 'alice@example.test'])]);
    expect(await mail.emails('acc_alice', 'inbox')).toHaveLength(1);
  });

  test('stores it when the recipient has unnecessary quotes (RFC 5321 §4.1.2)', async () => {
    expect(await mail.deliver([await mail.arrive('ses-1', message('one', 'Hello'), ['"Alice"@example.test'])])).toEqual([]);
    expect(await mail.emails('acc_alice', 'inbox')).toHaveLength(1);
  });

  test('stores it in Junk when SES found spam or a virus, and only then', async () => {
    const gray = await mail.arrive('ses-1', message('one', 'gray'), ['alice@example.test'], {
      verdicts: { spamVerdict: 'GRAY', spfVerdict: 'FAIL', virusVerdict: 'PROCESSING_FAILED' },
    });
    const spam = await mail.arrive('ses-2', message('two', 'spam'), ['alice@example.test'], { verdicts: { spamVerdict: 'FAIL' } });
    const virus = await mail.arrive('ses-3', message('three', 'virus'), ['alice@example.test'], { verdicts: { virusVerdict: 'FAIL' } });
    expect(await mail.deliver([gray, spam, virus])).toEqual([]);
    expect(await mail.emails('acc_alice', 'inbox')).toHaveLength(1);
    expect(await mail.emails('acc_alice', 'junk')).toHaveLength(2);
  });

  test.each([
    ['junk', 'FAIL', 'reject'],
    ['junk', 'FAIL', 'quarantine'],
    ['junk', 'FAIL', 'REJECT'],
    ['inbox', 'FAIL', 'none'],
    ['inbox', 'FAIL', undefined],
    ['inbox', 'PASS', 'reject'],
    ['inbox', 'GRAY', undefined],
  ] as const)('stores it in the %s when its DMARC verdict is %s and the policy of the sender’s domain is %s', async (role, dmarcVerdict, dmarcPolicy) => {
    const verdicts = { dmarcVerdict, ...(dmarcPolicy && { dmarcPolicy }) };
    await mail.deliver([await mail.arrive('ses-1', message('one', 'Hi'), ['alice@example.test'], { verdicts })]);
    expect(await mail.emails('acc_alice', role)).toHaveLength(1);
  });
});

test('a message for two accounts is stored in both, each with its own id and copy', async () => {
  await mail.deliver([await mail.arrive('ses-1', message('one', 'Hi'), ['alice@example.test', 'bob@example.test', 'nobody@example.test'])]);
  const [[forAlice], [forBob]] = [await mail.emails('acc_alice', 'inbox'), await mail.emails('acc_bob', 'inbox')];
  expect(forAlice).not.toBe(forBob);
  expect(mail.objects.keys()).toEqual([`messages/acc_alice/${forAlice!.slice(1)}`, `messages/acc_bob/${forBob!.slice(1)}`]);
});

// The message arrived at 08:38.
test.each([
  ['before', '2026-11-21T08:37:59.999Z', 1],
  ['after', '2026-11-21T08:38:00.001Z', 0],
])('a message goes to the account that got the address of a deleted account %s it arrived: since %s, %d message', async (_, held_since, count) => {
  await mail.directoryTable.write([{ update: { pk: 'address', sk: 'bob@example.test' }, set: { held_since } }]);
  await mail.deliver([await mail.arrive('ses-1', message('one', 'Hi'), ['bob+x@example.test'])]);
  expect(await mail.emails('acc_bob', 'inbox')).toHaveLength(count);
});

describe('the recipient user+detail', () => {
  test.each([
    ['goes to the account of user', 'bob+tag@example.test', 'acc_bob'],
    ['goes to the account of user in any case', 'Bob+Tag@Example.TEST', 'acc_bob'],
    ['ends its user at the first plus', 'bob+a+b@example.test', 'acc_bob'],
    ['goes to the account of the alias with exactly that name', 'bob+lists@example.test', 'acc_alice'],
    ['goes to the account of user when only part of the detail is an alias', 'bob+lists+x@example.test', 'acc_bob'],
    ['goes to the alias when the user is empty', '+plus@example.test', 'acc_bob'],
  ])('%s', async (_, recipient, accountId) => {
    await mail.deliver([await mail.arrive('ses-1', message('one', 'Hi'), [recipient])]);
    const other = accountId === 'acc_bob' ? 'acc_alice' : 'acc_bob';
    expect([await mail.emails(accountId, 'inbox'), await mail.emails(other, 'inbox')].map((emails) => emails.length)).toEqual([1, 0]);
  });

  test.each([
    ['the alias with exactly that name is not active', 'bob+old@example.test'],
    ['the alias of user is not active', 'former+tag@example.test'],
    ['the domain does not receive', 'alice+tag@closed.test'],
    ['the user is empty', '+@example.test'],
    ['the dots of the user differ', 'alice.lid.dell+tag@example.test'],
  ])('is undeliverable when %s', async (_, recipient) => {
    await mail.deliver([await mail.arrive('ses-1', message('one', 'Hi'), [recipient])]);
    expect([await mail.emails('acc_alice', 'inbox'), await mail.emails('acc_bob', 'inbox')]).toEqual([[], []]);
  });
});

describe('a duplicate notification', () => {
  test('changes nothing', async () => {
    const body = await mail.arrive('ses-1', message('one', 'Hi'), ['alice@example.test']);
    await mail.deliver([body]);
    const before = (await mail.view('acc_alice')).state('Email');
    expect(await mail.deliver([body, body])).toEqual([]);
    const after = await mail.view('acc_alice');
    expect([after.state('Email'), emailsOf(after).size]).toEqual([before, 1]);
  });

  // @pitfall delivery notified-twice
  test('results in one message when several Lambdas deliver it concurrently', async () => {
    const body = await mail.arrive('ses-1', message('one', 'Hi'), ['alice@example.test']);
    await Promise.all([mail.deliver([body]), mail.deliver([body]), mail.deliver([body])]);
    expect(emailsOf(await mail.view('acc_alice')).size).toBe(1);
  });

  test('does not restore a destroyed message', async () => {
    const body = await mail.arrive('ses-1', message('one', 'Hi'), ['alice@example.test']);
    await mail.deliver([body]);
    const [id] = await mail.emails('acc_alice', 'inbox');
    await mail.mailStore.commit((await mail.mailStore.open('acc_alice'))!, () => mailCommit({ destroyEmails: [id!] }));
    expect(await mail.deliver([body])).toEqual([]);
    expect(emailsOf(await mail.view('acc_alice')).size).toBe(0);
  });
});

describe('an interrupted delivery', () => {
  test('between copy and commit is retried and results in one message', async () => {
    const body = await mail.arrive('ses-1', message('one', 'Hi'), ['alice@example.test']);
    const crashing = { deliverAll: () => Promise.reject(new Error('the Lambda crashed')) };
    expect(await mail.deliver([body], { mailStore: crashing })).toEqual([0]);
    expect(mail.objects.keys()).toHaveLength(2);
    expect(emailsOf(await mail.view('acc_alice')).size).toBe(0);
    expect(await mail.deliver([body])).toEqual([]);
    expect(emailsOf(await mail.view('acc_alice')).size).toBe(1);
    expect(mail.objects.keys()).toHaveLength(1);
  });

  test('commits nothing when the copy fails', async () => {
    const body = await mail.arrive('ses-1', message('one', 'Hi'), ['alice@example.test']);
    const committed: DeliveredEmail[] = [];
    const objects = { ...mail.objects, copy: () => Promise.reject(new Error('S3 is away')) };
    const recording = { deliverAll: async (_: string, emails: readonly DeliveredEmail[]) => (committed.push(...emails), { outcomes: ['delivered' as const] }) };
    expect(await mail.deliver([body], { objects, mailStore: recording })).toEqual([0]);
    expect(committed).toEqual([]);
  });

  test.each<Fault>(['crash before', 'crash after', 'lost after', 'lost before', 'contended'])(
    'whose write %s is retried and gives one message',
    async (fault) => {
      const body = await mail.arrive('ses-1', message('one', 'Hi'), ['alice@example.test', 'bob@example.test']);
      let writes = 0;
      const table = faultyTable(
        mail.mailTable,
        async () => undefined,
        () => (writes++ < 1 ? fault : 'none'),
      );
      await mail.deliver([body], { mailStore: mailStore({ table }) });
      expect(await mail.deliver([body])).toEqual([]);
      expect([emailsOf(await mail.view('acc_alice')).size, emailsOf(await mail.view('acc_bob')).size]).toEqual([1, 1]);
    },
  );

  test('to one account does not prevent the delivery to another', async () => {
    const body = await mail.arrive('ses-1', message('one', 'Hi'), ['alice@example.test', 'bob@example.test']);
    const store = {
      deliverAll: (accountId: string, emails: readonly DeliveredEmail[]) =>
        accountId === 'acc_alice' ? Promise.reject(new WriteRefused([], true)) : mail.mailStore.deliverAll(accountId, emails),
    };
    expect(await mail.deliver([body], { mailStore: store })).toEqual([0]);
    expect(emailsOf(await mail.view('acc_bob')).size).toBe(1);
  });
});

describe('a batch of records', () => {
  test('returns only the failed records to the queue', async () => {
    const bodies = await Promise.all(['ses-1', 'ses-2', 'ses-3'].map((id) => mail.arrive(id, message(id, id), ['alice@example.test'])));
    const lost = inboundRecord(JSON.stringify(receivedNotification('never-stored', ['alice@example.test'])));
    expect(await mail.deliverAtOnce([bodies[0]!, lost, bodies[1]!, 'no JSON at all', bodies[2]!, '{}'])).toEqual([1, 3, 5]);
    expect(await mail.emails('acc_alice', 'inbox')).toHaveLength(3);
  });

  test('delivers a record when an earlier one of the batch is slow and fails', async () => {
    const slow = await mail.arrive('slow', message('slow', 'slow'), ['alice@example.test']);
    const quick = await mail.arrive('quick', message('quick', 'quick'), ['bob@example.test']);
    const objects = {
      ...mail.objects,
      copy: async (from: string, to: string) => {
        if (!from.includes('slow')) return mail.objects.copy(from, to);
        await new Promise((done) => {
          setTimeout(done, 30);
        });
        throw new Error('S3 is away');
      },
    };
    expect(await mail.deliverAtOnce([slow, quick], { objects })).toEqual([0]);
    expect([await mail.emails('acc_alice', 'inbox'), await mail.emails('acc_bob', 'inbox')]).toEqual([[], [expect.any(String)]]);
  });
});

// @pitfall delivery no-recipient
test('mail without a recipient is logged and not retried', async () => {
  expect(await mail.deliver([await mail.arrive('ses-1', message('one', 'Hi'), [])])).toEqual([]);
  expect(mail.log.records).toContainEqual({
    level: 'warn',
    message: 'undeliverable: not bounced',
    details: { sesMessageId: 'ses-1', recipients: 0, reason: 'no recipient' },
  });
});

test.each([
  ['a sentence', 'Successfully validated SNS topic for Amazon SES event publishing.'],
  ['a subscription', JSON.stringify({ notificationType: 'AmazonSnsSubscriptionSucceeded', message: 'You have successfully subscribed' })],
  ['a setup message', JSON.stringify(receivedNotification('AMAZON_SES_SETUP_NOTIFICATION', []))],
  ['a setup object', JSON.stringify({ notificationType: 'Received', receipt: { action: { type: 'S3', objectKey: 'inbound/AMAZON_SES_SETUP_NOTIFICATION' } } })],
])('a setup notification with %s is ignored', async (_, text) => {
  expect(await mail.deliver([inboundRecord(text)])).toEqual([]);
  expect(mail.log.records.map(({ level }) => level)).toEqual(['info']);
});

test.each([
  ['no notification', '"hello"'],
  ['another notification', JSON.stringify({ notificationType: 'Bounce' })],
  ['another action', JSON.stringify({ ...receivedNotification('x', []), receipt: { recipients: [], action: { type: 'SNS' } } })],
])('a record with %s fails, so that it ends in the dead-letter queue', async (_, text) => {
  expect(await mail.deliver([inboundRecord(text)])).toEqual([0]);
});

test('the log has ids and numbers only: nothing of the message or its addresses', async () => {
  const bodies = [
    await mail.arrive('ses-1', message('one', 'Secret subject'), ['alice@example.test']),
    await mail.arrive('ses-2', message('two', 'Secret'), ['nobody@example.test']),
    inboundRecord('{"notificationType":"alice@example.test"}'),
  ];
  await mail.deliver(bodies);
  expect(mail.log.records).toHaveLength(3);
  expect(JSON.stringify(mail.log.records)).not.toMatch(/@|Secret|Hello/);
});

describe('the thread of a delivered message', () => {
  const threadOf = async (subject: string) => {
    const view = await mail.view('acc_alice');
    const records = await mail.mailStore.emailContents('acc_alice', emailsOf(view).ids());
    return emailsOf(view).get([...records.values()].find((record) => record.subject === subject)!.id)!.threadId;
  };
  const arrive = (id: string, subject: string, ...fields: string[]) => mail.arrive(`ses-${id}`, message(id, subject, ...fields), ['alice@example.test']);

  // @requirement 8621 §3 thread-rule
  // @pitfall delivery out-of-order
  test('is that of the replied message, in any order of arrival', async () => {
    const reply = await arrive('reply', 'Re: Lunch', 'In-Reply-To: <first@elsewhere.test>', 'References: <first@elsewhere.test>');
    const replyToReply = await arrive(
      'second',
      'RE: lunch',
      'In-Reply-To: <reply@elsewhere.test>',
      'References: <first@elsewhere.test> <reply@elsewhere.test>',
    );
    await mail.deliver([replyToReply, reply, await arrive('first', 'Lunch')]);
    expect(new Set([await threadOf('Lunch'), await threadOf('Re: Lunch'), await threadOf('RE: lunch')]).size).toBe(1);
  });

  // @pitfall delivery thread-at-once
  test('is the same for two messages that arrive concurrently', async () => {
    const bodies = await Promise.all(['a', 'b', 'c', 'd'].map((id) => arrive(id, 'Re: Lunch', 'References: <gone@elsewhere.test>')));
    await Promise.all(bodies.map((body) => mail.deliver([body])));
    const view = await mail.view('acc_alice');
    expect(emailsOf(view).size).toBe(4);
    expect(emailsOf(view).threadIds()).toHaveLength(1);
  });

  test('is a new one for another subject, and for an unrelated message with the same subject', async () => {
    await mail.deliver([
      await arrive('first', 'Lunch'),
      await arrive('hijack', 'Dinner', 'In-Reply-To: <first@elsewhere.test>'),
      await arrive('other', 'Lunch'),
    ]);
    expect(emailsOf(await mail.view('acc_alice')).threadIds()).toHaveLength(3);
  });
});

// @pitfall mime raw-message
// @pitfall delivery unparsable
test.each([
  ['nothing', Buffer.alloc(0)],
  ['no mail at all', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')],
  ['NUL bytes', Buffer.alloc(5000)],
  // @pitfall mime missing-boundary
  ['a multipart without a boundary', Buffer.from('Content-Type: multipart/mixed\r\n\r\n--x\r\n\r\ntext')],
  // @pitfall mime nested-messages
  ['messages nested a thousand deep', Buffer.from('Content-Type: message/rfc822\r\n\r\n'.repeat(1000))],
  // @pitfall mime many-parts
  [
    'ten thousand parts',
    Buffer.from(
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Type: x/y; name="zzzzzzzzzzzzzzzzzzzzzzzz"\r\n\r\nx\r\n'.repeat(10_000)}--b--`,
    ),
  ],
  // @pitfall mime huge-header
  ['a header of megabytes', Buffer.from(`Subject: ${'x'.repeat(2_000_000)}\r\nTo: ${'a@b.test, '.repeat(100_000)}\r\n\r\n`)],
])('a message of %s is delivered, and its raw message is kept as it came', async (_, raw) => {
  expect(await mail.deliver([await mail.arrive('ses-1', raw, ['alice@example.test'])])).toEqual([]);
  const [id] = await mail.emails('acc_alice', 'inbox');
  expect((await mail.objects.get(`messages/acc_alice/${id!.slice(1)}`))?.bytes.equals(raw)).toBe(true);
  expect(await recordOf('acc_alice', id!)).toEqual(JSON.parse(JSON.stringify({ ...parseMessage(raw).email, id, blobId: `B${id!.slice(1)}` })));
});

// @pitfall attack truncated-notification
test('a message whose header SES truncated in its notification is delivered with its whole header', async () => {
  const cc = Array.from({ length: 5000 }, (_, i) => `"Guest ${i}" <guest${i}@elsewhere.test>`);
  const raw = Buffer.from(`Cc: ${cc.join(',\r\n ')}\r\nSubject: Invitation\r\n\r\nHello`);
  await mail.arrive('ses-1', raw, ['alice@example.test']);
  const whole = receivedNotification('ses-1', ['alice@example.test']);
  const notification = { ...whole, mail: { ...whole.mail, headersTruncated: true, headers: [{ name: 'Cc', value: cc.slice(0, 100).join(', ') }] } };
  expect(await mail.deliver([inboundRecord(JSON.stringify(notification))])).toEqual([]);
  const [id] = await mail.emails('acc_alice', 'inbox');
  expect((await mail.objects.get(`messages/acc_alice/${id!.slice(1)}`))?.bytes.equals(raw)).toBe(true);
  expect(await recordOf('acc_alice', id!)).toMatchObject({ subject: 'Invitation' });
});

describe('the message that SES stored', () => {
  const inbound = async () => mail.objects.keys().filter((key) => key.startsWith('inbound/'));

  test('is removed when each account has its copy; a duplicate of the notification changes nothing', async () => {
    const body = await mail.arrive('ses-1', 'Subject: Hi\r\n\r\nHello', ['alice@example.test', 'bob@example.test']);
    expect(await mail.deliver([body])).toEqual([]);
    expect(await inbound()).toEqual([]);
    expect(await mail.deliver([body])).toEqual([]);
    expect([await mail.emails('acc_alice', 'inbox'), await mail.emails('acc_bob', 'inbox')].map(({ length }) => length)).toEqual([1, 1]);
  });

  test('stays until every account has its copy', async () => {
    const body = await mail.arrive('ses-1', 'Subject: Hi\r\n\r\nHello', ['alice@example.test', 'bob@example.test']);
    const deliverAll: DeliverDependencies['mailStore']['deliverAll'] = async (accountId, emails) => {
      if (accountId === 'acc_bob') throw new Error('throttled');
      return mail.mailStore.deliverAll(accountId, emails);
    };
    expect(await mail.deliver([body], { mailStore: { deliverAll } })).toEqual([0]);
    expect(await inbound()).toEqual(['inbound/deliver-1/ses-1']);
    expect(await mail.deliver([body])).toEqual([]);
    expect(await inbound()).toEqual([]);
  });

  test('is reported as missing when it was removed before its delivery', async () => {
    const body = await mail.arrive('ses-1', 'Subject: Hi\r\n\r\nHello', ['alice@example.test']);
    await mail.objects.remove(['inbound/deliver-1/ses-1']);
    expect(await mail.deliver([body])).toEqual([0]);
  });

  describe('that SES reports again after its Email was destroyed', () => {
    const destroyed = new Date('2026-11-21T09:00:00Z');
    const after = (seconds: number) => () => new Date(destroyed.getTime() + seconds * 1000);
    let body: string;
    let copy: string;
    beforeEach(async () => {
      body = await mail.arrive('ses-1', 'Subject: Hi\r\n\r\nHello', ['alice@example.test']);
      await mail.deliver([body]);
      const ids = await mail.emails('acc_alice', 'inbox');
      copy = `messages/acc_alice/${ids[0]!.slice(1)}`;
      const store = mailStore({ table: mail.mailTable, clock: () => destroyed });
      await store.commit((await store.open('acc_alice'))!, () => ({ records: { Email: { destroy: ids } } }));
      await mail.arrive('ses-1', 'Subject: Hi\r\n\r\nHello', ['alice@example.test']);
    });

    test('leaves the copy to the removal of the Email, because requests that began before may still read it', async () => {
      expect(await mail.deliver([body], { clock: after(60) })).toEqual([]);
      expect(mail.objects.keys()).toEqual([copy]);
    });

    test('leaves no copy in the account when the Email may already be removed', async () => {
      expect(await mail.deliver([body], { clock: after(removalDelay) })).toEqual([]);
      expect(mail.objects.keys()).toEqual([]);
    });
  });
});

/**
 * Expects each Email, bounce, copy and vacation response that the messages require exactly once, and an empty queue.
 */
const expectEverythingOnce = async (options: Partial<WorldOptions>) => {
  const { wanted, found, left } = await settledWorld(options);
  expect(found.emails).toEqual(wanted.emails);
  expect(found.bounced).toEqual(wanted.bounced);
  expect(found.copies).toEqual(wanted.copies);
  expect(found.responses).toEqual(wanted.responses);
  expect(left).toEqual({ queue: [], deadLetters: [], inbound: wanted.undeliverable, copiesWithoutEmail: [] });
};

describe('a message to recipients in several receipt rules is delivered once to each account', () => {
  const orders = [
    [0, 1],
    [1, 0],
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  test.each(orders.map((order) => [order.join(', '), order] as const))('whose notifications come in the order %s', async (_, order) => {
    await expectEverythingOnce({ messages: 2, rules: order.length, order });
  });

  test.each(orders.map((order) => [order.join(', '), order] as const))('when one account is full for hours, in the order %s', async (_, order) => {
    await expectEverythingOnce({ messages: 2, rules: order.length, order, fullAccounts: 1 });
  });

  test('of 250 addresses, with two full accounts, duplicates and kills between', async () => {
    await expectEverythingOnce({ messages: 12 * timesAsMany, rules: 3, fullAccounts: 2, duplicates: true, kills: true });
  });
});
