import { maxRecipientsPerSend } from '../../../contract/deployment/sending.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { emailSubmission } from '../../../contract/jmap/email-submission.ts';
import { comparableAddress } from '../../../contract/values/mail-address.ts';
import type { AccountView, Commit } from '../../../core/account-index/account-view.ts';
import { recentContactChanges } from '../../../core/mail/contact-card/recent-contacts.ts';
import { emailSubmissionsOf, withUndoStatus, type EmailSubmissionRecord } from '../../../core/mail/email-submission-type.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { identitiesOf } from '../../../core/mail/identity-type.ts';
import type { FoundSubmission, Submissions } from '../../../core/sending/submission/submissions.ts';
import type { Write } from '../../../core/storage/table.ts';
import type { AccountChangeSet } from '../request/behaviour.ts';
import { SetError } from '../request/jmap-errors.ts';
import type { RequestContext } from '../request/request-context.ts';
import { checkSendLimits, type NewSubmissionParts } from './new-submissions.ts';
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

export const emailSubmissionChangeSet = (view: AccountView, parts: ChangeSetDependencies): AccountChangeSet => new EmailSubmissionChangeSet(view, parts);
