import * as z from 'zod';
import { message } from '../rpc/rpc.ts';
import { bool, count, enumeration, instant, list } from '../values/fields.ts';

/**
 * The outcome of a received message for one recipient. DELIVERED: into the inbox of the account. JUNK: into Junk,
 * because a verdict failed. DUPLICATE: the account has the message by another recipient of it. GROUP: the address is that of a group, whose receivers are listed as
 * recipients. FORWARDED: it was sent on to the address outside, or the account of the address has forwarded it and keeps no copy. COPIED: it was
 * copied to the `bcc` of an alias. WAITS_FOR_ROOM: the account is full. BOUNCE_DUE: a bounce waits to be sent. BOUNCED: SES sent
 * the bounce. DROPPED: it was neither delivered nor bounced, for the reason given. IN_PROGRESS: it is not delivered yet,
 * or a copy is not sent yet. ACCOUNT_REMOVED: the account that received it was removed. NOT_KNOWN: the account has no
 * trace of it any more.
 */
export const ReceivedOutcome = enumeration('ReceivedOutcome', [
  'DELIVERED',
  'JUNK',
  'DUPLICATE',
  'GROUP',
  'FORWARDED',
  'COPIED',
  'WAITS_FOR_ROOM',
  'BOUNCE_DUE',
  'BOUNCED',
  'DROPPED',
  'IN_PROGRESS',
  'ACCOUNT_REMOVED',
  'NOT_KNOWN',
]);
export type ReceivedOutcome = z.output<typeof ReceivedOutcome>;

/** The Email of a received message now. Only GetReceivedMessage returns it. */
export const ReceivedEmail = message('ReceivedEmail', {
  email_id: z.string(),
  /** The names of the Mailboxes that have the Email. Empty when it is destroyed. */
  mailboxes: list(z.string()),
  /** Whether the Email is no longer in the Mailbox into which it was delivered. */
  moved: bool(),
  /** The time of the destruction. Absent while the Email exists; a restored Email exists. */
  destroyed_at: instant().optional(),
  /** The user or the headless client that destroyed the Email, while it is restorable. */
  destroyed_by: z.string().optional(),
  /** Whether RestoreEmails can restore the Email. */
  restorable: bool(),
});

export const ReceivedRecipient = message('ReceivedRecipient', {
  /** The recipient as the envelope has it, or the `bcc` of an alias. */
  address: z.string(),
  outcome: ReceivedOutcome,
  /** The account of the recipient. */
  account_id: z.string().optional(),
  /** The alias that requested the copy. */
  copy_of: z.string().optional(),
  /** The address of the group by which the account got the message; of a group, its own. */
  group: z.string().optional(),
  /** The primary address of the account that forwards its mail to this address. */
  forwarded_by: z.string().optional(),
  /**
   * The verdicts for which the message is in Junk, such as `SPAM`, or the reason of DROPPED. Of an address that nobody receives it
   * says what the address is, and why no bounce was sent: `inactive address; unauthenticated sender`.
   */
  reason: z.string().optional(),
  /** The answer of the bounce to the sender. */
  smtp_reply: z.string().optional(),
  /** The time of the bounce. */
  bounced_at: instant().optional(),
  /** The time since which the message waits for room. */
  waits_since: instant().optional(),
  next_attempt: instant().optional(),
  email: ReceivedEmail.optional(),
});

/** SES's verdicts: PASS, FAIL, GRAY, PROCESSING_FAILED or DISABLED. Absent: SES gave none. */
export const ReceivedVerdicts = message('ReceivedVerdicts', {
  spam: z.string().optional(),
  virus: z.string().optional(),
  spf: z.string().optional(),
  dkim: z.string().optional(),
  dmarc: z.string().optional(),
});

/** A message that SES received for the deployment, without its content. It is kept for 90 days. */
export const ReceivedMessage = message('ReceivedMessage', {
  received_id: z.string(),
  received_at: instant(),
  /** The envelope sender; empty for the null reverse-path, as of bounces. */
  sender: z.string(),
  /** The From field, shortened to 200 characters. */
  from: z.string().optional(),
  /** The subject, shortened to 200 characters. Absent without one, and with the setting `recordSubjects=false`. */
  subject: z.string().optional(),
  /** The Message-ID without brackets. */
  message_id: z.string().optional(),
  /** SES's id of the message. */
  provider_message_id: z.string(),
  /** Octets of the raw message. */
  size: count(),
  verdicts: ReceivedVerdicts,
  recipients: list(ReceivedRecipient),
});
export type ReceivedMessage = z.input<typeof ReceivedMessage>;
