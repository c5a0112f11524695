/**
 * Sending mail: limits of SES and of submissions, the tags on each message, and the soft-bounce policy
 * (docs/specification.md#suppression). The records of sent and of received messages have the same limits.
 */

/** Maximum recipients of one send (SES API v2: Destination). */
export const maxRecipientsPerSend = 50;

/** The class of mail that a group sends to its members outside. */
export const groupMessageClass = 'TRANSACTIONAL';

/** Maximum addresses to which an account forwards its mail. */
export const maxForwardAddresses = 5;

/** The class of mail that an account forwards to addresses outside. */
export const forwardMessageClass = groupMessageClass;

/**
 * Maximum recipients of a submission. Its parts and their outbox entries fit into one DynamoDB transaction of
 * 100 writes, together with the EmailSubmission.
 */
export const maxRecipientsPerSubmission = 10 * maxRecipientsPerSend;

/**
 * Maximum octets of a message that can be sent. SES accepts 40 MB by its API v2 "after base64 encoding" (Service quotas in
 * Amazon SES), and adds some header fields. Where it means the message in the request, it refuses from 29,000,000 octets
 * on, and the sender gets a report.
 */
export const maxSubmissionMessageBytes = 40_000_000;

/** Maximum octets of a Message-ID by which sent mail is found: the octets of a line (RFC 5322 §2.1.1). */
export const maxMessageIdLength = 998;

/** Days after `send_at` for which a submission is kept, together with its EmailSubmission. */
export const submissionRetentionDays = 90;

/** Days after its arrival for which the record of a received message is kept. */
export const receivedMailRetentionDays = submissionRetentionDays;

/** Maximum characters of a subject and of a From field in the record of a message, so that most records fit into 1 KB. */
export const maxRecordedText = 200;

/** Maximum recipients to whom an account may send in a period. A message counts once for each recipient. */
export type SendLimits = { readonly perMinute: number; readonly perDay: number };

/** The send limits of accounts, if the deployment sets no others. */
export const defaultSendLimits: SendLimits = { perMinute: 500, perDay: 5000 };

/**
 * Names of the SES message tags. Each SES event has the tags of its message. Values consist of letters, digits, `_` and
 * `-`.
 */
export const messageTags = {
  submissionId: 'submission_id',
  /** Number of the part within the submission, from 0. */
  part: 'submission_part',
  messageClass: 'message_class',
  identityId: 'identity_id',
} as const;

/** The tag on an SES identity that a deployment registered. Its value is the stack's name. */
export const deploymentTag = 'postrider:deployment';

/** Addresses of SES's mailbox simulator, by the event that each address causes. */
export const simulatorAddresses = {
  BOUNCE: 'bounce@simulator.amazonses.com',
  COMPLAINT: 'complaint@simulator.amazonses.com',
  OOTO: 'ooto@simulator.amazonses.com',
} as const;

const hour = 3_600_000;
const day = 24 * hour;

/**
 * The policy for soft bounces. A recipient becomes SOFT when `threshold` soft bounces are within one `window`. The
 * back-off starts with `firstBackOff` and doubles each time. Times are in milliseconds.
 */
export const softBouncePolicy = {
  threshold: 3,
  window: 3 * day,
  firstBackOff: day,
  maxBackOff: 14 * day,
  /**
   * Milliseconds since the last back-off without a soft bounce, after which the next back-off has the initial length
   * again.
   */
  resetAfter: 30 * day,
  /** Maximum soft bounces in a record. The oldest are dropped. */
  maxRemembered: 32,
} as const;

/** The host of a domain's MX record, at which SES receives mail. */
export const inboundHost = (region: string): string => `inbound-smtp.${region}.amazonaws.com`;

/** The host of the MX record of a custom MAIL FROM domain, at which SES receives bounces. */
export const feedbackHost = (region: string): string => `feedback-smtp.${region}.amazonses.com`;
