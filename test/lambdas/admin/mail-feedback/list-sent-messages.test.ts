import type { DeliveryState, SentMessage } from '../../../../contract/admin/mail-feedback.ts';
import { submissionRetentionDays } from '../../../../contract/deployment/sending.ts';
import type { NewSubmission } from '../../../../core/sending/submission/submission.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi } from '../../../support/admin-api.ts';
import { eventsAbout, second } from '../../../support/account-submission.ts';
import { failingTable } from '../../../support/failing-table.ts';
import { newSubmission, sendPipeline, sesEventBody, type SendPipeline } from '../../../support/send-pipeline.ts';
import { perTest } from '../../../support/per-test.ts';

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
      { address: 'TEST@example.test' }, { address: ann }, { address: 'bob@elsewhere.test' }, { message_id: 'own.1@example.test' },
      { message_id: ' <own.1@example.test> ' }, { message_id: provider }, { message_id: `<${provider}@email.amazonses.com>` },
      { message_id: `${provider}@eu-west-1.amazonses.com` }, { submission_id: 'submission_1' },
    ];
    for (const request of finding) expect([request, await idsOf(request)]).toEqual([request, ['submission_1']]);
    for (const request of [{ address: 'nobody@elsewhere.test' }, { message_id: '<own.3@example.test>' }, { submission_id: 'submission_3' }]) {
      expect(await idsOf(request)).toEqual([]);
    }
  });

  test('returns who sent what to whom, and neither subject nor content', async () => {
    await send(1, { account_id: 'acc_1', user_id: 'user_1' });
    const at = '2026-11-21T08:39:00.000Z';
    expect(await only()).toEqual({
      submission_id: 'submission_1', message_id: 'own.1@example.test', provider_message_ids: ['01000'], account_id: 'acc_1', user_id: 'user_1',
      sender: 'test@example.test', created_at: at, send_at: at, undo_status: 'FINAL',
      recipients: [{ address: ann, state: 'SENT', events: [{ type: 'ACCEPTED', timestamp: at }, { type: 'SENT', timestamp: at }] }],
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

  test.each([
    ['none', {}], ['two', { address: ann, submission_id: 'submission_1' }], ['three', { address: ann, message_id: 'a', submission_id: 'b' }],
  ])('refuses %s of the three filters, and names them', async (_, request) => {
    expect(await api.call(path, request)).toMatchObject({
      status: 400, body: { code: 'invalid_argument', message: 'give one of address, message_id and submission_id' },
    });
  });

  test('finds nothing, without an error, by a Message-ID that is not possible in a header', async () => {
    for (const message_id of ['<>', '@', '<<x', 'é'.repeat(998), '<script>alert(1)</script>@x']) expect(await idsOf({ message_id })).toEqual([]);
  });

  test('lists every recipient of a message with several send batches once, even one who is also the sender', async () => {
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
      ['WITHHELD', ['ACCEPTED', 'WITHHELD']], ['SENT', ['ACCEPTED', 'SENT']],
    ]);
  });

  test('is REFUSED when the sender lost the right to send, and the message is found by the address', async () => {
    pipeline = sendPipeline({ table, refusalOf: async () => 'The person is not active.' });
    await send(1);
    expect((await only({ address: ann })).recipients![0]).toMatchObject({
      state: 'REFUSED', events: [{ type: 'ACCEPTED' }, { type: 'REFUSED', smtp_reply: '550 5.7.1 not sent: The person is not active.' }],
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

  test('is found only by its submission_id until it is due, then by its addresses too', async () => {
    await send(1, held);
    expect(await only()).toMatchObject({ undo_status: 'PENDING', recipients: [{ state: 'ACCEPTED' }] });
    expect(await idsOf({ address: ann })).toEqual([]);
    pipeline.advance(2 * 3_600_000);
    await pipeline.sweep();
    await pipeline.submit();
    expect(await idsOf({ address: ann })).toEqual(['submission_1']);
  });

  test('is CANCELED after it was withdrawn', async () => {
    await send(1, held);
    await pipeline.submissions.cancel('submission_1');
    expect(await only()).toMatchObject({ undo_status: 'CANCELED', recipients: [{ state: 'CANCELED', events: [{ type: 'ACCEPTED' }] }] });
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
