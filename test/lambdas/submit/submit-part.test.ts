import { softBouncePolicy } from '../../../contract/deployment/sending.ts';
import { maxUnanswered, unconfirmedTimeout } from '../../../lambdas/submit/submit-part.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { eventsAbout } from '../../support/account-submission.ts';
import { Crash, failingTable } from '../../support/failing-table.ts';
import { newSubmission, sesEventBody, sendPipeline, type SendPipeline } from '../../support/send-pipeline.ts';

let pipeline: SendPipeline;
beforeEach(() => {
  pipeline = sendPipeline();
});

const stateOf = async (id?: string) => (await pipeline.find(id)).parts.map(({ state }) => state);
/** SES events about mail that was not sent by a submission. */
const aboutOther = (recipient: string) => eventsAbout(recipient, { submission: null });
const bounced = (recipient: string) => aboutOther(recipient).bounce('Permanent', 2);

describe('a submission', () => {
  test('is sent once, with its envelope, class and tags; then it is final and has no outbox entry', async () => {
    await pipeline.accept(newSubmission());
    expect(await pipeline.outbox()).toHaveLength(1);
    expect(await pipeline.submit()).toEqual([]);
    expect(pipeline.sender.sent).toMatchObject([
      {
        from: 'test@example.test',
        recipients: ['ann@elsewhere.test'],
        submission_id: 'submission_1',
        part: 0,
        message_class: 'TRANSACTIONAL',
        identity_id: 'dom_1',
      },
    ]);
    expect(Buffer.from(pipeline.sender.sent[0]!.message).toString()).toContain('hello');
    const { submission, parts } = await pipeline.find();
    expect(submission).toMatchObject({ undo_status: 'final', parts: 1 });
    expect(parts).toMatchObject([{ state: 'sent', attempts: 1, sent: { provider_message_id: '01000' } }]);
    expect(await pipeline.outbox()).toEqual([]);
  });

  test('that the queue delivers twice is sent once', async () => {
    await pipeline.accept(newSubmission());
    const bodies = pipeline.queue.take();
    await pipeline.submit([...bodies, ...bodies]);
    await pipeline.submit(bodies);
    expect(pipeline.sender.sent).toHaveLength(1);
  });

  test('that ten Lambdas receive at once is sent once', async () => {
    await pipeline.accept(newSubmission());
    const bodies = pipeline.queue.take();
    await Promise.all(Array.from({ length: 10 }, () => pipeline.submit(bodies)));
    expect(pipeline.sender.sent).toHaveLength(1);
    expect(await stateOf()).toEqual(['sent']);
  });

  test('to more than 50 recipients has several parts, each recipient in one of them', async () => {
    const recipients = Array.from({ length: 120 }, (_, index) => `r${index}@elsewhere.test`);
    await pipeline.accept(newSubmission({ recipients }));
    await pipeline.submit();
    const sent = pipeline.sender.sent.toSorted((one, other) => one.part - other.part);
    expect(sent.map((mail) => mail.recipients.length)).toEqual([50, 50, 20]);
    expect(sent.flatMap((mail) => mail.recipients)).toEqual(recipients);
    expect(await stateOf()).toEqual(['sent', 'sent', 'sent']);
  });

  test.each([
    ['no recipients', 0],
    ['too many', 501],
  ])('with %s is refused', async (_, length) => {
    await expect(pipeline.accept(newSubmission({ recipients: Array.from({ length }, (_unused, index) => `r${index}@elsewhere.test`) }))).rejects.toBeInstanceOf(
      RangeError,
    );
  });

  test('that an admin gives up is not sent, and its sender gets a report', async () => {
    await pipeline.accept(newSubmission());
    const [body] = pipeline.queue.take();
    expect(await pipeline.submit([JSON.stringify({ ...(JSON.parse(body!) as object), stopped: true })])).toEqual([]);
    expect(pipeline.sender.sent).toEqual([]);
    const { parts } = await pipeline.find();
    expect(parts).toMatchObject([{ state: 'failed', recipients: [{ facts: { refused: { reply: expect.stringContaining('an admin gave it up') } } }] }]);
    await pipeline.submit([body!]);
    expect(pipeline.sender.sent).toEqual([]);
  });

  test('that an admin gives up stays sent when it was sent', async () => {
    await pipeline.accept(newSubmission());
    const [body] = pipeline.queue.take();
    await pipeline.submit([body!]);
    await pipeline.submit([JSON.stringify({ ...(JSON.parse(body!) as object), stopped: true })]);
    expect(await stateOf()).toEqual(['sent']);
  });

  test('that an admin gives up during an attempt fails only when the attempt is over', async () => {
    pipeline.sender.faults.push('request lost');
    await pipeline.accept(newSubmission());
    const [body] = pipeline.queue.take();
    const stopped = JSON.stringify({ ...(JSON.parse(body!) as object), stopped: true });
    await pipeline.submit([body!]);
    await pipeline.submit([stopped]);
    expect(await stateOf()).toEqual(['sending']);
    pipeline.advance(unconfirmedTimeout + 1000);
    await pipeline.submit([stopped]);
    expect(await stateOf()).toEqual(['failed']);
  });

  test('that does not exist is ignored; a record without a reference fails', async () => {
    expect(await pipeline.submit([JSON.stringify({ submission_id: 'submission_none', part: 0 })])).toEqual([]);
    expect(await pipeline.submit(['what'])).toEqual(['what']);
    expect(pipeline.sender.sent).toEqual([]);
  });
});

describe('a crash', () => {
  test('between the transaction and the queue loses nothing, because the sweep queues the part', async () => {
    await pipeline.acceptUnqueued(newSubmission());
    await pipeline.sweep();
    expect(pipeline.queue.take()).toEqual([]);
    pipeline.advance(3 * 60_000);
    await pipeline.sweep();
    await pipeline.sweep();
    expect(pipeline.queue.waiting).toHaveLength(1);
    await pipeline.submit();
    expect(pipeline.sender.sent).toHaveLength(1);
    expect(await pipeline.outbox()).toEqual([]);
  });

  test('of the sweep after it queued the part queues it twice, and the message is sent once', async () => {
    await pipeline.acceptUnqueued(newSubmission());
    pipeline.advance(3 * 60_000);
    await pipeline.queue.send(await pipeline.submissions.findDueEntries(pipeline.clock().toISOString(), 10));
    await pipeline.sweep();
    expect(pipeline.queue.waiting).toHaveLength(2);
    await pipeline.submit();
    expect(pipeline.sender.sent).toHaveLength(1);
    pipeline.advance(3_600_000);
    await pipeline.sweep();
    expect(pipeline.queue.waiting).toEqual([]);
  });

  test('between the send and its record is repaired by SES’s Send event, without a second send', async () => {
    const table = failingTable(memoryTable());
    pipeline = sendPipeline({ table });
    await pipeline.accept(newSubmission());
    const [body] = pipeline.queue.take();
    // The writes before: two entries of the index, and the start of the part.
    table.crashAtWrite(3);
    expect(await pipeline.submit([body!])).toEqual([body]);
    expect(pipeline.sender.sent).toHaveLength(1);
    expect(await stateOf()).toEqual(['sending']);

    await pipeline.submit([body!]);
    expect(pipeline.sender.sent).toHaveLength(1);
    expect(await pipeline.recordEvents(sesEventBody('Send', { send: {} }))).toEqual([]);
    expect((await pipeline.find()).parts).toMatchObject([{ state: 'sent', sent: { provider_message_id: '01000' } }]);
    pipeline.advance(unconfirmedTimeout);
    await pipeline.submit();
    expect(pipeline.sender.sent).toHaveLength(1);
  });

  test('between the send and its record is repaired by any SES event, such as a Delivery', async () => {
    pipeline.sender.faults.push('response lost');
    await pipeline.accept(newSubmission());
    expect(await pipeline.submit()).toEqual([]);
    await pipeline.recordEvents(eventsAbout('ann@elsewhere.test').delivery(3));
    expect(await pipeline.find()).toMatchObject({
      parts: [{ state: 'sent' }],
      statuses: { 'ann@elsewhere.test': { delivered: 'yes', smtp_reply: '250 2.0.0 OK 3' } },
    });
  });

  test('before the send leads to a new attempt when SES published no event for 15 minutes', async () => {
    pipeline.sender.faults.push('request lost');
    await pipeline.accept(newSubmission());
    const bodies = pipeline.queue.take();
    expect(await pipeline.submit(bodies)).toEqual([]);
    await pipeline.submit(bodies);
    await pipeline.sweep();
    expect(pipeline.queue.waiting).toEqual([]);
    expect(pipeline.sender.sent).toEqual([]);
    pipeline.advance(unconfirmedTimeout + 1);
    await pipeline.sweep();
    await pipeline.submit();
    expect(pipeline.sender.sent).toHaveLength(1);
    expect(await stateOf()).toEqual(['sent']);
  });

  test('at every attempt makes the part fail, with the reason in its status', async () => {
    pipeline.sender.faults.push(...Array.from({ length: maxUnanswered }, () => 'request lost' as const));
    await pipeline.accept(newSubmission());
    for (let count = 0; count < maxUnanswered + 1; count++) {
      await pipeline.submit();
      pipeline.advance(unconfirmedTimeout + 1);
      await pipeline.sweep();
    }
    expect(await pipeline.find()).toMatchObject({
      parts: [{ state: 'failed' }],
      statuses: { 'ann@elsewhere.test': { delivered: 'unknown', smtp_reply: expect.stringContaining('not known') } },
    });
    expect(await pipeline.outbox()).toEqual([]);
  });

  const writes = [0, 1, 2, 3].flatMap(
    (write) =>
      [
        [write, 'before'],
        [write, 'after'],
      ] as const,
  );
  test.each(writes)('at write %i of the submit Lambda, %s it, never sends twice', async (write, when) => {
    const table = failingTable(memoryTable());
    pipeline = sendPipeline({ table });
    await pipeline.accept(newSubmission());
    const bodies = pipeline.queue.take();
    table.crashAtWrite(write, when);
    const requeued = await pipeline.submit(bodies);
    if (pipeline.sender.sent.length > 0) await pipeline.recordEvents(sesEventBody('Send', { send: {} }));
    for (let time = 0; time < 3; time++) {
      await pipeline.submit([...requeued, ...pipeline.queue.take()]);
      pipeline.advance(unconfirmedTimeout + 1);
      await pipeline.sweep();
    }
    expect(pipeline.sender.sent).toHaveLength(1);
    expect(await stateOf()).toEqual(['sent']);
  });

  test('before the transaction stores nothing', async () => {
    const table = failingTable(memoryTable());
    pipeline = sendPipeline({ table });
    table.crashAtWrite(0);
    await expect(pipeline.accept(newSubmission())).rejects.toBeInstanceOf(Crash);
    expect(await pipeline.submissions.find('submission_1')).toBeUndefined();
    expect(await pipeline.outbox()).toEqual([]);
  });
});

describe('a suppressed recipient', () => {
  test('is withheld with a status; the other recipients get the message', async () => {
    await pipeline.recordEvents(bounced('Gone@elsewhere.test'));
    await pipeline.accept(newSubmission({ recipients: ['ann@elsewhere.test', 'gone@Elsewhere.test'] }));
    await pipeline.submit();
    expect(pipeline.sender.sent.map(({ recipients }) => recipients)).toEqual([['ann@elsewhere.test']]);
    expect((await pipeline.find()).statuses).toMatchObject({
      'ann@elsewhere.test': { delivered: 'queued' },
      'gone@Elsewhere.test': { delivered: 'no', smtp_reply: '550 5.7.1 not sent: mail to this recipient bounced for good' },
    });
  });

  // @pitfall attack quoted-local-part
  test.each([
    ['bounce@elsewhere.test', '"bounce"@elsewhere.test'],
    ['bounce@elsewhere.test', String.raw`"b\ou\nce"@Elsewhere.test`],
    ['"bounce"@elsewhere.test', 'bounce@elsewhere.test'],
    [String.raw`"a\ b"@elsewhere.test`, '"A b"@elsewhere.test'],
  ])('%s is withheld also as %s, which is the same mailbox', async (suppressed, recipient) => {
    await pipeline.recordEvents(bounced(suppressed));
    await pipeline.accept(newSubmission({ recipients: [recipient] }));
    await pipeline.submit();
    expect(pipeline.sender.sent).toEqual([]);
    expect((await pipeline.find()).statuses).toMatchObject({ [recipient]: { delivered: 'no' } });
  });

  test('as the only one prevents the send', async () => {
    await pipeline.recordEvents(bounced('ann@elsewhere.test'));
    await pipeline.accept(newSubmission());
    await pipeline.submit();
    expect(pipeline.sender.sent).toEqual([]);
    expect(await pipeline.find()).toMatchObject({ submission: { undo_status: 'final' }, parts: [{ state: 'failed' }] });
    expect(await pipeline.outbox()).toEqual([]);
  });

  test('after a complaint is withheld for that message class only', async () => {
    await pipeline.recordEvents(aboutOther('ann@elsewhere.test').complaint(2));
    await pipeline.accept(newSubmission());
    await pipeline.accept(newSubmission({ submission_id: 'submission_2', message_class: 'BULK' }));
    await pipeline.submit();
    expect(pipeline.sender.sent.map(({ submission_id }) => submission_id)).toEqual(['submission_2']);
  });

  test('after soft bounces gets mail again when the back-off is over', async () => {
    for (let second = 0; second < softBouncePolicy.threshold; second++)
      await pipeline.recordEvents(aboutOther('ann@elsewhere.test').bounce('Transient', second));
    await pipeline.accept(newSubmission());
    await pipeline.submit();
    expect(pipeline.sender.sent).toEqual([]);
    pipeline.advance(softBouncePolicy.firstBackOff + 10_000);
    await pipeline.accept(newSubmission({ submission_id: 'submission_2', send_at: pipeline.clock().toISOString() }));
    await pipeline.submit();
    expect(pipeline.sender.sent).toHaveLength(1);
  });

  test('that is SES’s mailbox simulator still gets a test mail', async () => {
    await pipeline.recordEvents(bounced('ann@elsewhere.test'));
    await pipeline.accept(newSubmission({ ignores_suppression: true }));
    await pipeline.submit();
    expect(pipeline.sender.sent).toHaveLength(1);
  });
});

describe('a submission with a later send_at', () => {
  test('is sent at that time, not before', async () => {
    await pipeline.accept(newSubmission({ send_at: '2026-11-21T10:00:00.000Z' }));
    expect(pipeline.queue.waiting).toEqual([]);
    pipeline.advance(71 * 60_000);
    await pipeline.sweep();
    expect(pipeline.queue.waiting).toEqual([]);
    pipeline.advance(60_001);
    await pipeline.sweep();
    expect(pipeline.queue.waiting.map(({ delaySeconds }) => delaySeconds)).toEqual([600]);
    await pipeline.sweep();
    pipeline.advance(600_000);
    await pipeline.submit();
    expect(pipeline.sender.sent).toHaveLength(1);
  });

  test('within 15 minutes is delayed by the queue; a part that arrives early is queued again', async () => {
    await pipeline.accept(newSubmission({ send_at: '2026-11-21T08:48:00.000Z' }));
    expect(pipeline.queue.waiting.map(({ delaySeconds }) => delaySeconds)).toEqual([600]);
    pipeline.advance(590_000);
    await pipeline.submit();
    expect(pipeline.queue.waiting.map(({ delaySeconds }) => delaySeconds)).toEqual([10]);
    expect(pipeline.sender.sent).toEqual([]);
  });

  test('can be canceled until its first part starts', async () => {
    await pipeline.accept(newSubmission({ send_at: '2026-11-21T08:48:00.000Z' }));
    expect(await pipeline.submissions.cancel('submission_1')).toBe(true);
    pipeline.advance(3_600_000);
    await pipeline.submit();
    await pipeline.sweep();
    expect(pipeline.sender.sent).toEqual([]);
    expect(pipeline.queue.waiting).toEqual([]);
    expect((await pipeline.find()).submission.undo_status).toBe('canceled');
  });

  test('cannot be canceled when it was sent or does not exist', async () => {
    await pipeline.accept(newSubmission());
    await pipeline.submit();
    expect(await pipeline.submissions.cancel('submission_1')).toBe(false);
    expect(await pipeline.submissions.cancel('submission_2')).toBe(false);
  });

  test('that is canceled while it starts is either sent or canceled', async () => {
    await pipeline.accept(newSubmission());
    const [canceled] = await Promise.all([pipeline.submissions.cancel('submission_1'), pipeline.submit()]);
    expect(pipeline.sender.sent).toHaveLength(canceled ? 0 : 1);
    expect((await pipeline.find()).submission.undo_status).toBe(canceled ? 'canceled' : 'final');
  });
});

test('the log of the submit Lambda contains no address', async () => {
  pipeline.sender.faults.push('refused', 'throttled');
  await pipeline.recordEvents(bounced('gone@elsewhere.test'));
  for (const id of ['submission_1', 'submission_2', 'submission_3'])
    await pipeline.accept(newSubmission({ submission_id: id, recipients: ['ann@elsewhere.test', 'gone@elsewhere.test'] }));
  await pipeline.submit();
  expect(pipeline.log.records.length).toBeGreaterThan(3);
  expect(JSON.stringify(pipeline.log.records)).not.toMatch(/@|elsewhere/);
});
