/** Sending mail: what SES allows, how its reports find their submission, and when a recipient is left alone (docs/specification.md#suppression). */

/** Recipients of one send at most (SES API v2: Destination). */
export const maxRecipientsPerSend = 50;

/** Recipients of a submission at most: its sends and their outbox entries fit one transaction of 100 writes. */
export const maxRecipientsPerSubmission = 48 * maxRecipientsPerSend;

/** Octets of a raw message that a submission may carry itself. */
export const maxSubmissionMessageBytes = 300_000;

/** Tags that a message carries through SES, so that every report on it names what it is about. Values: letters, digits, `_`, `-`. */
export const messageTags = {
  submissionId: 'submission_id',
  /** Which of the submission's sends, from 0. */
  part: 'submission_part',
  messageClass: 'message_class',
  identityId: 'identity_id',
} as const;

/** SES's mailbox simulator by what it plays. */
export const simulatorAddresses = {
  BOUNCE: 'bounce@simulator.amazonses.com',
  COMPLAINT: 'complaint@simulator.amazonses.com',
  OOTO: 'ooto@simulator.amazonses.com',
} as const;

const hour = 3_600_000;
const day = 24 * hour;

/** When bounces that may pass make a recipient SOFT: so many within the window. Then it is left alone, each time twice as long; all in milliseconds. */
export const softBouncePolicy = {
  threshold: 3,
  window: 3 * day,
  firstBackOff: day,
  maxBackOff: 14 * day,
  /** After so long a peace the next back-off is the first one again. */
  resetAfter: 30 * day,
  /** So many of the newest are remembered. */
  maxRemembered: 32,
} as const;
