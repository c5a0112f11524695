import { emailSubmissionType, type EmailSubmissionRecord } from '../../core/mail/email-submission-type.ts';
import { prepareSubmission } from '../../core/sending/submission/accept-submission.ts';
import { reportBlobIds, type NewSubmission } from '../../core/sending/submission/submission.ts';
import { newSubmission, sesEventBody, type SendPipeline, type SesMail } from './send-pipeline.ts';

/** Time of an event, in seconds after the submission. */
export const second = (count: number): string => new Date(Date.UTC(2026, 10, 21, 8, 38, count)).toISOString();

/** Bodies of queue records with SES events about one recipient. The default submission is `submission_1`. */
export const eventsAbout = (recipient: string, mail?: SesMail) => ({
  delivery: (at: number) =>
    sesEventBody(
      'Delivery',
      { delivery: { timestamp: second(at), processingTimeMillis: 1, recipients: [recipient], smtpResponse: `250 2.0.0 OK ${at}`, reportingMTA: 'a' } },
      mail,
    ),
  delay: (at: number) =>
    sesEventBody(
      'DeliveryDelay',
      {
        deliveryDelay: {
          timestamp: second(at),
          delayType: 'MailboxFull',
          expirationTime: second(50),
          delayedRecipients: [{ emailAddress: recipient, status: '4.2.2', diagnosticCode: `smtp; 452 4.2.2 full ${at}` }],
        },
      },
      mail,
    ),
  bounce: (bounceType: string, at: number, more: object = { action: 'failed', status: '5.1.1', diagnosticCode: `smtp; 550 5.1.1 unknown ${at}` }) =>
    sesEventBody(
      'Bounce',
      {
        bounce: {
          feedbackId: `b-${recipient}-${at}`,
          bounceType,
          bounceSubType: 'General',
          timestamp: second(at),
          bouncedRecipients: [{ emailAddress: recipient, ...more }],
          reportingMTA: 'dns; a',
        },
      },
      mail,
    ),
  complaint: (at: number, complaintFeedbackType = 'abuse') =>
    sesEventBody(
      'Complaint',
      {
        complaint: {
          feedbackId: `c-${recipient}-${at}`,
          complaintSubType: null,
          timestamp: second(at),
          complaintFeedbackType,
          userAgent: 'ua',
          complainedRecipients: [{ emailAddress: recipient }],
          arrivalDate: second(at),
        },
      },
      mail,
    ),
});

export const senderAccount = 'acc_alice';
export const rawMessage = 'From: alice@example.test\r\nSubject: Lunch\r\nMessage-ID: <own@example.test>\r\n\r\nhello\r\n';

/** Accepts a submission of Alice's account together with its EmailSubmission. */
export const acceptForAlice = async (pipeline: SendPipeline, more: Partial<NewSubmission> = {}): Promise<void> => {
  const submission = newSubmission({
    account_id: senderAccount,
    user_id: 'user_alice',
    identity_id: 'identity_alice',
    mail_from: 'alice@example.test',
    has_record: true,
    thread_id: 'Tlunch',
    message: Buffer.from(rawMessage),
    ...more,
  });
  const { submission_id: id, identity_id: identityId, thread_id: threadId = '', send_at: sendAt } = submission;
  const record: EmailSubmissionRecord = {
    id,
    identityId,
    emailId: 'Mlunch',
    threadId,
    sendAt,
    undoStatus: 'pending',
    recipients: submission.recipients.length,
    createdAt: Date.parse(submission.created_at),
    parts: 1,
    deliveryChanges: 0,
  };
  const prepared = await prepareSubmission(submission, pipeline.dependencies);
  await pipeline.mail.commitRecords([{ accountId: senderAccount, type: emailSubmissionType, id }], () => ({
    accounts: { [senderAccount]: { EmailSubmission: { put: [record] } } },
    additionalWrites: prepared.writes,
  }));
  await prepared.enqueue();
};

/** The reports in the bucket: the addresses that each report names, in order. */
export const reportedAddresses = async ({ objects }: SendPipeline): Promise<string[][]> => {
  const keys = objects.keys().filter((key) => key.startsWith(`messages/${senderAccount}/`));
  const raws = await Promise.all(keys.map(async (key) => (await objects.get(key))!.bytes.toString()));
  return raws
    .filter((raw) => raw.includes('report-type=delivery-status'))
    .map((raw) => [...raw.matchAll(/^Final-Recipient: rfc822; (.*)\r$/gm)].map(([, address]) => address!).sort())
    .sort(([one = ''], [other = '']) => one.localeCompare(other));
};

export const dsnBlobIds = async (pipeline: SendPipeline, id?: string): Promise<readonly string[]> => reportBlobIds((await pipeline.find(id)).parts);
