import * as z from 'zod';

/** What SNS puts around each notification ("Parsing message formats", Type Notification). */
const envelope = z.object({ Type: z.literal('Notification'), Message: z.string() });

/** As our own times are written, so that they compare as text. */
const moment = z.iso.datetime({ offset: true }).transform((value) => new Date(value).toISOString());

/** The bare address of what may be `Name <address>`, in lower case. */
export const addressOf = (told: string): string => (/<([^<>]*)>\s*$/.exec(told)?.[1] ?? told).trim().toLowerCase();

/** A recipient as ours are kept. */
const address = z.string().transform(addressOf);

const text = z.string().nullish().transform((value) => value ?? undefined);

const mail = z.object({
  timestamp: moment,
  source: z.string().default(''),
  sourceArn: z.string().optional(),
  messageId: z.string().min(1),
  destination: z.array(z.string()).default([]),
  tags: z.record(z.string(), z.array(z.string())).default({}),
});

const recipients = z.array(z.object({ emailAddress: address, status: text, diagnosticCode: text }));

/** "Contents of event data that Amazon SES publishes to Amazon SNS", as far as we need it. */
const report = z.discriminatedUnion('eventType', [
  z.object({ eventType: z.literal('Send'), mail }),
  z.object({ eventType: z.literal('Delivery'), mail, delivery: z.object({ timestamp: moment, recipients: z.array(address), smtpResponse: z.string().default('') }) }),
  z.object({ eventType: z.literal('DeliveryDelay'), mail, deliveryDelay: z.object({ timestamp: moment, delayType: z.string(), delayedRecipients: recipients }) }),
  z.object({
    eventType: z.literal('Bounce'), mail,
    bounce: z.object({ timestamp: moment, feedbackId: z.string(), bounceType: z.string(), bounceSubType: z.string().default(''), bouncedRecipients: recipients }),
  }),
  z.object({
    eventType: z.literal('Complaint'), mail,
    complaint: z.object({ timestamp: moment, feedbackId: z.string(), complainedRecipients: recipients, complaintFeedbackType: text, userAgent: text }),
  }),
  z.object({ eventType: z.literal('Reject'), mail, reject: z.object({ reason: z.string().default('') }) }),
  z.object({ eventType: z.literal('Rendering Failure'), mail, failure: z.object({ errorMessage: z.string().default('') }) }),
]);

/** What SES says about a message of ours. Times are RFC 3339 in UTC with milliseconds, recipients bare addresses in lower case. */
export type SesEvent = z.output<typeof report>;

/** SES trying out the topic when the destination is made. */
const isTrial = (message: string): boolean => message.startsWith('Successfully validated SNS topic');

/** What is told of mail that recipients read or of their subscriptions; nothing that we asked SES for. */
const notOurs = z.object({ eventType: z.enum(['Open', 'Click', 'Subscription']) });

/**
 * The report in the body of a queue record; undefined where there is none for us.
 * @throws Error for anything that is no such report: the queue sets it aside, and nothing is dropped unseen.
 */
export const parseSesEvent = (body: string): SesEvent | undefined => {
  const { Message } = envelope.parse(JSON.parse(body));
  if (isTrial(Message)) return undefined;
  const content: unknown = JSON.parse(Message);
  return notOurs.safeParse(content).success ? undefined : report.parse(content);
};
