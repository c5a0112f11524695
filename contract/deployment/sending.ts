/**
 * Sending mail: limits of SES and of submissions, the tags on each message, and the soft-bounce policy
 * (docs/specification.md#suppression).
 */

/** Maximum recipients of one send (SES API v2: Destination). */
export const maxRecipientsPerSend = 50;

/**
 * Maximum recipients of a submission. Its parts and their outbox entries fit one DynamoDB transaction of 100 writes,
 * together with the EmailSubmission.
 */
export const maxRecipientsPerSubmission = 10 * maxRecipientsPerSend;

/**
 * Maximum octets of a submission's raw message. SES takes 40 MB by its API v2, with attachments in base64 (Service
 * quotas in Amazon SES), and adds some header fields.
 */
export const maxSubmissionMessageBytes = 40_000_000;

/** Maximum octets of a Message-ID by which sent mail is found: those of a line (RFC 5322 §2.1.1). */
export const maxMessageIdLength = 998;

/** Days for which a submission is kept after its `send_at`, with the EmailSubmission. */
export const submissionRetentionDays = 90;

/** Recipients to whom an account may send in a period. A message counts once for each recipient. */
export type SendLimits = { readonly perMinute: number; readonly perDay: number };

/** The limits of an account in a deployment that sets no others. */
export const defaultSendLimits: SendLimits = { perMinute: 500, perDay: 5000 };

/** SES message tags: each SES event carries those of its message. Values consist of letters, digits, `_` and `-`. */
export const messageTags = {
  submissionId: 'submission_id',
  /** Number of the part within the submission, from 0. */
  part: 'submission_part',
  messageClass: 'message_class',
  identityId: 'identity_id',
} as const;

/** The tag on an SES identity that a deployment registered. Its value is the stack's name. */
export const deploymentTag = 'postrider:deployment';

/** Addresses of SES's mailbox simulator, by the event that each simulates. */
export const simulatorAddresses = {
  BOUNCE: 'bounce@simulator.amazonses.com',
  COMPLAINT: 'complaint@simulator.amazonses.com',
  OOTO: 'ooto@simulator.amazonses.com',
} as const;

const hour = 3_600_000;
const day = 24 * hour;

/**
 * A recipient becomes SOFT when `threshold` soft bounces are within one `window`. The back-off starts with
 * `firstBackOff` and doubles each time. Times are in milliseconds.
 */
export const softBouncePolicy = {
  threshold: 3,
  window: 3 * day,
  firstBackOff: day,
  maxBackOff: 14 * day,
  /** After this time without a soft bounce since the last back-off, the next back-off is the first one again. */
  resetAfter: 30 * day,
  /** Soft bounces that a record keeps; the oldest are dropped. */
  maxRemembered: 32,
} as const;

/** The host of a domain's MX record, at which SES receives mail. */
export const inboundHost = (region: string): string => `inbound-smtp.${region}.amazonaws.com`;

/** The host of the MX record of a custom MAIL FROM domain, at which SES receives bounces. */
export const feedbackHost = (region: string): string => `feedback-smtp.${region}.amazonses.com`;
