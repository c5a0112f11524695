import { sendingKeys, sendingPartitions, submissionPartPrefix } from '../../../contract/deployment/keys.ts';
import { maxRecipientsPerSend, maxRecipientsPerSubmission, maxSubmissionMessageBytes, submissionRetentionDays } from '../../../contract/deployment/sending.ts';
import type { Pause } from '../../runtime/clock.ts';
import { mapConcurrently } from '../../runtime/map-concurrently.ts';
import { retryOnConflict, tryWrite } from '../../storage/retry-on-conflict.ts';
import { contentOf, itemOf, rowOf, WriteRefused, type Item, type Key, type Table, type TableReference, type Write } from '../../storage/table.ts';
import { originalHeader } from './original-header.ts';
import { providerIdEntries, sentMailIndexIn, type SentMailEntry } from './sent-mail-index.ts';
import { isFinished, isHeld, newProviderMessageIds, withDueReport, type NewSubmission, type Submission, type SubmissionPart } from './submission.ts';
import { referenceOf, type PartReference } from './submit-queue.ts';

/** A submission and one of its parts. */
export type FoundPart = { readonly submission: Submission; readonly part: SubmissionPart };

/** A submission with all its parts. */
export type FoundSubmission = { readonly submission: Submission; readonly parts: readonly SubmissionPart[] };

/** An outbox entry: a part that the sweep queues when it is due. */
export type OutboxEntry = PartReference & {
  readonly due: string;
  /** The `send_at` of the submission. */
  readonly not_before: string;
  /** The number of times that the sweep has queued the part since the part last changed. */
  readonly queued?: number;
};

/** A submission whose retention has ended. */
export type ExpiredSubmission = { readonly submission_id: string; readonly expires: string };

/**
 * Submissions and the outbox. They are stored in the sending table as these items:
 * - `submission#id` / `submission` is the submission, and `submission#id` / `part#000` its first part.
 * - `outbox` / due#id#part is the outbox entry of a part, at the time in `due` of the part. It exists from the
 * creation of the part until the part is finished.
 * - `retention` / expires#id exists for each submission, so that the sweep finds those to remove. The time is that of
 * `send_at` and the retention, so that the partition also lists all submissions by `send_at`.
 */
export type Submissions = {
  /**
   * The writes that create a submission with its parts and outbox entries. They can be in a transaction of any
   * table. The first write is refused when the submission exists.
   * @param messageKey the key of the raw message in the mail bucket.
   * @param due the time at which the sweep queues parts that have not started.
   */
  createWrites(
    submission: NewSubmission,
    messageKey: string,
    due: string,
  ): { readonly writes: readonly Write[]; readonly parts: readonly PartReference[]; readonly found: FoundSubmission };
  /**
   * Stores the entries in the index of sent mail for those parts whose entries the submit Lambda does not store:
   * the parts of a held or canceled submission. The call can be repeated.
   */
  index(found: FoundSubmission): Promise<void>;
  /** Writes a transaction. @returns false when a condition does not hold. */
  write(writes: readonly Write[]): Promise<boolean>;
  find(submissionId: string): Promise<FoundSubmission | undefined>;
  /** Reads submissions with their parts, in one round trip. Missing submissions are left out. */
  findAll(named: readonly { readonly id: string; readonly parts: number }[]): Promise<ReadonlyMap<string, FoundSubmission>>;
  findPart(reference: PartReference): Promise<FoundPart | undefined>;
  /**
   * The writes that replace a part, on the condition that it has not changed. They move its outbox entry to the
   * new `due`, or delete it when the part is finished. When the part starts, they make the submission final, which is
   * refused when it is canceled. They index the submission by its new SES ids.
   * @returns the writes, and the part that they store, with reports of its failures.
   */
  replaceWrites(found: FoundPart, next: SubmissionPart): { readonly writes: readonly Write[]; readonly part: SubmissionPart };
  /**
   * Changes a part. After a conflict it reads the part again and retries. @returns undefined when the part does
   * not exist.
   */
  updatePart(reference: PartReference, change: (part: SubmissionPart) => SubmissionPart): Promise<SubmissionPart | undefined>;
  /**
   * The writes that cancel a submission. They can be in a transaction of any table, and are refused when a part
   * has started or changed meanwhile.
   * @returns undefined when the submission is not pending.
   */
  cancelWrites(found: FoundSubmission): readonly Write[] | undefined;
  /**
   * Cancels a submission that belongs to no account. @returns false when a part has started, or the submission
   * does not exist.
   */
  cancel(submissionId: string): Promise<boolean>;
  /** Outbox entries that were due before a time, oldest first. */
  findDueEntries(before: string, limit: number): Promise<readonly OutboxEntry[]>;
  /** Moves an outbox entry to a later time. Deletes the entry when its part has another entry, or is finished. */
  postponeEntry(entry: OutboxEntry, due: string): Promise<void>;
  /** All submissions before a position, newest first. Their items may have been removed meanwhile. */
  findNewest(before: string, limit: number): Promise<readonly SentMailEntry[]>;
  /** Submissions whose retention ended before a time, oldest first. */
  findExpired(before: string, limit: number): Promise<readonly ExpiredSubmission[]>;
  /** The writes that remove a submission with its parts. */
  removeWrites(expired: ExpiredSubmission, found: FoundSubmission | undefined): readonly Write[];
};

const day = 24 * 3_600_000;
/** Days after the end of the retention at which DynamoDB deletes the remaining items of a submission. */
const expiryGraceDays = 30;

const partition = sendingPartitions.submissions;
const submissionKey = sendingKeys.submission;
const partKey = ({ submission_id: id, part }: PartReference): Key => sendingKeys.submissionPart(id, part);
const outboxKey = ({ submission_id: id, part }: PartReference, due: string): Key => sendingKeys.outbox(due, id, part);
const retentionKey = ({ submission_id, expires }: ExpiredSubmission): Key => sendingKeys.retention(expires, submission_id);

const submissionOf = contentOf<Submission>;
const partOf = contentOf<SubmissionPart>;
const retentionRow = rowOf<ExpiredSubmission & Pick<Submission, 'parts'>>;
const isPart = ({ sk }: Item): boolean => sk.startsWith(submissionPartPrefix);
/** Decodes the submission from the items of its partition. */
const foundSubmission = (items: readonly Item[]): FoundSubmission | undefined => {
  const submission = items.find(({ sk }) => sk === 'submission');
  const parts = items
    .filter(isPart)
    .toSorted((one, other) => (one.sk < other.sk ? -1 : 1))
    .map(partOf);
  return submission && { submission: submissionOf(submission), parts };
};
const partItem = (part: SubmissionPart): Item => ({ ...part, ...partKey(part) });
const outboxItem = ({ submission_id, part, due, not_before, queued }: OutboxEntry): Item => ({
  ...outboxKey({ submission_id, part }, due),
  submission_id,
  part,
  due,
  not_before,
  queued,
});

const retentionOf = ({ submission_id, send_at }: Pick<Submission, 'submission_id' | 'send_at'>): ExpiredSubmission => ({
  submission_id,
  expires: new Date(Date.parse(send_at) + submissionRetentionDays * day).toISOString(),
});

/** The position of a submission in the order of `send_at`, from its retention, and the other way round. */
const retentionShift = submissionRetentionDays * day;
const shiftedBy = (milliseconds: number, position: string): string => {
  const time = position.split('#', 1)[0]!;
  return `${new Date(Date.parse(time) + milliseconds).toISOString()}${position.slice(time.length)}`;
};

const newParts = (created: NewSubmission, due: string, expiresAt: number): SubmissionPart[] => {
  const { submission_id, recipients, has_record } = created;
  return Array.from({ length: Math.ceil(recipients.length / maxRecipientsPerSend) }, (_, part) => ({
    submission_id,
    part,
    state: 'queued',
    attempts: 0,
    unanswered: 0,
    due,
    expiresAt,
    version: 1,
    ...(has_record && { reports: [] }),
    ...(isHeld(created) && { is_indexed: true }),
    recipients: recipients.slice(part * maxRecipientsPerSend, (part + 1) * maxRecipientsPerSend).map((address) => ({ address, facts: {} })),
  }));
};

/** Milliseconds in which a Lambda has to deliver a report of a part, before the sweep queues the part. */
const reportGrace = 2 * 60_000;

/** The part with the time of its outbox entry. A finished part has none, unless a report must be delivered. */
const withSettledDue = (part: SubmissionPart): SubmissionPart => {
  if (part.state === 'queued' || part.state === 'sending') return part;
  const { due, ...finished } = part;
  if (isFinished(part)) return finished;
  const report = part.reports!.find(({ state }) => state === 'due')!;
  return { ...part, due: due ?? new Date(Date.parse(report.at) + reportGrace).toISOString() };
};

/** Checks a new submission. @throws RangeError for no or too many recipients, or a message that is too large. */
export const assertFitsSubmission = ({ recipients, message }: NewSubmission): void => {
  if (recipients.length === 0 || recipients.length > maxRecipientsPerSubmission) {
    throw new RangeError(`a submission needs 1 to ${maxRecipientsPerSubmission} recipients`);
  }
  if (message.length > maxSubmissionMessageBytes) {
    throw new RangeError(`the message of a submission has at most ${maxSubmissionMessageBytes} octets`);
  }
};

/** Replaces a part that has not changed since it was read, and moves its outbox entry. */
const replacePart = (inTable: TableReference, part: SubmissionPart, next: SubmissionPart, notBefore: string): Write[] => {
  const isMoved = part.due !== next.due;
  return [
    { put: partItem(next), if: { equals: { version: part.version } }, inTable },
    ...(isMoved && part.due !== undefined ? [{ delete: outboxKey(part, part.due), inTable }] : []),
    ...(isMoved && next.due !== undefined ? [{ put: outboxItem({ ...next, due: next.due, not_before: notBefore }), inTable }] : []),
  ];
};

const createWrites = (inTable: TableReference, created: NewSubmission, key: string, due: string): ReturnType<Submissions['createWrites']> => {
  const { recipients: _recipients, message, ...stated } = created;
  const retention = retentionOf(created);
  const expiresAt = Math.floor((Date.parse(retention.expires) + expiryGraceDays * day) / 1000);
  const parts = newParts(created, due, expiresAt);
  const submission: Submission = { ...stated, undo_status: 'pending', parts: parts.length, header: originalHeader(message), message_key: key };
  const writes = [
    { put: itemOf(submissionKey(submission.submission_id), { ...submission, expiresAt }), if: { absent: true }, inTable } as const,
    ...parts.flatMap((part): Write[] => [
      { put: partItem(part), inTable },
      { put: outboxItem({ ...part, due, not_before: created.send_at }), inTable },
    ]),
    { put: { ...retentionKey(retention), ...retention, parts: parts.length }, inTable },
  ];
  return { writes, parts: parts.map(referenceOf), found: { submission, parts } };
};

const replaceWrites = (inTable: TableReference, { submission, part }: FoundPart, next: SubmissionPart): ReturnType<Submissions['replaceWrites']> => {
  const stored = { ...withSettledDue(withDueReport(next)), version: part.version + 1 };
  const makesFinal: Write = {
    update: submissionKey(part.submission_id),
    set: { undo_status: 'final' },
    if: [{ equals: { undo_status: 'pending' } }, { equals: { undo_status: 'final' } }],
    inTable,
  };
  const starts = part.state === 'queued' && next.state !== 'queued';
  const entries = providerIdEntries(submission, newProviderMessageIds(part, next)).map((put): Write => ({ put, inTable }));
  return { part: stored, writes: [...replacePart(inTable, part, stored, submission.send_at), ...entries, ...(starts ? [makesFinal] : [])] };
};

const cancelWrites = (inTable: TableReference, { submission, parts }: FoundSubmission): readonly Write[] | undefined =>
  submission.undo_status !== 'pending'
    ? undefined
    : [
        { update: submissionKey(submission.submission_id), set: { undo_status: 'canceled' }, if: { equals: { undo_status: 'pending' } }, inTable },
        ...parts.flatMap((part) => {
          const { due: _due, ...canceled } = part;
          return replacePart(inTable, part, { ...canceled, version: part.version + 1 }, submission.send_at);
        }),
      ];

const removeWrites = (inTable: TableReference, expired: ExpiredSubmission, found: FoundSubmission | undefined): readonly Write[] => [
  { delete: retentionKey(expired), inTable },
  ...(found
    ? [
        { delete: submissionKey(expired.submission_id), inTable },
        ...found.parts.flatMap((part): Write[] => [
          { delete: partKey(part), inTable },
          ...(part.due === undefined ? [] : [{ delete: outboxKey(part, part.due), inTable }]),
        ]),
      ]
    : []),
];

const find = async (table: Table, submissionId: string): Promise<FoundSubmission | undefined> =>
  foundSubmission(await table.query({ pk: partition(submissionId) }));

const findAll = async (table: Table, named: Parameters<Submissions['findAll']>[0]): Promise<ReadonlyMap<string, FoundSubmission>> => {
  const items = await table.batchGet(
    named.flatMap(({ id, parts }) => [submissionKey(id), ...Array.from({ length: parts }, (_, part) => partKey({ submission_id: id, part }))]),
  );
  const byPartition = Map.groupBy(items, ({ pk }) => pk);
  return new Map(
    named.flatMap(({ id }) => {
      const found = foundSubmission(byPartition.get(partition(id)) ?? []);
      return found ? [[id, found] as const] : [];
    }),
  );
};

const findPart = async (table: Table, reference: PartReference): Promise<FoundPart | undefined> => {
  const items = await table.batchGet([submissionKey(reference.submission_id), partKey(reference)]);
  const [submission, part] = [items.find(({ sk }) => sk === 'submission'), items.find(isPart)];
  return submission && part && { submission: submissionOf(submission), part: partOf(part) };
};

const findNewest = async (table: Table, before: string, limit: number): Promise<readonly SentMailEntry[]> => {
  const items = await table.query({ pk: sendingPartitions.retention, before: shiftedBy(retentionShift, before), descending: true, limit });
  return items.map((item) => {
    const { submission_id: id, parts } = retentionRow(item);
    return { id, parts, position: shiftedBy(-retentionShift, item.sk) };
  });
};

const updatePart = async (table: Table, reference: PartReference, change: (part: SubmissionPart) => SubmissionPart): Promise<SubmissionPart | undefined> => {
  const found = await findPart(table, reference);
  if (!found) return undefined;
  const next = change(found.part);
  if (next === found.part) return next;
  const { writes, part } = replaceWrites(table.reference, found, next);
  await table.write(writes);
  return part;
};

const cancel = async (table: Table, submissionId: string): Promise<boolean> => {
  const found = await find(table, submissionId);
  const writes = found && cancelWrites(table.reference, found);
  if (writes) await table.write(writes);
  return writes !== undefined;
};

const postponeEntry = async (table: Table, entry: OutboxEntry, due: string): Promise<void> => {
  const item = await table.get(partKey(entry));
  const part = item && partOf(item);
  const removal: Write = { delete: outboxKey(entry, entry.due) };
  const moved = { ...entry, due, queued: (entry.queued ?? 0) + 1 };
  const writes: Write[] =
    part?.due === entry.due
      ? [removal, { put: outboxItem(moved) }, { put: partItem({ ...part, due, version: part.version + 1 }), if: { equals: { version: part.version } } }]
      : [removal];
  await table.write(writes).catch((error: unknown) => {
    if (!(error instanceof WriteRefused)) throw error;
  });
};

export const submissionsIn = (table: Table, pause?: Pause): Submissions => {
  const inTable = table.reference;
  const sentMail = sentMailIndexIn(table);
  return {
    createWrites: (created, key, due) => createWrites(inTable, created, key, due),
    async index({ submission, parts }) {
      await mapConcurrently(parts, (part) => sentMail.add({ submission, part }));
    },
    write: (writes) => tryWrite(table, writes),
    find: (submissionId) => find(table, submissionId),
    findAll: (named) => findAll(table, named),
    findPart: (reference) => findPart(table, reference),
    replaceWrites: (found, next) => replaceWrites(inTable, found, next),
    updatePart: (reference, change) => retryOnConflict(() => updatePart(table, reference, change), pause),
    cancelWrites: (found) => cancelWrites(inTable, found),
    cancel: (submissionId) => retryOnConflict(() => cancel(table, submissionId), pause),
    async findDueEntries(before, limit) {
      return (await table.query({ pk: sendingPartitions.outbox, before, limit })).map(contentOf<OutboxEntry>);
    },
    postponeEntry: (entry, due) => postponeEntry(table, entry, due),
    findNewest: (before, limit) => findNewest(table, before, limit),
    async findExpired(before, limit) {
      return (await table.query({ pk: sendingPartitions.retention, before, limit })).map(contentOf<ExpiredSubmission>);
    },
    removeWrites: (expired, found) => removeWrites(inTable, expired, found),
  };
};
