import type { OriginalUse } from '../context/composers.ts';
import { MethodError, reasonOf, refusalOf, ResponseLost, type Call, type CallMethod } from '../jmap/requests.ts';
import type { EmailAddress, GetResponse, Id, Identity, QueryResponse, SetError, SetResponse } from '../jmap/types.ts';
import { cancelSending } from '../submissions/submissions.ts';
import { composerWords } from '../words/composer-words.ts';
import { isValidAddress } from './addresses.ts';
import { findByMessageId, type SavedDraft } from './draft-saver.ts';
import type { Draft } from './draft.ts';

/** Seconds for which a message is held before it is sent, so that sending can be undone. */
export const holdFor = 10;

export type SendDependencies = {
  readonly call: CallMethod;
  readonly draftsId: Id;
  readonly sentId: Id;
  /** Makes the Email `message` in Drafts in the next request, which takes the place of others. */
  readonly create: (draft: Draft, destroy: readonly Id[]) => Call<SetResponse>;
};

/** A message that the server took. It is sent at `sendAt`, if it is not canceled before. */
export type Sent = { readonly emailId: Id; readonly submissionId: Id; readonly sendAt: string };

/** Thrown when the server does not send a message, which is still a draft. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  /** The draft as the server has it. */
  readonly saved: SavedDraft | undefined;
  /** The addresses that the server refused (RFC 8621 §7.5). */
  readonly invalidRecipients: readonly string[];
  constructor(reason: string, saved: SavedDraft | undefined, invalidRecipients: readonly string[] = []) {
    super(reason);
    this.saved = saved;
    this.invalidRecipients = invalidRecipients;
  }
}

/** Why nothing can be sent to these recipients, in words. */
export const recipientsProblem = (recipients: readonly EmailAddress[]): string | undefined => {
  if (recipients.length === 0) return composerWords.noRecipients;
  return recipients.every(({ email }) => isValidAddress(email)) ? undefined : composerWords.wrongRecipients;
};

/** Why a message was not sent, in words, and of which recipients, by their addresses in small letters. */
export const sendingProblem = (error: unknown): { readonly problem: string; readonly problems: ReadonlyMap<string, string> } => ({
  problem: error instanceof ResponseLost ? composerWords.maybeSent : composerWords.notSent(reasonOf(error)),
  problems: new Map(error instanceof NotSent ? error.invalidRecipients.map((address) => [address.toLowerCase(), composerWords.refusedRecipient]) : []),
});

type Submission = { readonly id: Id; readonly sendAt: string };
type SubmissionRefusal = SetError & { readonly invalidRecipients?: readonly string[] };
type SubmissionResponse = {
  readonly created: Readonly<Record<string, Submission>> | null;
  readonly notCreated: Readonly<Record<string, SubmissionRefusal>> | null;
};

/** The keyword of the original of a message (RFC 8621 §4.1.1). */
const keywordOf = (use: OriginalUse): string => (use === 'reply' || use === 'replyAll' ? '$answered' : '$forwarded');

/** All addresses to which a message goes, each once. */
export const recipientsOf = ({ to, cc, bcc }: Draft, identity: Identity): readonly string[] => {
  const all: readonly EmailAddress[] = [...to, ...cc, ...bcc, ...(identity.bcc ?? [])];
  return [...new Map(all.map(({ email }) => [email.toLowerCase(), email])).values()];
};

const submissionOf = (draft: Draft, identity: Identity, seconds: number) => ({
  emailId: '#message',
  identityId: identity.id,
  // Without an envelope the server takes sender and recipients from the message.
  ...(seconds > 0 && {
    envelope: {
      mailFrom: { email: identity.email, parameters: { HOLDFOR: String(seconds) } },
      rcptTo: recipientsOf(draft, identity).map((email) => ({ email, parameters: null })),
    },
  }),
});

/** Thrown when the saved draft was changed, sent or removed elsewhere, so that it may be sent twice. */
export class ChangedElsewhere extends Error {
  override readonly name = 'ChangedElsewhere';
}

/** Finds the submission of a message whose response was lost. */
const findSent = async ({ call, draftsId, sentId }: SendDependencies, draft: Draft): Promise<Sent | undefined> => {
  const ids = (await Promise.all([draftsId, sentId].map((mailboxId) => findByMessageId(call, mailboxId, draft.messageId)))).flat();
  if (ids.length === 0) return undefined;
  const found = call<QueryResponse>('EmailSubmission/query', { filter: { emailIds: ids } });
  const submissions = call<GetResponse<Submission & { readonly emailId: Id; readonly undoStatus: string }>>('EmailSubmission/get', {
    '#ids': found.ref('/ids'),
  });
  const [, { list }] = await Promise.all([found.result, submissions.result]);
  const submission = list.find(({ undoStatus }) => undoStatus !== 'canceled');
  return submission && { emailId: submission.emailId, submissionId: submission.id, sendAt: submission.sendAt };
};

/** Tries of a message whose response was lost and which was not sent. */
const maxTries = 3;

/** @throws ChangedElsewhere when the saved draft is not there any more. */
export const checkSaved = async (call: CallMethod, { emailId }: SavedDraft): Promise<void> => {
  const { notFound } = await call<GetResponse<{ readonly id: Id }>>('Email/get', { ids: [emailId], properties: ['id'] }).result;
  if (notFound.length > 0) throw new ChangedElsewhere();
};

/**
 * Sends a draft in one request: the final message takes the place of the saved one, moves to Sent, and its original gets
 * `$answered` or `$forwarded`. After a lost response it looks whether the message was sent, so that it is sent once.
 *
 * @param seconds for which the message is held.
 * @throws NotSent, or ResponseLost when it is not known whether it was sent.
 */
export const sendDraft = async (
  dependencies: SendDependencies,
  draft: Draft,
  identity: Identity,
  { saved, seconds }: { readonly saved: SavedDraft | undefined; readonly seconds: number },
): Promise<Sent> => {
  const { call, draftsId, sentId, create } = dependencies;
  let destroy = saved ? [saved.emailId] : [];
  const mark = (value: true | null) => {
    const { emailId, use } = draft.original!;
    // The original may be gone, which keeps nothing from being sent.
    return call('Email/set', { update: { [emailId]: { [`keywords/${keywordOf(use)}`]: value } } }).result.catch(() => undefined);
  };

  const sendOnce = async (): Promise<Sent> => {
    const writing = create(draft, destroy);
    const submitting = call<SubmissionResponse>('EmailSubmission/set', {
      create: { submission: submissionOf(draft, identity, seconds) },
      onSuccessUpdateEmail: { '#submission': { [`mailboxIds/${draftsId}`]: null, [`mailboxIds/${sentId}`]: true, 'keywords/$draft': null } },
    });
    if (draft.original) void mark(true);
    const [written, submitted] = await Promise.allSettled([writing.result, submitting.result]);
    const emailId = written.status === 'fulfilled' ? written.value.created?.['message']?.id : undefined;
    const submission = submitted.status === 'fulfilled' ? submitted.value.created?.['submission'] : undefined;
    if (emailId !== undefined && submission) return { emailId, submissionId: submission.id, sendAt: submission.sendAt };
    if (written.status === 'rejected' && !(written.reason instanceof MethodError)) throw written.reason;
    if (draft.original) await mark(null);
    const refusal = submitted.status === 'fulfilled' ? submitted.value.notCreated?.['submission'] : undefined;
    const reason = emailId === undefined && written.status === 'fulfilled' ? refusalOf(written.value.notCreated?.['message']) : undefined;
    const thrown = [written, submitted].find((each) => each.status === 'rejected');
    const words = reason ?? (thrown ? reasonOf(thrown.reason) : refusalOf(refusal));
    throw new NotSent(words, emailId === undefined ? undefined : { draft, emailId }, refusal?.invalidRecipients ?? []);
  };

  for (let tries = 1; ; tries += 1) {
    try {
      return await sendOnce();
    } catch (error) {
      if (!(error instanceof ResponseLost)) throw error;
      // These requests wait until the server answers again.
      const sent = await findSent(dependencies, draft);
      if (sent) return sent;
      if (tries === maxTries) throw error;
      destroy = [...(await findByMessageId(call, draftsId, draft.messageId))];
    }
  }
};

/** Takes back a message that is not sent yet, and the mark of its original. @throws Error when it was sent already. */
export const undoSending = async (dependencies: SendDependencies, { submissionId }: Sent, { original }: Draft): Promise<void> => {
  await cancelSending(dependencies, submissionId);
  if (original) await dependencies.call('Email/set', { update: { [original.emailId]: { [`keywords/${keywordOf(original.use)}`]: null } } }).result;
};
