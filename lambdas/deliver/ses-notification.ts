import { z } from 'zod';

/** A message that SES received and put into the bucket. */
export type ReceivedMail = {
  /** SES's own id of it: the same however often SES says so. */
  readonly messageId: string;
  readonly objectKey: string;
  /** The recipients that our receipt rule took it for; the envelope's, not the header's. */
  readonly recipients: readonly string[];
  /** When SES received it, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** SES found it to be spam or to carry a virus. */
  readonly isJunk: boolean;
};

/** What SNS puts around each notification ("Parsing message formats", Type Notification). */
const envelope = z.object({ Type: z.literal('Notification'), Message: z.string() });

const verdict = z.object({ status: z.string() }).optional();

/** What we need of "Contents of notifications for Amazon SES email receiving". */
const received = z.object({
  notificationType: z.literal('Received'),
  mail: z.object({ messageId: z.string().min(1), timestamp: z.iso.datetime({ offset: true }) }),
  receipt: z.object({
    recipients: z.array(z.string()),
    spamVerdict: verdict,
    virusVerdict: verdict,
    action: z.object({ type: z.literal('S3'), objectKey: z.string().min(1) }),
  }),
});

/** What SES stores and announces when a rule is made, to see whether it may. */
const trialObject = 'AMAZON_SES_SETUP_NOTIFICATION';

/** SES trying out the bucket and the topic: there is no mail in it. */
const trial = z.union([
  z.string().startsWith('Successfully validated SNS topic'),
  z.object({ notificationType: z.literal('AmazonSnsSubscriptionSucceeded') }),
  z.object({ mail: z.object({ messageId: z.literal(trialObject) }) }),
  z.object({ receipt: z.object({ action: z.object({ objectKey: z.string().endsWith(trialObject) }) }) }),
]);

/** A notification is JSON, a trial may be a sentence. */
const contentOf = (message: string): unknown => (message.startsWith('{') ? JSON.parse(message) : message);

/**
 * The mail that the body of a queue record announces; undefined when SES only tried whether it may.
 * @throws Error for anything that is no such notification: the queue sets it aside, and nothing is dropped unseen.
 */
export const parseReceivedMail = (body: string): ReceivedMail | undefined => {
  const content = contentOf(envelope.parse(JSON.parse(body)).Message);
  if (trial.safeParse(content).success) return undefined;
  const { mail, receipt } = received.parse(content);
  return {
    messageId: mail.messageId,
    objectKey: receipt.action.objectKey,
    recipients: receipt.recipients,
    receivedAt: Date.parse(mail.timestamp),
    isJunk: [receipt.spamVerdict, receipt.virusVerdict].some((found) => found?.status === 'FAIL'),
  };
};
