import { maxRecipientsPerSend, maxRecipientsPerSubmission, maxSubmissionMessageBytes } from '../../contract/sending.ts';
import { retryOnConflict, tryWrite } from '../storage/retry-on-conflict.ts';
import { contentOf, WriteRefused, type Item, type Key, type Table, type Write } from '../storage/table.ts';
import type { NewSubmission, Submission, SubmissionPart } from './submission.ts';
import type { PartReference } from './submit-queue.ts';

/** A part with its submission and the raw message. */
export type PartToSend = { readonly submission: Submission; readonly part: SubmissionPart; readonly message: Uint8Array };

/** An outbox entry of a part that has not started. */
export type OutboxEntry = PartReference & { readonly due: string };

/**
 * Submissions and the outbox. Their items in the sending table:
 * - `submission#id` / `submission` is the record, `submission#id` / `message` its raw message, and `submission#id` /
 * `part#000` its first part.
 * - `outbox` / due#id#part is the outbox entry of a part. It is deleted when the part starts; from then on the queue
 * keeps the part until it is done.
 */
export type Submissions = {
  /**
   * Stores a submission and its outbox entries in one transaction.
   * @param due when the sweep queues the parts that have not started.
   * @param additionalWrites for the same transaction.
   * @returns undefined when a condition of `additionalWrites` does not hold, or the submission exists.
   * @throws RangeError for no or too many recipients, or a message that is too large.
   */
  create(submission: NewSubmission, due: string, additionalWrites?: readonly Write[]): Promise<readonly PartReference[] | undefined>;
  find(submissionId: string): Promise<{ readonly submission: Submission; readonly parts: readonly SubmissionPart[] } | undefined>;
  findPart(reference: PartReference): Promise<Omit<PartToSend, 'message'> | undefined>;
  findPartToSend(reference: PartReference): Promise<PartToSend | undefined>;
  /**
   * Starts a part: replaces `part` by `next`, deletes its outbox entry and makes the submission final.
   * @throws WriteRefused when the part has changed, or the submission is canceled.
   */
  startPart(part: SubmissionPart, next: SubmissionPart): Promise<void>;
  /** Changes a part; reads it again and retries on a conflict. @returns undefined when there is no such part. */
  updatePart(reference: PartReference, change: (part: SubmissionPart) => SubmissionPart): Promise<SubmissionPart | undefined>;
  /** @returns false when a part has started, or there is no such submission. */
  cancel(submissionId: string): Promise<boolean>;
  /** Outbox entries that fell due before a time, the oldest first. */
  findDueEntries(before: string, limit: number): Promise<readonly OutboxEntry[]>;
  /** Moves an outbox entry to a later time. Deletes it when its part has started. */
  postponeEntry(entry: OutboxEntry, due: string): Promise<void>;
};

const partition = (submissionId: string): string => `submission#${submissionId}`;
const submissionKey = (id: string): Key => ({ pk: partition(id), sk: 'submission' });
const messageKey = (id: string): Key => ({ pk: partition(id), sk: 'message' });
const partKey = ({ submission_id: id, part }: PartReference): Key => ({ pk: partition(id), sk: `part#${String(part).padStart(3, '0')}` });
const outboxKey = ({ submission_id: id, part }: PartReference, due: string): Key => ({ pk: 'outbox', sk: `${due}#${id}#${part}` });

const submissionOf = (item: Item): Submission => contentOf(item) as Submission;
const partOf = (item: Item): SubmissionPart => contentOf(item) as SubmissionPart;
const partItem = (part: SubmissionPart, version: number): Item => ({ ...part, ...partKey(part), version });
/** Replaces a part that has not changed since it was read. */
const replacePart = (part: SubmissionPart, next: SubmissionPart): Write =>
  ({ put: partItem(next, part.version + 1), if: { equals: { version: part.version } } });
const outboxPut = ({ submission_id, part }: PartReference, due: string): Write =>
  ({ put: { ...outboxKey({ submission_id, part }, due), submission_id, part, due } });

const newParts = ({ submission_id, recipients }: NewSubmission, due: string): SubmissionPart[] =>
  Array.from({ length: Math.ceil(recipients.length / maxRecipientsPerSend) }, (_, part) => ({
    submission_id, part, state: 'queued', attempts: 0, unanswered: 0, due, version: 1,
    recipients: recipients.slice(part * maxRecipientsPerSend, (part + 1) * maxRecipientsPerSend).map((address) => ({ address, facts: {} })),
  }));

const assertFits = ({ recipients, message }: NewSubmission): void => {
  if (recipients.length === 0 || recipients.length > maxRecipientsPerSubmission) {
    throw new RangeError(`a submission needs 1 to ${maxRecipientsPerSubmission} recipients`);
  }
  if (message.length > maxSubmissionMessageBytes) {
    throw new RangeError(`the message of a submission has at most ${maxSubmissionMessageBytes} octets`);
  }
};

export const submissionsIn = (table: Table): Submissions => {
  const findPart: Submissions['findPart'] = async (reference) => {
    const items = await table.batchGet([submissionKey(reference.submission_id), partKey(reference)]);
    const [submission, part] = [items.find(({ sk }) => sk === 'submission'), items.find(({ sk }) => sk !== 'submission')];
    return submission && part && { submission: submissionOf(submission), part: partOf(part) };
  };

  return {
    findPart,
    async create(created, due, additionalWrites = []) {
      assertFits(created);
      const { recipients: _recipients, message, ...stated } = created;
      const parts = newParts(created, due);
      const submission: Submission = { ...stated, undo_status: 'pending', parts: parts.length };
      const isStored = await tryWrite(table, [
        { put: { ...submission, ...submissionKey(submission.submission_id) } as unknown as Item, if: { absent: true } },
        { put: { ...messageKey(submission.submission_id), raw: message } },
        ...parts.flatMap((part): Write[] => [{ put: partItem(part, 1) }, outboxPut(part, due)]),
        ...additionalWrites,
      ]);
      return isStored ? parts.map(({ submission_id, part }) => ({ submission_id, part })) : undefined;
    },
    async find(submissionId) {
      const items = await table.query({ pk: partition(submissionId) });
      const submission = items.find(({ sk }) => sk === 'submission');
      return submission && { submission: submissionOf(submission), parts: items.filter(({ sk }) => sk.startsWith('part#')).map(partOf) };
    },
    async findPartToSend(reference) {
      const [part, message] = await Promise.all([findPart(reference), table.get(messageKey(reference.submission_id))]);
      return part && message && { ...part, message: message['raw'] as Uint8Array };
    },
    async startPart(part, { due: _due, ...next }) {
      await table.write([
        replacePart(part, next),
        {
          update: submissionKey(part.submission_id), set: { undo_status: 'final' },
          if: [{ equals: { undo_status: 'pending' } }, { equals: { undo_status: 'final' } }],
        },
        ...(part.due === undefined ? [] : [{ delete: outboxKey(part, part.due) }]),
      ]);
    },
    updatePart: (reference, change) => retryOnConflict(async () => {
      const item = await table.get(partKey(reference));
      if (!item) return undefined;
      const part = partOf(item);
      const next = change(part);
      if (next !== part) await table.write([replacePart(part, next)]);
      return next;
    }),
    cancel: (submissionId) => retryOnConflict(async () => {
      const items = await table.query({ pk: partition(submissionId), prefix: 'part#' });
      const entries = items.map(partOf).flatMap(({ due, ...part }): Write[] =>
        (due === undefined ? [] : [replacePart(part, part), { delete: outboxKey(part, due) }]));
      try {
        await table.write([
          { update: submissionKey(submissionId), set: { undo_status: 'canceled' }, if: { equals: { undo_status: 'pending' } } },
          ...entries,
        ]);
        return true;
      } catch (error) {
        if (error instanceof WriteRefused && error.failed.includes(0)) return false;
        throw error;
      }
    }),
    async findDueEntries(before, limit) {
      return (await table.query({ pk: 'outbox', before, limit })).map((item) => contentOf(item) as OutboxEntry);
    },
    async postponeEntry(entry, due) {
      const item = await table.get(partKey(entry));
      const part = item && partOf(item);
      const removal: Write = { delete: outboxKey(entry, entry.due) };
      const writes = part?.due === entry.due ? [removal, outboxPut(entry, due), replacePart(part, { ...part, due })] : [removal];
      await table.write(writes).catch((error: unknown) => {
        if (!(error instanceof WriteRefused)) throw error;
      });
    },
  };
};
