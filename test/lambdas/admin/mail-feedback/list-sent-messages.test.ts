import type { DeliveryState, SentMessage } from '../../../../contract/admin/mail-feedback.ts';
import { submissionRetentionDays } from '../../../../contract/deployment/sending.ts';
import type { NewSubmission } from '../../../../core/sending/submission/submission.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { eventsAbout, second } from '../../../support/account-submission.ts';
import { adminApi } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';
import { perTest } from '../../../support/per-test.ts';
import { newSubmission, sendPipeline, sesEventBody, type SendPipeline } from '../../../support/send-pipeline.ts';

const path = '/mail-feedback/ListSentMessages';
const ann = 'ann@elsewhere.test';

let pipeline: SendPipeline;
const table = perTest(() => failingTable(memoryTable()));
const api = perTest(() => adminApi({ sending: table }));
beforeEach(() => {
  pipeline = sendPipeline({ table });
});

/** Accepts the submission of minute `index`, and sends it. */
const send = async (index: number, more: Partial<NewSubmission> = {}) => {
  const id = `submission_${index}`;
  const at = new Date(Date.UTC(2026, 10, 21, 8, 38 + index)).toISOString();
  pipeline.advance(Math.max(0, Date.parse(at) - pipeline.clock().getTime()));
  const message = Buffer.from(`From: test@example.test\r\nSubject: A secret\r\nMessage-ID: <own.${index}@example.test>\r\n\r\nhello\r\n`);
  await pipeline.accept(newSubmission({ submission_id: id, send_at: at, created_at: at, message, ...more }));
  await pipeline.submit();
};
const list = async (request: object) => {
  const { messages, next_page_token: next } = await api.ok(path, request);
  return { messages: messages as SentMessage[], next: next as string };
};
const idsOf = async (request: object) => (await list(request)).messages.map(({ submission_id: id }) => id);
const only = async (request: object = { submission_id: 'submission_1' }): Promise<SentMessage> => {
  const { messages } = await list(request);
  expect(messages).toHaveLength(1);
  return messages[0]!;
};
const stateOf = async () => (await only()).recipients![0]!.state;
const eventTypes = async () => (await only()).recipients![0]!.events!.map(({ type }) => type);

describe('ListSentMessages', () => {
  test('finds a message by sender, by recipient in any case, by its Message-ID, by SES’s, and by its submission_id', async () => {
    await send(1, { recipients: ['Ann@Elsewhere.test', 'bob@elsewhere.test'] });
    await send(2, { recipients: ['carl@elsewhere.test'], mail_from: 'sales@example.test' });
    const provider = (await pipeline.find('submission_1')).parts[0]!.sent!.provider_message_id;
    const finding = [
      { address: 'TEST@example.test' },
      { address: ann },
      { address: 'bob@elsewhere.test' },
      { message_id: 'own.1@example.test' },
      { message_id: ' <own.1@example.test> ' },
      { message_id: provider },
      { message_id: `<${provider}@email.amazonses.com>` },
      { message_id: `${provider}@eu-west-1.amazonses.com` },
      { submission_id: 'submission_1' },
    ];
    for (const request of finding) expect([request, await idsOf(request)]).toEqual([request, ['submission_1']]);
    for (const request of [{ address: 'nobody@elsewhere.test' }, { message_id: '<own.3@example.test>' }, { submission_id: 'submission_3' }]) {
      expect(await idsOf(request)).toEqual([]);
    }
  });

  test('returns who sent what to whom with which subject, and no content', async () => {
    await send(1, { account_id: 'acc_1', user_id: 'user_1' });
    const at = '2026-11-21T08:39:00.000Z';
    expect(await only()).toEqual({
      submission_id: 'submission_1',
      subject: 'A secret',
      message_id: 'own.1@example.test',
      provider_message_ids: ['01000'],
      account_id: 'acc_1',
      user_id: 'user_1',
      sender: 'test@example.test',
      created_at: at,
      send_at: at,
      undo_status: 'FINAL',
      recipients: [
        {
          address: ann,
          state: 'SENT',
          events: [
            { type: 'ACCEPTED', timestamp: at },
            { type: 'SENT', timestamp: at },
          ],
        },
      ],
    });
  });

  test('lists newest first, and newer mail does not change later pages', async () => {
    for (const index of [1, 2, 3, 4]) await send(index);
    const first = await list({ address: ann, page_size: 3 });
    await send(5);
    const rest = await list({ address: ann, page_size: 3, page_token: first.next });
    expect([...first.messages, ...rest.messages].map(({ submission_id: id }) => id)).toEqual([4, 3, 2, 1].map((index) => `submission_${index}`));
    expect(rest.next).toBe('');
    expect((await api.call(path, { address: 'bob@elsewhere.test', page_token: first.next })).status).toBe(400);
  });

  test('lists all mail without a filter, held and canceled mail too, in pages', async () => {
    for (const index of [1, 2, 3]) await send(index);
    await pipeline.accept(newSubmission({ submission_id: 'submission_9', send_at: '2026-11-22T10:00:00.000Z' }));
    await pipeline.submissions.cancel('submission_9');
    const first = await list({ page_size: 3 });
    const rest = await list({ page_size: 3, page_token: first.next });
    expect([...first.messages, ...rest.messages].map(({ submission_id: id }) => id)).toEqual([9, 3, 2, 1].map((index) => `submission_${index}`));
    expect(rest.next).toBe('');
  });

  test('has only messages that all filters match', async () => {
    const subjectOf = (subject: string) => Buffer.from(`From: test@example.test\r\nSubject: ${subject}\r\n\r\nhello\r\n`);
    await send(1, { message: subjectOf('=?utf-8?q?Gr=C3=BC=C3=9Fe?=') });
    await send(2, { message: subjectOf('Invoice 7'), recipients: [ann, 'bob@elsewhere.test'] });
    await send(3, { message: subjectOf('invoice 8') });
    await pipeline.recordEvents(eventsAbout(ann).bounce('Permanent', 400));
    await send(4, { message: subjectOf('Invoice 9') });
    const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 8, 38 + minute)).toISOString();
    const found = async (request: object) => (await idsOf(request)).map((id) => Number(id.replace('submission_', '')));
    expect(await found({ subject_contains: 'INVOICE' })).toEqual([4, 3, 2]);
    expect(await found({ subject_contains: 'grüße' })).toEqual([1]);
    expect(await found({ address: 'bob@elsewhere.test', subject_contains: 'invoice' })).toEqual([2]);
    expect(await found({ domain: 'Elsewhere.test', subject_contains: 'invoice' })).toEqual([4, 3, 2]);
    expect(await found({ domain: 'example.test', since: at(3) })).toEqual([4, 3]);
    expect(await found({ domain: 'where.test' })).toEqual([]);
    expect(await found({ state: 'WITHHELD' })).toEqual([4]);
    expect(await found({ since: at(2), until: at(4) })).toEqual([3, 2]);
    expect(await found({ address: ann, since: at(2), until: at(3) })).toEqual([2]);
    expect(await found({ submission_id: 'submission_2', address: ann })).toEqual([2]);
    expect(await found({ submission_id: 'submission_2', address: 'nobody@elsewhere.test' })).toEqual([]);
    const message_id = (await only({ submission_id: 'submission_3' })).provider_message_ids![0]!;
    expect(await found({ message_id, address: ann })).toEqual([3]);
    expect(await found({ message_id, submission_id: 'submission_2' })).toEqual([]);
  });

  test('has no subjects, and finds nothing by them, with recordSubjects=false', async () => {
    await send(1);
    const without = await adminApi({ sending: table, recordsSubjects: false });
    const listed = async (request: object) => (await without.ok(path, request))['messages'] as SentMessage[];
    expect(await listed({})).toMatchObject([{ submission_id: 'submission_1', message_id: 'own.1@example.test' }]);
    expect((await listed({}))[0]).not.toHaveProperty('subject');
    expect(await listed({ subject_contains: 'secret' })).toEqual([]);
  });

  test('returns a short page after many messages that do not match, and continues there', async () => {
    const entries = Array.from({ length: 1300 }, (_, index) =>
      newSubmission({
        submission_id: `submission_${String(index).padStart(4, '0')}`,
        send_at: new Date(Date.UTC(2026, 10, 22, 0, 0, index)).toISOString(),
        message: Buffer.from(`Subject: ${index === 0 ? 'wanted' : 'other'}\r\n\r\n`),
      }),
    );
    for (const each of entries) await table.write([...pipeline.submissions.createWrites(each, 'key', each.send_at).writes]);
    const first = await list({ subject_contains: 'wanted' });
    expect([first.messages, first.next === '']).toEqual([[], false]);
    expect((await list({ subject_contains: 'wanted', page_token: first.next })).messages.map(({ submission_id: id }) => id)).toEqual(['submission_0000']);
  });

  test('finds nothing, without an error, by a Message-ID that is not possible in a header', async () => {
    for (const message_id of ['<>', '@', '<<x', 'é'.repeat(998), '<script>alert(1)</script>@x']) expect(await idsOf({ message_id })).toEqual([]);
  });

  test('lists every recipient of a submission with several parts once, even one who is also the sender', async () => {
    const recipients = [...Array.from({ length: 119 }, (_, index) => `r${index}@elsewhere.test`), 'test@example.test'];
    await send(1, { recipients });
    expect((await only({ address: 'test@example.test' })).recipients!.map(({ address }) => address)).toEqual(recipients);
    expect(await idsOf({ address: 'r119@elsewhere.test' })).toEqual([]);
    expect(await idsOf({ address: 'r118@elsewhere.test' })).toEqual(['submission_1']);
  });

  test('takes two reads after the caller’s: the index, and the submissions', async () => {
    for (const index of [1, 2, 3]) await send(index);
    const before = table.calls.reads;
    await list({ address: ann });
    expect(table.calls.reads - before).toBe(2);
  });
});

describe('the state of a recipient', () => {
  const { delivery, delay, bounce, complaint } = eventsAbout(ann);

  test.each<[DeliveryState, DeliveryState[], string[]]>([
    ['SENT', ['ACCEPTED', 'SENT'], []],
    ['DELIVERED', ['ACCEPTED', 'SENT', 'DELIVERED'], [delivery(70)]],
    ['DELAYED', ['ACCEPTED', 'SENT', 'DELAYED'], [delay(70)]],
    ['DELIVERED', ['ACCEPTED', 'SENT', 'DELAYED', 'DELIVERED'], [delivery(80), delay(70)]],
    ['BOUNCED', ['ACCEPTED', 'SENT', 'DELIVERED', 'BOUNCED'], [delivery(70), bounce('Permanent', 80)]],
    ['SOFT_BOUNCED', ['ACCEPTED', 'SENT', 'SOFT_BOUNCED'], [bounce('Transient', 70)]],
    ['DELIVERED', ['ACCEPTED', 'SENT', 'DELIVERED', 'SOFT_BOUNCED'], [delivery(70), bounce('Transient', 80, {})]],
    ['COMPLAINED', ['ACCEPTED', 'SENT', 'DELIVERED', 'COMPLAINED'], [complaint(80), delivery(70)]],
    ['REFUSED', ['ACCEPTED', 'SENT', 'REFUSED'], [sesEventBody('Reject', { reject: { reason: 'Bad content' } })]],
  ])('is %s with the events %j, however often SES reports them', async (state, events, bodies) => {
    await send(1);
    await pipeline.recordEvents(...bodies, ...bodies);
    expect([await stateOf(), await eventTypes()]).toEqual([state, events]);
  });

  test('includes the server’s reply and the time of the event', async () => {
    await send(1);
    await pipeline.recordEvents(bounce('Permanent', 70));
    expect((await only()).recipients![0]!.events!.at(-1)).toEqual({ type: 'BOUNCED', timestamp: second(70), smtp_reply: '550 5.1.1 unknown 70' });
  });

  test('is WITHHELD without SENT for a suppressed recipient, and the others are SENT', async () => {
    await pipeline.recordEvents(bounce('Permanent', 10));
    await send(1, { recipients: [ann, 'bob@elsewhere.test'] });
    expect((await only({ address: ann })).recipients!.map(({ state, events }) => [state, events!.map(({ type }) => type)])).toEqual([
      ['WITHHELD', ['ACCEPTED', 'WITHHELD']],
      ['SENT', ['ACCEPTED', 'SENT']],
    ]);
  });

  test('is REFUSED when the sender lost the right to send, and the message is found by the address', async () => {
    pipeline = sendPipeline({ table, refusalOf: async () => 'The person is not active.' });
    await send(1);
    expect((await only({ address: ann })).recipients![0]).toMatchObject({
      state: 'REFUSED',
      events: [{ type: 'ACCEPTED' }, { type: 'REFUSED', smtp_reply: '550 5.7.1 not sent: The person is not active.' }],
    });
  });

  test('is UNCONFIRMED when SES never confirmed whether it accepted the message', async () => {
    pipeline.sender.faults.push('request lost', 'request lost', 'request lost');
    await send(1);
    for (let attempt = 0; attempt < 3; attempt++) {
      pipeline.advance(16 * 60_000);
      await pipeline.sweep();
      await pipeline.submit();
    }
    expect([await stateOf(), await eventTypes()]).toEqual(['UNCONFIRMED', ['ACCEPTED', 'UNCONFIRMED']]);
  });
});

describe('a message that is not sent yet', () => {
  const held = { send_at: '2026-11-21T10:00:00.000Z' };

  test('is found by its addresses and its Message-ID as soon as it is accepted, and once after it was sent', async () => {
    await send(1, held);
    expect(await only()).toMatchObject({ undo_status: 'PENDING', recipients: [{ state: 'ACCEPTED' }] });
    const finding = [{ address: ann }, { address: 'test@example.test' }, { message_id: 'own.1@example.test' }];
    for (const request of finding) expect(await idsOf(request)).toEqual(['submission_1']);
    pipeline.advance(2 * 3_600_000);
    await pipeline.sweep();
    await pipeline.submit();
    expect((await only()).recipients![0]!.state).toBe('SENT');
    for (const request of finding) expect(await idsOf(request)).toEqual(['submission_1']);
  });

  test('is CANCELED after it was withdrawn', async () => {
    await send(1, held);
    await pipeline.submissions.cancel('submission_1');
    expect(await only({ address: ann })).toMatchObject({ undo_status: 'CANCELED', recipients: [{ state: 'CANCELED', events: [{ type: 'ACCEPTED' }] }] });
  });

  test('is found by its addresses while SES takes no mail', async () => {
    pipeline.sender.faults.push('quota');
    await send(1);
    await pipeline.accept(newSubmission({ submission_id: 'submission_2' }));
    await pipeline.submit();
    expect(pipeline.sender.sent).toHaveLength(0);
    expect(await idsOf({ address: ann })).toEqual(['submission_1', 'submission_2']);
    expect(await stateOf()).toBe('ACCEPTED');
  });
});

describe('the index of sent mail', () => {
  const entries = async (address = ann) => table.query({ pk: `sent-mail-address#${address}` });

  test('has an entry once, however often the batch is retried, and it expires with the submission', async () => {
    pipeline.sender.faults.push('request lost');
    await send(1);
    const writes = table.calls.writes;
    pipeline.advance(16 * 60_000);
    await pipeline.sweep();
    await pipeline.submit();
    expect(pipeline.sender.sent).toHaveLength(1);
    expect(await entries()).toMatchObject([{ id: 'submission_1', expiresAt: Date.UTC(2026, 10, 21, 8, 39) / 1000 + submissionRetentionDays * 86_400 }]);
    // The sweep's, and the transactions of the start and the end: no entry is written again.
    expect(table.calls.writes - writes).toBe(3);
  });

  test.each(['before', 'after'] as const)('returns a message to the queue when a write fails %s it is made; it is sent once later', async (when) => {
    await pipeline.accept(newSubmission());
    const bodies = pipeline.queue.take();
    table.crashAtWrite(1, when);
    expect(await pipeline.submit(bodies)).toEqual(bodies);
    expect(pipeline.sender.sent).toEqual([]);
    await pipeline.submit([...bodies, ...bodies]);
    expect(pipeline.sender.sent).toHaveLength(1);
    expect([await entries(), await entries('test@example.test')].map(({ length }) => length)).toEqual([1, 1]);
  });

  test('has a message without a sender only by its recipients', async () => {
    await send(1, { mail_from: '' });
    expect(await only({ address: ann })).toMatchObject({ sender: '', recipients: [{ state: 'SENT' }] });
  });

  test('finds nothing after the submission was removed', async () => {
    await send(1);
    pipeline.advance((submissionRetentionDays + 1) * 86_400_000);
    await pipeline.sweep();
    expect(await entries()).toHaveLength(1);
    expect(await list({ address: ann })).toEqual({ messages: [], next: '' });
  });
});
