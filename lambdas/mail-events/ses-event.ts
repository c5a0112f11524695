import * as z from 'zod';
import { comparableAddress } from '../../contract/values/mail-address.ts';

/** The SNS message format of a notification (SNS developer guide, "Parsing Amazon SNS message formats"). */
const snsMessage = z.object({ Type: z.literal('Notification'), Message: z.string() });

/** A time: RFC 3339 in UTC with milliseconds, so that times compare as text. */
const timestamp = z.iso.datetime({ offset: true }).transform((value) => new Date(value).toISOString());

/** The address of `Name <address>` or `address`, in the form by which addresses are compared. */
export const addressOf = (mailbox: string): string => comparableAddress((/<([^<>]*)>\s*$/.exec(mailbox)?.[1] ?? mailbox).trim());

const address = z.string().transform(addressOf);

const optionalText = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);

const mail = z.object({
  timestamp,
  source: z.string().default(''),
  sourceArn: z.string().optional(),
  messageId: z.string().min(1),
  destination: z.array(z.string()).default([]),
  tags: z.record(z.string(), z.array(z.string())).default({}),
});

const recipients = z.array(z.object({ emailAddress: address, status: optionalText, diagnosticCode: optionalText }));

/**
 * The fields of an event that are used (SES developer guide, "Contents of event data that Amazon SES publishes to
 * Amazon SNS").
 */
const sesEvent = z.discriminatedUnion('eventType', [
  z.object({ eventType: z.literal('Send'), mail }),
  z.object({ eventType: z.literal('Delivery'), mail, delivery: z.object({ timestamp, recipients: z.array(address), smtpResponse: z.string().default('') }) }),
  z.object({ eventType: z.literal('DeliveryDelay'), mail, deliveryDelay: z.object({ timestamp, delayType: z.string(), delayedRecipients: recipients }) }),
  z.object({
    eventType: z.literal('Bounce'),
    mail,
    bounce: z.object({ timestamp, feedbackId: z.string(), bounceType: z.string(), bounceSubType: z.string().default(''), bouncedRecipients: recipients }),
  }),
  z.object({
    eventType: z.literal('Complaint'),
    mail,
    complaint: z.object({ timestamp, feedbackId: z.string(), complainedRecipients: recipients, complaintFeedbackType: optionalText, userAgent: optionalText }),
  }),
  z.object({ eventType: z.literal('Reject'), mail, reject: z.object({ reason: z.string().default('') }) }),
  z.object({ eventType: z.literal('Rendering Failure'), mail, failure: z.object({ errorMessage: z.string().default('') }) }),
]);

/**
 * An event of the configuration set. Times are RFC 3339 in UTC; recipients are in the form of {@link
 * comparableAddress}.
 */
export type SesEvent = z.output<typeof sesEvent>;

/** Whether SES sent the message only to test the topic, when the event destination was created. */
const isSetupNotification = (message: string): boolean => message.startsWith('Successfully validated SNS topic');

/** Event types that this Lambda ignores, and that the configuration set does not publish. */
const ignoredEvent = z.object({ eventType: z.enum(['Open', 'Click', 'Subscription']) });

/**
 * Parses the body of a queue record. @returns undefined for a setup notification and for ignored events.
 * @throws Error for any other content: the record then ends in the dead-letter queue, so that nothing is dropped
 * silently.
 */
export const parseSesEvent = (body: string): SesEvent | undefined => {
  const { Message } = snsMessage.parse(JSON.parse(body));
  if (isSetupNotification(Message)) return undefined;
  const content: unknown = JSON.parse(Message);
  return ignoredEvent.safeParse(content).success ? undefined : sesEvent.parse(content);
};
