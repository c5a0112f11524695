import type { ReceivedMessage, ReceivedOutcome } from '../../../contract/admin/received-mail.ts';
import { bounceReasons } from '../../../core/aws/ses/ses-bounce-sender.ts';
import type { EmailPlace } from '../../../core/mail/delivery/email-places.ts';
import { receivedIdOf, referenceOf, type ReceivedMessage as StoredMessage } from '../../../core/mail/delivery/received-message.ts';
import type { Outcome, RecipientOutcome } from '../../../core/mail/delivery/received-outcomes.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Table } from '../../../core/storage/table.ts';

/** The dependencies of the methods of received mail. */
export type ReceivedMailReads = {
  /** The sending table, which has the records of received messages. */
  readonly received: Pick<Table, 'get' | 'query' | 'batchGet'>;
  readonly mail: Pick<Table, 'batchGet'>;
  /** Whether answers have subjects. Records of an earlier deployment may have them when it has not. */
  readonly recordsSubjects: boolean;
  readonly clock: Clock;
};

type Recipient = NonNullable<ReceivedMessage['recipients']>[number];

/** The outcomes of the store by their names in the interface. */
const outcomeNames: { readonly [Name in Outcome]: ReceivedOutcome } = {
  delivered: 'DELIVERED',
  junk: 'JUNK',
  duplicate: 'DUPLICATE',
  group: 'GROUP',
  forwarded: 'FORWARDED',
  copied: 'COPIED',
  waits: 'WAITS_FOR_ROOM',
  'bounce-due': 'BOUNCE_DUE',
  bounced: 'BOUNCED',
  dropped: 'DROPPED',
  'in-progress': 'IN_PROGRESS',
  'account-removed': 'ACCOUNT_REMOVED',
  'not-known': 'NOT_KNOWN',
};

/** The name of an outcome in the interface. */
export const outcomeName = ({ outcome }: RecipientOutcome): ReceivedOutcome => outcomeNames[outcome];

/** The failed verdicts for which a message is in Junk. */
const junkReason = ({ spam, virus, dmarc }: StoredMessage['verdicts']): string =>
  Object.entries({ SPAM: spam, VIRUS: virus, DMARC: dmarc })
    .flatMap(([name, verdict]) => (verdict === 'FAIL' ? [name] : []))
    .join(', ');

/** The fields of a bounced recipient. The answer is that of the bounce which SES writes. */
const bounceFields = ({ entry: { bounce }, at }: RecipientOutcome): Pick<Recipient, 'smtp_reply' | 'bounced_at'> => {
  if (bounce === undefined) return {};
  const { status, explanation } = bounceReasons[bounce];
  return { smtp_reply: `550 ${status} ${explanation}`, bounced_at: at?.toISOString() };
};

const emailFields = (emailId: string, { mailboxes, isMoved, destroyedAt, destroyedBy, isRestorable }: EmailPlace): Recipient['email'] => ({
  email_id: emailId,
  mailboxes: [...mailboxes],
  moved: isMoved,
  destroyed_at: destroyedAt?.toISOString(),
  destroyed_by: destroyedBy,
  restorable: isRestorable,
});

const recipientOf = (recipient: RecipientOutcome, message: StoredMessage, place: EmailPlace | undefined): Recipient => {
  const { address, entry, outcome, emailId, reason } = recipient;
  const waits = outcome === 'waits' ? { waits_since: message.at, next_attempt: entry.next } : {};
  return {
    address: entry.given ?? address,
    outcome: outcomeName(recipient),
    account_id: entry.account,
    copy_of: entry.copyOf,
    forwarded_by: entry.forwardedBy,
    group: entry.group,
    reason: outcome === 'junk' ? junkReason(message.verdicts) : reason,
    ...(outcome !== 'dropped' && bounceFields(recipient)),
    ...waits,
    ...(emailId !== undefined && place && { email: emailFields(emailId, place) }),
  };
};

/**
 * A received message as /mail-feedback returns it.
 * @param places where the Emails of the recipients are, in the order of the recipients. Empty: that is not stated.
 */
export const receivedMessageOf = (
  message: StoredMessage,
  { recordsSubjects }: Pick<ReceivedMailReads, 'recordsSubjects'>,
  outcomes: readonly RecipientOutcome[],
  places: readonly (EmailPlace | undefined)[] = [],
): ReceivedMessage => ({
  received_id: receivedIdOf(referenceOf(message)),
  received_at: message.at,
  sender: message.sender,
  from: message.from,
  ...(recordsSubjects && { subject: message.subject }),
  message_id: message.messageId,
  provider_message_id: message.sesMessageId,
  size: message.size,
  verdicts: message.verdicts,
  recipients: outcomes.map((recipient, index) => recipientOf(recipient, message, places[index])),
});
