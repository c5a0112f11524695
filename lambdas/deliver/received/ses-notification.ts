import { z } from 'zod';
import { setupObject } from '../../../contract/deployment/receipt-rule-set.ts';

const verdictStatus = z.string().optional();

/** A message that SES received and stored in the mail bucket. */
export const receivedMail = z.object({
  /** SES's id of the message; duplicates of the notification have the same id. */
  messageId: z.string().min(1),
  objectKey: z.string().min(1),
  /** The recipients of the envelope that matched the receipt rule. */
  recipients: z.array(z.string()).readonly(),
  /** Time at which SES received the message, in milliseconds since 1970. */
  receivedAt: z.int(),
  /** Whether SES found spam or a virus, or the message fails a DMARC policy that asks to quarantine or reject it. */
  isJunk: z.boolean(),
  /** The envelope sender (MAIL FROM); empty for the null reverse-path. */
  sender: z.string(),
  verdicts: z.object({ spam: verdictStatus, virus: verdictStatus, spf: verdictStatus, dkim: verdictStatus, dmarc: verdictStatus }),
  /** The record of the message. Only a message that waits for full accounts has it. */
  record: z.object({ shards: z.string(), sk: z.string() }).optional(),
  /** The positions of the recipients in the record, if only some of them wait. */
  positions: z.record(z.string(), z.int()).optional(),
});
export type ReceivedMail = z.output<typeof receivedMail>;

/** The SNS message format of a notification (SNS developer guide, "Parsing Amazon SNS message formats"). */
const snsMessage = z.object({ Type: z.literal('Notification'), Message: z.string() });

const verdict = z.object({ status: z.string() }).optional();

/**
 * The fields of a notification that are used (SES developer guide, "Contents of notifications for Amazon SES email
 * receiving").
 */
const receivedNotification = z.object({
  notificationType: z.literal('Received'),
  mail: z.object({ messageId: z.string().min(1), timestamp: z.iso.datetime({ offset: true }), source: z.string().nullish() }),
  receipt: z.object({
    recipients: z.array(z.string()),
    spamVerdict: verdict,
    virusVerdict: verdict,
    spfVerdict: verdict,
    dkimVerdict: verdict,
    dmarcVerdict: verdict,
    /** The policy of the sender's domain, which SES names when the message fails DMARC. */
    dmarcPolicy: z.string().optional(),
    action: z.object({ type: z.literal('S3'), objectKey: z.string().min(1) }),
  }),
});

/** Notifications by which SES tests the bucket and the topic. They contain no mail. */
const setupNotification = z.union([
  z.string().startsWith('Successfully validated SNS topic'),
  z.object({ notificationType: z.literal('AmazonSnsSubscriptionSucceeded') }),
  z.object({ mail: z.object({ messageId: z.literal(setupObject) }) }),
  z.object({ receipt: z.object({ action: z.object({ objectKey: z.string().endsWith(setupObject) }) }) }),
]);

/** The content of a notification, which is JSON. A setup notification may be a plain sentence. */
const contentOf = (message: string): unknown => (message.startsWith('{') ? JSON.parse(message) : message);

type Receipt = z.output<typeof receivedNotification>['receipt'];

/** Policies by which a domain asks receivers to quarantine or reject forged mail (RFC 7489 §6.3). */
const strictPolicies = ['quarantine', 'reject'];

const isJunk = ({ spamVerdict, virusVerdict, dmarcVerdict, dmarcPolicy }: Receipt): boolean =>
  spamVerdict?.status === 'FAIL' ||
  virusVerdict?.status === 'FAIL' ||
  (dmarcVerdict?.status === 'FAIL' && strictPolicies.includes(dmarcPolicy?.toLowerCase() ?? ''));

/** Parses a notification of SNS. @returns undefined for a setup notification. @throws Error for any other content. */
export const parseReceivedMail = (notification: unknown): ReceivedMail | undefined => {
  const content = contentOf(snsMessage.parse(notification).Message);
  if (setupNotification.safeParse(content).success) return undefined;
  const { mail, receipt } = receivedNotification.parse(content);
  return {
    messageId: mail.messageId,
    objectKey: receipt.action.objectKey,
    recipients: receipt.recipients,
    receivedAt: Date.parse(mail.timestamp),
    isJunk: isJunk(receipt),
    sender: (mail.source ?? '').replaceAll(/^<|>$/g, ''),
    verdicts: {
      spam: receipt.spamVerdict?.status,
      virus: receipt.virusVerdict?.status,
      spf: receipt.spfVerdict?.status,
      dkim: receipt.dkimVerdict?.status,
      dmarc: receipt.dmarcVerdict?.status,
    },
  };
};
