import { submissionRetentionDays } from '../../../contract/deployment/sending.ts';
import { MailRefused } from '../../../core/aws/ses/ses-mail-sender.ts';
import { emailSubmissionsOf, emailSubmissionType } from '../../../core/mail/email-submission-type.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { prepareSubmission } from '../../../core/sending/submission/accept-submission.ts';
import { newSubmission, sendPipeline, type SendPipeline } from '../../support/send-pipeline.ts';

const account = 'acc_1';
const id = 'submission_1';
const day = 86_400_000;

/** Creates a submission of an account with its EmailSubmission, as /set does. */
const submitForAccount = async (pipeline: SendPipeline, more: Partial<Parameters<typeof newSubmission>[0]> = {}) => {
  await pipeline.mail.createAccount(account);
  const submission = newSubmission({ account_id: account, user_id: 'user_1', has_record: true, ...more });
  const prepared = await prepareSubmission(submission, pipeline.dependencies);
  await pipeline.mail.commitRecords([{ accountId: account, type: emailSubmissionType, id }], () => ({
    accounts: {
      [account]: {
        EmailSubmission: {
          put: [
            {
              id,
              identityId: 'i',
              emailId: 'e',
              threadId: 't',
              sendAt: submission.send_at,
              undoStatus: 'pending',
              recipients: submission.recipients.length,
              createdAt: Date.parse(submission.created_at),
              parts: 1,
              deliveryChanges: 0,
            } as never,
          ],
        },
      },
    },
    additionalWrites: prepared.writes,
  }));
  await prepared.enqueue();
};
const view = async (pipeline: SendPipeline) => (await pipeline.mail.open(account))!;

describe('a submission of an account', () => {
  test('becomes final with its EmailSubmission when its part starts', async () => {
    const pipeline = sendPipeline();
    await submitForAccount(pipeline);
    const before = await view(pipeline);
    await pipeline.submit();
    const after = await view(pipeline);
    expect(emailSubmissionsOf(after).get(id)).toMatchObject({ undoStatus: 'final' });
    expect((await pipeline.mail.changes(after, 'EmailSubmission', before.state('EmailSubmission')))!.updated).toEqual([id]);
    expect(await pipeline.outbox()).toEqual([]);
    expect(pipeline.objects.keys()).toEqual([]);
  });

  test('is refused with a report when its sender was deactivated before it is sent', async () => {
    let refusal: string | undefined;
    const pipeline = sendPipeline({ refusalOf: async () => refusal });
    await submitForAccount(pipeline, { send_at: '2026-11-21T08:48:00.000Z' });
    refusal = 'The person is not active.';
    pipeline.advance(600_000);
    await pipeline.submit();
    expect(pipeline.sender.sent).toEqual([]);
    expect((await pipeline.find()).statuses).toMatchObject({
      'ann@elsewhere.test': { delivered: 'no', smtp_reply: '550 5.7.1 not sent: The person is not active.' },
    });
    expect(emailsOf(await view(pipeline)).size).toBe(1);
    expect(emailSubmissionsOf(await view(pipeline)).get(id)).toMatchObject({ undoStatus: 'final', deliveryChanges: 2 });
  });

  test('is removed with its EmailSubmission when its retention ends', async () => {
    const pipeline = sendPipeline();
    await submitForAccount(pipeline);
    await pipeline.submit();
    pipeline.advance(submissionRetentionDays * day - 1000);
    await pipeline.sweep();
    const before = await view(pipeline);
    expect(emailSubmissionsOf(before).size).toBe(1);
    pipeline.advance(2000);
    await pipeline.sweep();
    const after = await view(pipeline);
    expect((await pipeline.mail.changes(after, 'EmailSubmission', before.state('EmailSubmission')))!.destroyed).toEqual([id]);
    expect(await pipeline.submissions.find(id)).toBeUndefined();
    expect(await pipeline.table.query({ pk: 'retention' })).toEqual([]);
  });

  test('for next week is sent at its time, over all sweeps until then', async () => {
    const pipeline = sendPipeline();
    const sendAt = Date.parse('2026-11-28T08:38:30.000Z');
    await submitForAccount(pipeline, { send_at: new Date(sendAt).toISOString() });
    const sentAt: number[] = [];
    let waiting: { readonly body: string; readonly at: number }[] = [];
    while (pipeline.clock().getTime() < sendAt + 120_000) {
      if (pipeline.clock().getSeconds() === 0) await pipeline.sweep();
      const now = pipeline.clock().getTime();
      waiting.push(...pipeline.queue.waiting.map(({ body, delaySeconds }) => ({ body, at: now + delaySeconds * 1000 })));
      pipeline.queue.take();
      for (const { body } of waiting.filter(({ at }) => at <= now)) await pipeline.submit([body]);
      waiting = waiting.filter(({ at }) => at > now);
      if (pipeline.sender.sent.length > sentAt.length) sentAt.push(now);
      // A minute at a time until the last quarter of an hour, then a second.
      pipeline.advance(sendAt - now > 900_000 ? 60_000 : 1000);
    }
    expect(sentAt).toEqual([sendAt]);
  });
});

describe('a recipient whom SES does not deliver to', () => {
  test('fails separately, with a message about the remedy', async () => {
    const pipeline = sendPipeline();
    const send = jest.spyOn(pipeline.sender, 'send');
    send.mockImplementationOnce(async () => {
      throw new MailRefused('the SES sandbox of this account sends to verified addresses only', ['Bob@elsewhere.test']);
    });
    await pipeline.accept(newSubmission({ recipients: ['ann@elsewhere.test', 'bob@elsewhere.test'] }));
    await pipeline.submit();
    expect(pipeline.sender.sent.map(({ recipients }) => recipients)).toEqual([['ann@elsewhere.test']]);
    expect((await pipeline.find()).statuses).toMatchObject({
      'ann@elsewhere.test': { delivered: 'queued' },
      'bob@elsewhere.test': { delivered: 'no', smtp_reply: '554 5.7.1 the SES sandbox of this account sends to verified addresses only' },
    });
  });
});
