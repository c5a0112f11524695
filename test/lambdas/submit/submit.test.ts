import { softBouncePolicy } from '../../../contract/sending.ts';
import { maxUnanswered, providerRetryPeriod, unconfirmedTimeout } from '../../../lambdas/submit/submit-part.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { Crash, failingTable } from '../../support/failing-table.ts';
import { newSubmission, sesEventBody, sendPipeline, type SendPipeline } from '../../support/send-pipeline.ts';

let pipeline: SendPipeline;
beforeEach(() => {
  pipeline = sendPipeline();
});

const stateOf = async (id?: string) => (await pipeline.find(id)).parts.map(({ state }) => state);
const bounced = (recipient: string, timestamp = '2026-11-21T08:38:02.000Z', bounceType = 'Permanent', feedbackId = `f-${recipient}-${timestamp}`) =>
  sesEventBody('Bounce', { bounce: { feedbackId, bounceType, bounceSubType: 'General', timestamp, bouncedRecipients: [{ emailAddress: recipient, status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 user unknown' }] } }, { submission: null });
const complained = (recipient: string) =>
  sesEventBody('Complaint', { complaint: { feedbackId: 'c1', timestamp: '2026-11-21T08:38:02.000Z', complainedRecipients: [{ emailAddress: recipient }], complaintFeedbackType: 'abuse' } }, { submission: null });

describe('a submission', () => {
  test('is sent once, with its envelope, class and tags; then it is final and its outbox entry is gone', async () => {
    await pipeline.accept(newSubmission());
    expect(await pipeline.outbox()).toHaveLength(1);
    expect(await pipeline.submit()).toEqual([]);
    expect(pipeline.sender.sent).toMatchObject([{
      from: 'test@example.test', recipients: ['ann@elsewhere.test'], submission_id: 'submission_1', part: 0, message_class: 'TRANSACTIONAL', identity_id: 'dom_1',
    }]);
    expect(Buffer.from(pipeline.sender.sent[0]!.message).toString()).toContain('hello');
    const { submission, parts } = await pipeline.find();
    expect(submission).toMatchObject({ undo_status: 'final', parts: 1 });
    expect(parts).toMatchObject([{ state: 'sent', attempts: 1, sent: { provider_message_id: '01000' } }]);
    expect(await pipeline.outbox()).toEqual([]);
  });

  test('that the queue hands out again is not sent again', async () => {
    await pipeline.accept(newSubmission());
    const bodies = pipeline.queue.take();
    await pipeline.submit([...bodies, ...bodies]);
    await pipeline.submit(bodies);
    expect(pipeline.sender.sent).toHaveLength(1);
  });

  test('that ten Lambdas take at once is sent once', async () => {
    await pipeline.accept(newSubmission());
    const bodies = pipeline.queue.take();
    await Promise.all(Array.from({ length: 10 }, () => pipeline.submit(bodies)));
    expect(pipeline.sender.sent).toHaveLength(1);
    expect(await stateOf()).toEqual(['sent']);
  });

  test('to more than 50 recipients is several sends, each recipient in one of them', async () => {
    const recipients = Array.from({ length: 120 }, (_, index) => `r${index}@elsewhere.test`);
    await pipeline.accept(newSubmission({ recipients }));
    await pipeline.submit();
    expect(pipeline.sender.sent.map((mail) => mail.recipients.length)).toEqual([50, 50, 20]);
    expect(pipeline.sender.sent.flatMap((mail) => mail.recipients)).toEqual(recipients);
    expect(await stateOf()).toEqual(['sent', 'sent', 'sent']);
  });

  test.each([['no recipients', 0], ['too many', 2401]])('with %s is refused', async (_, length) => {
    await expect(pipeline.accept(newSubmission({ recipients: Array.from({ length }, (_unused, index) => `r${index}@elsewhere.test`) }))).rejects.toBeInstanceOf(RangeError);
  });

  test('that is nobody’s, or no reference at all, harms nobody', async () => {
    expect(await pipeline.submit([JSON.stringify({ submission_id: 'submission_none', part: 0 })])).toEqual([]);
    expect(await pipeline.submit(['what'])).toEqual(['what']);
    expect(pipeline.sender.sent).toEqual([]);
  });
});

describe('a crash', () => {
  test('between the transaction and the queue loses nothing: the outbox is swept', async () => {
    await pipeline.submissions.create(newSubmission(), '2026-11-21T08:40:00.000Z');
    await pipeline.sweep();
    expect(pipeline.queue.take()).toEqual([]);
    pipeline.pass(3 * 60_000);
    await pipeline.sweep();
    await pipeline.sweep();
    expect(pipeline.queue.waiting).toHaveLength(1);
    await pipeline.submit();
    expect(pipeline.sender.sent).toHaveLength(1);
    expect(await pipeline.outbox()).toEqual([]);
  });

  test('of the sweep after it told the queue tells it twice, and the message goes out once', async () => {
    await pipeline.submissions.create(newSubmission(), '2026-11-21T08:37:00.000Z');
    await pipeline.queue.send(await pipeline.submissions.findDueEntries(pipeline.clock().toISOString(), 10));
    await pipeline.sweep();
    expect(pipeline.queue.waiting).toHaveLength(2);
    await pipeline.submit();
    expect(pipeline.sender.sent).toHaveLength(1);
    pipeline.pass(3_600_000);
    await pipeline.sweep();
    expect(pipeline.queue.waiting).toEqual([]);
  });

  test('between the send and its record is made good by SES’s report, not by a second send', async () => {
    const table = failingTable(memoryTable());
    pipeline = sendPipeline(table);
    await pipeline.accept(newSubmission());
    const [body] = pipeline.queue.take();
    table.crashAtWrite(1);
    expect(await pipeline.submit([body!])).toEqual([body]);
    expect(pipeline.sender.sent).toHaveLength(1);
    expect(await stateOf()).toEqual(['sending']);

    await pipeline.submit([body!]);
    expect(pipeline.sender.sent).toHaveLength(1);
    expect(await pipeline.report(sesEventBody('Send', { send: {} }))).toEqual([]);
    expect((await pipeline.find()).parts).toMatchObject([{ state: 'sent', sent: { provider_message_id: '01000' } }]);
    pipeline.pass(unconfirmedTimeout);
    await pipeline.submit();
    expect(pipeline.sender.sent).toHaveLength(1);
  });

  test('is made good by any report: a delivery says as well that SES took it', async () => {
    pipeline.sender.troubles.push('answer lost');
    await pipeline.accept(newSubmission());
    expect(await pipeline.submit()).toHaveLength(1);
    await pipeline.report(sesEventBody('Delivery', { delivery: { timestamp: '2026-11-21T08:38:03.000Z', recipients: ['ann@elsewhere.test'], smtpResponse: '250 ok' } }));
    expect(await pipeline.find()).toMatchObject({ parts: [{ state: 'sent' }], statuses: { 'ann@elsewhere.test': { delivered: 'yes', smtp_reply: '250 ok' } } });
  });

  test('before the send is waited out: what SES did not report for long it did not take, and is sent', async () => {
    pipeline.sender.troubles.push('no answer');
    await pipeline.accept(newSubmission());
    const again = await pipeline.submit();
    await pipeline.submit(again);
    expect(pipeline.queue.waiting).toEqual([{ body: again[0], delaySeconds: 900 }]);
    expect(pipeline.sender.sent).toEqual([]);
    pipeline.pass(unconfirmedTimeout);
    await pipeline.submit();
    expect(pipeline.sender.sent).toHaveLength(1);
    expect(await stateOf()).toEqual(['sent']);
  });

  test('again and again ends in a failure that says so', async () => {
    pipeline.sender.troubles.push(...Array.from({ length: maxUnanswered }, () => 'no answer' as const));
    await pipeline.accept(newSubmission());
    let bodies = pipeline.queue.take();
    for (let count = 0; count < maxUnanswered + 1; count++) {
      await pipeline.submit(bodies);
      pipeline.pass(unconfirmedTimeout);
    }
    bodies = [];
    expect(await pipeline.find()).toMatchObject({ parts: [{ state: 'failed' }], statuses: { 'ann@elsewhere.test': { delivered: 'no', smtp_reply: expect.stringContaining('not known') } } });
  });

  test.each([[0, 'before'], [0, 'after'], [1, 'before'], [1, 'after']] as const)('at write %i of a submit, %s it, never sends twice', async (write, when) => {
    const table = failingTable(memoryTable());
    pipeline = sendPipeline(table);
    await pipeline.accept(newSubmission());
    const bodies = pipeline.queue.take();
    table.crashAtWrite(write, when);
    const again = await pipeline.submit(bodies);
    if (pipeline.sender.sent.length > 0) await pipeline.report(sesEventBody('Send', { send: {} }));
    for (let time = 0; time < 3; time++) {
      await pipeline.submit([...again, ...pipeline.queue.take()]);
      pipeline.pass(unconfirmedTimeout);
    }
    expect(pipeline.sender.sent).toHaveLength(1);
    expect(await stateOf()).toEqual(['sent']);
  });

  test('before the transaction leaves nothing', async () => {
    const table = failingTable(memoryTable());
    pipeline = sendPipeline(table);
    table.crashAtWrite(0);
    await expect(pipeline.accept(newSubmission())).rejects.toBeInstanceOf(Crash);
    expect(await pipeline.submissions.find('submission_1')).toBeUndefined();
    expect(await pipeline.outbox()).toEqual([]);
  });
});

describe('a provider that throttles', () => {
  test('is asked again later and later, by the queue', async () => {
    pipeline.sender.troubles.push(...Array.from({ length: 12 }, () => 'throttled' as const));
    await pipeline.accept(newSubmission());
    const delays: number[] = [];
    for (let count = 0; count < 12; count++) {
      expect(await pipeline.submit()).toEqual([]);
      delays.push(pipeline.queue.waiting[0]!.delaySeconds);
      expect(await stateOf()).toEqual(['queued']);
    }
    expect(delays[0]).toBeLessThanOrEqual(10);
    expect(delays.at(-1)).toBeGreaterThanOrEqual(450);
    for (const delay of delays) expect(delay).toBeLessThanOrEqual(900);
    await pipeline.submit();
    expect(pipeline.sender.sent).toHaveLength(1);
  });

  test('for days fails the recipients', async () => {
    pipeline.sender.troubles.push('throttled');
    await pipeline.accept(newSubmission());
    await pipeline.submit();
    pipeline.pass(providerRetryPeriod + 1);
    await pipeline.submit();
    expect(await pipeline.find()).toMatchObject({ parts: [{ state: 'failed' }], statuses: { 'ann@elsewhere.test': { delivered: 'no', smtp_reply: expect.stringMatching(/^451 4\.4\.7 /) } } });
  });

  test('one that refuses fails the recipients, with its words', async () => {
    pipeline.sender.troubles.push('refused');
    await pipeline.accept(newSubmission());
    expect(await pipeline.submit()).toEqual([]);
    expect(await pipeline.find()).toMatchObject({
      parts: [{ state: 'failed' }], statuses: { 'ann@elsewhere.test': { delivered: 'no', displayed: 'unknown', smtp_reply: '554 5.7.1 Email address is not verified.' } },
    });
    expect(pipeline.queue.waiting).toEqual([]);
  });
});

describe('a suppressed recipient', () => {
  test('fails visibly, and the others get the message', async () => {
    await pipeline.report(bounced('Gone@elsewhere.test'));
    await pipeline.accept(newSubmission({ recipients: ['ann@elsewhere.test', 'gone@Elsewhere.test'] }));
    await pipeline.submit();
    expect(pipeline.sender.sent.map(({ recipients }) => recipients)).toEqual([['ann@elsewhere.test']]);
    expect((await pipeline.find()).statuses).toMatchObject({
      'ann@elsewhere.test': { delivered: 'queued' }, 'gone@Elsewhere.test': { delivered: 'no', smtp_reply: '550 5.7.1 not sent: mail to this recipient bounced for good' },
    });
  });

  test('alone: nothing is sent at all', async () => {
    await pipeline.report(bounced('ann@elsewhere.test'));
    await pipeline.accept(newSubmission());
    await pipeline.submit();
    expect(pipeline.sender.sent).toEqual([]);
    expect(await pipeline.find()).toMatchObject({ submission: { undo_status: 'final' }, parts: [{ state: 'failed' }] });
    expect(await pipeline.outbox()).toEqual([]);
  });

  test('after a complaint, in its class only', async () => {
    await pipeline.report(complained('ann@elsewhere.test'));
    await pipeline.accept(newSubmission());
    await pipeline.accept(newSubmission({ submission_id: 'submission_2', message_class: 'BULK' }));
    await pipeline.submit();
    expect(pipeline.sender.sent.map(({ submission_id }) => submission_id)).toEqual(['submission_2']);
  });

  test('after bounces that may pass is sent to again when the back-off is over', async () => {
    for (let second = 0; second < softBouncePolicy.threshold; second++) await pipeline.report(bounced('ann@elsewhere.test', `2026-11-21T08:38:0${second}.000Z`, 'Transient'));
    await pipeline.accept(newSubmission());
    await pipeline.submit();
    expect(pipeline.sender.sent).toEqual([]);
    pipeline.pass(softBouncePolicy.firstBackOff + 10_000);
    await pipeline.accept(newSubmission({ submission_id: 'submission_2', send_at: pipeline.clock().toISOString() }));
    await pipeline.submit();
    expect(pipeline.sender.sent).toHaveLength(1);
  });

  test('of a simulator test is sent to all the same', async () => {
    await pipeline.report(bounced('ann@elsewhere.test'));
    await pipeline.accept(newSubmission({ ignores_suppression: true }));
    await pipeline.submit();
    expect(pipeline.sender.sent).toHaveLength(1);
  });
});

describe('a submission for later', () => {
  test('is not sent before its time, and about then', async () => {
    await pipeline.accept(newSubmission({ send_at: '2026-11-21T10:00:00.000Z' }));
    expect(pipeline.queue.waiting).toEqual([]);
    pipeline.pass(82 * 60_000 + 1);
    await pipeline.sweep();
    await pipeline.submit();
    expect(pipeline.sender.sent).toHaveLength(1);
  });

  test('within 15 minutes is kept back by the queue; one that comes early waits on', async () => {
    await pipeline.accept(newSubmission({ send_at: '2026-11-21T08:48:00.000Z' }));
    expect(pipeline.queue.waiting.map(({ delaySeconds }) => delaySeconds)).toEqual([600]);
    pipeline.pass(590_000);
    await pipeline.submit();
    expect(pipeline.queue.waiting.map(({ delaySeconds }) => delaySeconds)).toEqual([10]);
    expect(pipeline.sender.sent).toEqual([]);
  });

  test('can be canceled until it is about to be sent', async () => {
    await pipeline.accept(newSubmission({ send_at: '2026-11-21T08:48:00.000Z' }));
    expect(await pipeline.submissions.cancel('submission_1')).toBe(true);
    pipeline.pass(3_600_000);
    await pipeline.submit();
    await pipeline.sweep();
    expect(pipeline.sender.sent).toEqual([]);
    expect(pipeline.queue.waiting).toEqual([]);
    expect((await pipeline.find()).submission.undo_status).toBe('canceled');
  });

  test('that was sent, or is not there, can’t be', async () => {
    await pipeline.accept(newSubmission());
    await pipeline.submit();
    expect(await pipeline.submissions.cancel('submission_1')).toBe(false);
    expect(await pipeline.submissions.cancel('submission_2')).toBe(false);
  });

  test('canceled while it is about to be sent is either', async () => {
    await pipeline.accept(newSubmission());
    const [canceled] = await Promise.all([pipeline.submissions.cancel('submission_1'), pipeline.submit()]);
    expect(pipeline.sender.sent).toHaveLength(canceled ? 0 : 1);
    expect((await pipeline.find()).submission.undo_status).toBe(canceled ? 'canceled' : 'final');
  });
});

test('the log names no address', async () => {
  pipeline.sender.troubles.push('refused', 'throttled');
  await pipeline.report(bounced('gone@elsewhere.test'));
  for (const id of ['submission_1', 'submission_2', 'submission_3']) await pipeline.accept(newSubmission({ submission_id: id, recipients: ['ann@elsewhere.test', 'gone@elsewhere.test'] }));
  await pipeline.submit();
  expect(pipeline.log.records.length).toBeGreaterThan(3);
  expect(JSON.stringify(pipeline.log.records)).not.toMatch(/@|elsewhere/);
});
