import { refusalOf, type CallMethod } from '../jmap/requests.ts';
import type { EmailAddress, GetResponse, Id, QueryResponse, SetResponse } from '../jmap/types.ts';
import type { MailStore } from '../store/mail-store.ts';
import { submissionWords as words } from '../words/submission-words.ts';

/** The outcome of a message for a recipient (RFC 8621 §7). */
export type DeliveryStatus = { readonly smtpReply: string; readonly delivered: 'queued' | 'yes' | 'no' | 'unknown' };

/** The sending of a message. */
export type Submission = {
  readonly id: Id;
  readonly emailId: Id;
  readonly sendAt: string;
  readonly undoStatus: 'pending' | 'final' | 'canceled';
  readonly deliveryStatus: Readonly<Record<string, DeliveryStatus>> | null;
};

/** A message that waits for its time. */
export type Waiting = Submission & { readonly subject: string | null; readonly to: readonly EmailAddress[] | null };

/** Submissions that are read at once. */
const limit = 100;

const properties = ['id', 'emailId', 'sendAt', 'undoStatus', 'deliveryStatus'];

const query = (call: CallMethod, filter: object) => {
  const found = call<QueryResponse>('EmailSubmission/query', { filter, sort: [{ property: 'sentAt', isAscending: true }], limit });
  const submissions = call<GetResponse<Submission>>('EmailSubmission/get', { '#ids': found.ref('/ids'), properties });
  return { found, submissions };
};

/** Reads how an Email was sent. Undefined for one that was not. */
export const readSubmission = async (call: CallMethod, emailId: Id): Promise<Submission | undefined> => {
  const { found, submissions } = query(call, { emailIds: [emailId] });
  const [, { list }] = await Promise.all([found.result, submissions.result]);
  return list.findLast(({ undoStatus }) => undoStatus !== 'canceled');
};

/** Reads the messages that wait for their time, the next one first. */
export const readWaiting = async (call: CallMethod): Promise<readonly Waiting[]> => {
  const { found, submissions } = query(call, { undoStatus: 'pending' });
  const emails = call<GetResponse<Pick<Waiting, 'id' | 'subject' | 'to'>>>('Email/get', {
    '#ids': submissions.ref('/list/*/emailId'),
    properties: ['id', 'subject', 'to'],
  });
  const [, { list }, { list: messages }] = await Promise.all([found.result, submissions.result, emails.result]);
  const byId = new Map(messages.map((email) => [email.id, email]));
  return list.flatMap((submission) => {
    const email = byId.get(submission.emailId);
    return email ? [{ ...submission, subject: email.subject, to: email.to }] : [];
  });
};

/** The mailboxes between which a message moves when it is sent. */
export type SendingMailboxes = { readonly draftsId: Id; readonly sentId: Id };

/** Finds the mailboxes for what is sent. @throws Error with words for a person where there is none. */
export const sendingMailboxes = async (store: Pick<MailStore, 'mailboxes' | 'open'>): Promise<SendingMailboxes> => {
  if (store.mailboxes().length === 0) await store.open();
  const ofRole = (role: string) => store.mailboxes().find((mailbox) => mailbox.role === role)?.id;
  const [draftsId, sentId] = [ofRole('drafts'), ofRole('sent')];
  if (draftsId === undefined || sentId === undefined) throw new Error(words.noMailbox);
  return { draftsId, sentId };
};

export type CancelDependencies = SendingMailboxes & { readonly call: CallMethod };

/** Takes back a message that is not sent yet: it is a draft again. @throws Error with the reason when it was sent already. */
export const cancelSending = async ({ call, draftsId, sentId }: CancelDependencies, submissionId: Id): Promise<void> => {
  const { notUpdated } = await call<SetResponse>('EmailSubmission/set', {
    update: { [submissionId]: { undoStatus: 'canceled' } },
    onSuccessUpdateEmail: { [submissionId]: { [`mailboxIds/${draftsId}`]: true, [`mailboxIds/${sentId}`]: null, 'keywords/$draft': true } },
  }).result;
  const refusal = notUpdated?.[submissionId];
  if (refusal) throw new Error(refusalOf(refusal));
};
