import { mailFeedback as contract, UndoStatus, type SentMessage, type DeliveryState } from '../../../contract/admin/mail-feedback.ts';
import type { Request } from '../../../contract/rpc/rpc.ts';
import { keysOf } from '../../../contract/values/typed-entries.ts';
import { recordedText } from '../../../core/mail/delivery/received-message.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { failureOf, type DeliveryFactKind, type DeliveryFacts } from '../../../core/sending/submission/delivery-status.ts';
import { findSentMessages, type SentMailReads as SentMail } from '../../../core/sending/submission/find-sent-messages.ts';
import { headerSummary } from '../../../core/sending/submission/original-header.ts';
import { providerMessageIds, type Submission, type SubmissionPart, type SubmissionRecipient } from '../../../core/sending/submission/submission.ts';
import type { FoundSubmission } from '../../../core/sending/submission/submissions.ts';
import type { Page } from '../../../core/storage/page.ts';
import { visibleSentMail, type AdminsMail } from './without-admins.ts';

type MessageRecipient = NonNullable<SentMessage['recipients']>[number];
type MessageEvent = NonNullable<MessageRecipient['events']>[number];

const stateOfFact: { readonly [Kind in DeliveryFactKind]: DeliveryState } = {
  withheld: 'WITHHELD',
  refused: 'REFUSED',
  unconfirmed: 'UNCONFIRMED',
  delayed: 'DELAYED',
  delivered: 'DELIVERED',
  bounced: 'BOUNCED',
  softlyBounced: 'SOFT_BOUNCED',
  complained: 'COMPLAINED',
};
const factKinds = keysOf(stateOfFact);

/** The state of a message for a recipient. A complaint proves a delivery, so it outweighs a soft bounce. */
const stateOf = ({ undo_status }: Submission, part: SubmissionPart, facts: DeliveryFacts): DeliveryState => {
  if (undo_status === 'canceled') return 'CANCELED';
  const failure = failureOf(facts);
  const kind = factKinds.find((each) => failure !== undefined && facts[each] === failure);
  if (kind !== undefined && kind !== 'softlyBounced') return stateOfFact[kind];
  if (facts.complained) return 'COMPLAINED';
  if (kind !== undefined) return stateOfFact[kind];
  if (facts.delivered) return 'DELIVERED';
  if (facts.delayed) return 'DELAYED';
  return part.state === 'sent' ? 'SENT' : 'ACCEPTED';
};

/** SES's acceptance as an event. Empty for a recipient to whom that send was not addressed. */
const sentEvents = ({ sent, recipients }: SubmissionPart, { withheld, refused }: DeliveryFacts): MessageEvent[] => {
  const wasLeftOut = withheld ?? (refused && recipients.find(({ facts }) => !facts.withheld && !facts.refused));
  return sent && !wasLeftOut ? [{ type: 'SENT', timestamp: sent.at }] : [];
};

/**
 * The events of a recipient, oldest first. Acceptances are sorted before other events, because the clocks of the
 * deployment and of SES differ by some milliseconds.
 */
const eventsOf = ({ created_at }: Submission, part: SubmissionPart, facts: DeliveryFacts): MessageEvent[] => [
  { type: 'ACCEPTED', timestamp: created_at },
  ...sentEvents(part, facts),
  ...factKinds
    .flatMap((kind): MessageEvent[] => {
      const fact = facts[kind];
      return fact ? [{ type: stateOfFact[kind], timestamp: fact.at, smtp_reply: fact.reply }] : [];
    })
    .toSorted((one, other) => Date.parse(one.timestamp) - Date.parse(other.timestamp)),
];

/** A submission as /mail-feedback returns it, without its content. */
const sentMessageOf = ({ submission, parts }: FoundSubmission, { recordsSubjects }: { readonly recordsSubjects: boolean }): SentMessage => {
  const { submission_id, account_id, user_id, mail_from: sender, created_at, send_at, undo_status, header } = submission;
  const recipientOf =
    (part: SubmissionPart) =>
    ({ address, facts }: SubmissionRecipient): MessageRecipient => ({
      address,
      state: stateOf(submission, part, facts),
      events: eventsOf(submission, part, facts),
    });
  const { subject, messageId } = headerSummary(header);
  return {
    submission_id,
    ...(recordsSubjects && subject !== '' && { subject: recordedText(subject) }),
    message_id: messageId,
    provider_message_ids: parts.flatMap(providerMessageIds),
    account_id,
    user_id,
    sender,
    created_at,
    send_at,
    undo_status: UndoStatus.parse(undo_status.toUpperCase()),
    recipients: parts.flatMap((part) => part.recipients.map(recipientOf(part))),
  };
};

export type SentMailReads = SentMail & {
  /** Whether answers have subjects. */
  readonly recordsSubjects: boolean;
};

type ListRequest = Request<typeof contract.methods.ListSentMessages>;

const findPage = (request: ListRequest, after: string | undefined, reads: SentMailReads): Promise<Page<SentMessage>> => {
  const { address, domain, message_id: messageId, submission_id: submissionId, subject_contains: part, state, since, until, page_size: size } = request;
  return findSentMessages(
    { address, domain, messageId, submissionId, since, until },
    after,
    size,
    (found) => {
      const message = sentMessageOf(found, reads);
      const isWanted =
        (part === undefined || (message.subject ?? '').toLowerCase().includes(part.toLowerCase())) &&
        (state === undefined || (message.recipients ?? []).some((recipient) => recipient.state === state));
      return isWanted ? message : undefined;
    },
    reads,
  );
};

/** Implements ListSentMessages. The list is empty for an unknown submission_id, as for an unknown address. */
export const listSentMessages = (reads: SentMailReads & { readonly admins: AdminsMail }) =>
  adminMethod(contract.methods.ListSentMessages, {
    prefetch: (request, { pageAfter }) => findPage(request, pageAfter, reads),
    run: async (_request, { caller, nextPageToken }, { items, next }) => ({
      messages: await visibleSentMail(items, caller, reads.admins),
      next_page_token: await nextPageToken(next),
    }),
  });
