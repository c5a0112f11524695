import { maxRecipientsPerSend } from '../../../contract/deployment/sending.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { emailSubmission } from '../../../contract/jmap/email-submission.ts';
import type { ArgumentsOf, VerbArguments } from '../../../contract/jmap/record.ts';
import { comparableAddress } from '../../../contract/values/mail-address.ts';
import type { AccountView, Commit } from '../../../core/account-index/account-view.ts';
import { CommitUnconfirmed, PartlyCommitted } from '../../../core/account-log/records/record-refused.ts';
import { recentContactChanges } from '../../../core/mail/contact-card/recent-contacts.ts';
import { emailSubmissionsOf, withUndoStatus, type EmailSubmissionRecord } from '../../../core/mail/email-submission-type.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { identitiesOf } from '../../../core/mail/identity-type.ts';
import { errorLogFields } from '../../../core/runtime/error-log-fields.ts';
import { mapConcurrently } from '../../../core/runtime/map-concurrently.ts';
import type { FoundSubmission, Submissions } from '../../../core/sending/submission/submissions.ts';
import type { Write } from '../../../core/storage/table.ts';
import { checkState } from '../request/account-commit.ts';
import type { BehaviourOf, CommittedChanges, PreparedSet, AccountChangeSet } from '../request/behaviour.ts';
import { SetError } from '../request/jmap-errors.ts';
import { resolveCreationId } from '../request/patch-object.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';
import { prepareSubmissions, checkSendLimits, type PreparedSubmissions, type NewSubmissionParts } from './new-submissions.ts';
import { storedProperties, toDeliveryStatus, toEmailSubmission, toEnvelope } from './submission-properties.ts';

/** The inputs of a change set of EmailSubmissions, in addition to the view. */
type ChangeSetDependencies = {
  /** New submissions by id, and the errors of submissions that can't be created. */
  readonly prepared: ReadonlyMap<string, NewSubmissionParts>;
  readonly failed: ReadonlyMap<string, SetError>;
  /** The items in the sending table of submissions that the call updates, by id. */
  readonly found: ReadonlyMap<string, FoundSubmission>;
  /** Reads `found` again, for the next change set. */
  readonly readAgain: () => Promise<void>;
  readonly cancelWrites: Submissions['cancelWrites'];
  readonly context: RequestContext;
};

const recordOf = (id: string, { email, identity, envelope: { recipients }, createdAt, sendAt }: NewSubmissionParts): EmailSubmissionRecord => ({
  id,
  identityId: identity.id,
  emailId: email.id,
  threadId: email.threadId,
  sendAt: new Date(sendAt).toISOString(),
  undoStatus: 'pending',
  recipients: recipients.length,
  createdAt,
  parts: Math.ceil(recipients.length / maxRecipientsPerSend),
  deliveryChanges: 0,
});

/** The properties of a new EmailSubmission. Its recipients are queued. */
const newProperties = (record: EmailSubmissionRecord, { envelope }: NewSubmissionParts): JsonObject => ({
  ...storedProperties(record),
  envelope: toEnvelope(envelope),
  deliveryStatus: toDeliveryStatus([{ recipients: envelope.recipients.map((address) => ({ address, facts: {} })) }]),
  dsnBlobIds: [],
  mdnBlobIds: [],
});

/** The changes of one EmailSubmission/set. */
class EmailSubmissionChangeSet implements AccountChangeSet {
  readonly #view: AccountView;
  readonly #parts: ChangeSetDependencies;
  readonly #created = new Map<string, EmailSubmissionRecord>();
  readonly #canceled = new Map<string, EmailSubmissionRecord>();
  readonly #destroyed = new Set<string>();
  readonly #writes = new Map<string, readonly Write[]>();
  #newRecipients = 0;

  constructor(view: AccountView, parts: ChangeSetDependencies) {
    this.#view = view;
    this.#parts = parts;
  }

  current(id: string): JsonObject | undefined {
    if (this.#destroyed.has(id)) return undefined;
    const created = this.#created.get(id);
    if (created) return newProperties(created, this.#parts.prepared.get(id)!);
    const record = this.#canceled.get(id) ?? emailSubmissionsOf(this.#view).get(id);
    return record && toEmailSubmission(record, this.#parts.found.get(id));
  }

  create(id: string): void {
    const failure = this.#parts.failed.get(id);
    if (failure) throw failure;
    const { prepared, context } = this.#parts;
    const parts = prepared.get(id)!;
    const missing = [
      ...(identitiesOf(this.#view).has(parts.identity.id) ? [] : ['identityId']),
      ...(emailsOf(this.#view).has(parts.email.id) ? [] : ['emailId']),
    ];
    if (missing.length > 0) throw new SetError('invalidProperties', 'The Email or the Identity was destroyed meanwhile.', missing);
    const { length } = parts.envelope.recipients;
    checkSendLimits(this.#view, length, parts.createdAt, context, this.#newRecipients);
    this.#newRecipients += length;
    this.#created.set(id, recordOf(id, parts));
    this.#writes.set(id, parts.prepared.writes);
  }

  update(id: string, { undoStatus }: JsonObject): void {
    const record = this.#created.get(id) ?? this.#canceled.get(id) ?? emailSubmissionsOf(this.#view).get(id)!;
    if (undoStatus === undefined || undoStatus === record.undoStatus) return;
    if (undoStatus !== 'canceled') {
      throw new SetError('invalidProperties', 'A client may change "undoStatus" from "pending" to "canceled" only.', ['undoStatus']);
    }
    const found = this.#parts.found.get(id);
    const writes = record.undoStatus === 'pending' && found ? this.#parts.cancelWrites(found) : undefined;
    if (!writes) throw new SetError('cannotUnsend', 'The message is being sent, or was sent. It can no longer be canceled.');
    this.#canceled.set(id, withUndoStatus(record, 'canceled'));
    this.#writes.set(id, writes);
  }

  destroy(id: string): void {
    this.#destroyed.add(id);
  }

  commit(): Commit | undefined {
    const put = [...this.#created.values(), ...this.#canceled.values()].filter(({ id }) => !this.#destroyed.has(id));
    if (put.length + this.#destroyed.size === 0) return undefined;
    const changes = { put, destroy: [...this.#destroyed], additionalWrites: this.#writes };
    const { prepared, context } = this.#parts;
    const people = new Map(
      [...this.#created.keys()]
        .filter((id) => !this.#destroyed.has(id))
        .flatMap((id) => prepared.get(id)!.people)
        .map((person) => [comparableAddress(person.address), person]),
    );
    const contacts = recentContactChanges(this.#view, [...people.values()], context.dependencies.clock());
    return { records: { [emailSubmission.name]: changes, ...contacts }, readAgain: this.#parts.readAgain };
  }
}

const emailSubmissionChangeSet = (view: AccountView, parts: ChangeSetDependencies): AccountChangeSet => new EmailSubmissionChangeSet(view, parts);

type Args = VerbArguments<'set'> & ArgumentsOf<typeof emailSubmission.arguments.set>;

/** Makes a function that reads the submissions of the updated records from the sending table. */
const updatedReader = (ids: Iterable<string>, view: AccountView, { dependencies }: RequestContext): (() => Promise<ReadonlyMap<string, FoundSubmission>>) => {
  const records = [...ids].flatMap((id) => emailSubmissionsOf(view).get(id) ?? []);
  return async () => (records.length > 0 ? dependencies.sending.submissions.findAll(records) : new Map());
};

/** The Email ids of all submissions that the call changes, by submission id. */
const changedEmailIds = (
  { created, updated, destroyed }: CommittedChanges,
  before: ReadonlyMap<string, string>,
  { prepared }: PreparedSubmissions,
): ReadonlyMap<string, string> =>
  new Map([
    ...[...before].filter(([id]) => updated.has(id) || destroyed.has(id)),
    ...[...created].map(([creationId, id]) => [id, prepared.get(creationId)!.email.id] as const),
  ]);

/**
 * The Email/set that `onSuccessUpdateEmail` and `onSuccessDestroyEmail` request (RFC 8621 §7.5), for the submissions
 * that the call created, updated or destroyed.
 * @returns undefined when no Email must be changed.
 */
const implicitEmailSet = (
  { accountId, onSuccessUpdateEmail, onSuccessDestroyEmail }: Args,
  emailIds: ReadonlyMap<string, string>,
  { createdIds }: RequestContext,
): JsonObject | undefined => {
  const emailIdOf = (given: string) => emailIds.get(resolveCreationId(given, (creationId) => createdIds.get(creationId)));
  const update = new Map<string, JsonObject>();
  for (const [given, patch] of Object.entries(onSuccessUpdateEmail ?? {})) {
    const emailId = emailIdOf(given);
    if (emailId !== undefined) update.set(emailId, { ...update.get(emailId), ...patch });
  }
  const destroy = [...new Set((onSuccessDestroyEmail ?? []).flatMap((given) => emailIdOf(given) ?? []))];
  if (update.size + destroy.length === 0) return undefined;
  return { accountId, ...(update.size > 0 && { update: Object.fromEntries(update) }), ...(destroy.length > 0 && { destroy }) };
};

/** Removes the messages of canceled submissions, and has admins find the submissions. A message that can't be removed expires. */
const settleCanceled = async (
  { updated }: CommittedChanges,
  found: ReadonlyMap<string, FoundSubmission>,
  { view }: OpenAccount,
  { dependencies: { sending } }: RequestContext,
): Promise<void> => {
  const canceled = [...updated].filter((id) => emailSubmissionsOf(view).get(id)?.undoStatus === 'canceled');
  const submissions = canceled.flatMap((id) => found.get(id) ?? []);
  if (submissions.length === 0) return;
  const settled = [
    sending.objects.remove(submissions.map(({ submission }) => submission.message_key)),
    ...submissions.filter(({ parts }) => parts.some((part) => !part.is_indexed)).map((each) => sending.submissions.index(each)),
  ];
  await Promise.all(settled).catch((error: unknown) => {
    sending.log.warn('canceled submissions could not be settled; their messages will expire', { count: submissions.length, ...errorLogFields(error) });
  });
};

/**
 * Removes the messages of new submissions after a failure. If the submissions were created nevertheless, they are
 * queued. All messages are kept when the commit may still be made, because a submission without its message could not
 * be sent.
 * @param newIds by creation id.
 */
const settleFailedCreates = async (
  failure: unknown,
  { prepared }: PreparedSubmissions,
  newIds: ReadonlyMap<string, string>,
  { dependencies: { sending } }: RequestContext,
): Promise<void> => {
  if (prepared.size === 0 || failure instanceof CommitUnconfirmed) return;
  const created = [...prepared].map(([creationId, each]) => ({ ...each.prepared, id: newIds.get(creationId)!, parts: 0 }));
  try {
    const made = failure instanceof PartlyCommitted ? await sending.submissions.findAll(created) : new Map<string, FoundSubmission>();
    await mapConcurrently(created, (each) => (made.has(each.id) ? each.enqueue() : each.discard()));
  } catch (error) {
    sending.log.warn('messages of failed submissions could not be removed; they will expire', { count: created.length, ...errorLogFields(error) });
  }
};

/** Prepares an EmailSubmission/set (RFC 8621 §7.5): checks the new submissions and stores their messages. */
const prepareSubmissionSet = async (
  updatedProperties: ReadonlyMap<string, ReadonlySet<string>>,
  args: Args,
  account: OpenAccount,
  context: RequestContext,
): Promise<PreparedSet> => {
  checkState('ifInState', args.ifInState, account.view.state(emailSubmission.name));
  if (args.onSuccessUpdateEmail ?? args.onSuccessDestroyEmail) context.requirePermission('MAIL_WRITE');
  const create = args.create ?? {};
  const newIds = new Map(Object.keys(create).map((creationId) => [creationId, context.dependencies.newId()]));
  const readUpdated = updatedReader(updatedProperties.keys(), account.view, context);
  const preparing = prepareSubmissions(create, newIds, account, context);
  const [updated, parts] = await Promise.all([readUpdated(), preparing]).catch(async (failure: unknown) => {
    await settleFailedCreates(failure, await preparing, newIds, context);
    throw failure;
  });
  let found = updated;
  const readAgain = async () => {
    found = await readUpdated();
  };
  const byId = <Value>(values: ReadonlyMap<string, Value>) => new Map([...values].map(([creationId, value]) => [newIds.get(creationId)!, value]));
  const { cancelWrites } = context.dependencies.sending.submissions;
  const changeSetDependencies = { prepared: byId(parts.prepared), failed: byId(parts.failed), readAgain, cancelWrites, context };
  const { createdIds } = context;
  const destroyed = (args.destroy ?? []).map((given) => resolveCreationId(given, (creationId) => createdIds.get(creationId)));
  const before = new Map(
    [...updatedProperties.keys(), ...destroyed].flatMap((id) => emailSubmissionsOf(account.view).get(id) ?? []).map(({ id, emailId }) => [id, emailId]),
  );
  return {
    beginChangeSet: (view) => emailSubmissionChangeSet(view, { ...changeSetDependencies, found }),
    newIds,
    async afterCommit(committed) {
      const emailSet = implicitEmailSet(args, changedEmailIds(committed, before, parts), context);
      if (emailSet) context.implicitCalls.push({ name: 'Email/set', args: emailSet });
      await Promise.all([
        mapConcurrently([...parts.prepared], ([creationId, { prepared }]) => (committed.created.has(creationId) ? prepared.enqueue() : prepared.discard())),
        settleCanceled(committed, found, account, context),
      ]);
    },
    afterFailure: (failure) => settleFailedCreates(failure, parts, newIds, context),
  };
};

/** EmailSubmission/set (RFC 8621 §7.5). */
export const emailSubmissionSet: BehaviourOf<typeof emailSubmission>['set'] = { prepareChangeSet: prepareSubmissionSet };
