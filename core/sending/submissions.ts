import { maxSubmissionMessageBytes, maxRecipientsPerSubmission, maxRecipientsPerSend } from '../../contract/sending.ts';
import type { PartReference } from './submit-queue.ts';
import { retryOnConflict, tryWrite } from '../storage/retry-on-conflict.ts';
import { contentOf, WriteRefused, type Item, type Key, type Table, type Write } from '../storage/table.ts';
import type { NewSubmission, SubmissionPart, Submission } from './submission.ts';

/** A part with what is needed to send it. */
export type PartToSend = { readonly submission: Submission; readonly part: SubmissionPart; readonly message: Uint8Array };

/** An outbox entry that fell due: its part was not begun since it should have been. */
export type OutboxEntry = PartReference & { readonly due: string };

/**
 * Submissions and the outbox. `submission#id`/`submission` is the record, `submission#id`/`message` its raw message, `submission#id`/`part#000` a send,
 * `outbox`/due#id#part says that a send is to be put into the queue; the entry goes when the send begins, from when on the queue's message is kept
 * until the send is over.
 */
export type Submissions = {
  /**
   * Keeps a submission and its outbox entries, in one transaction with what is to be written also.
   * @param due when the outbox is to see to it, unless it was begun before.
   * @returns undefined when a condition of what is to be written also does not hold.
   * @throws RangeError for no or too many recipients, or a message that is too large to be carried.
   */
  create(submission: NewSubmission, due: string, also?: readonly Write[]): Promise<readonly PartReference[] | undefined>;
  find(submissionId: string): Promise<{ readonly submission: Submission; readonly parts: readonly SubmissionPart[] } | undefined>;
  findPartToSend(reference: PartReference): Promise<PartToSend | undefined>;
  /** The submission and the part, without its message. */
  findPart(reference: PartReference): Promise<Omit<PartToSend, 'message'> | undefined>;
  /**
   * Records that a part is about to be sent, or that nothing of it can be: `next` in the place of `part`, the outbox entry gone, the submission final.
   * @throws WriteRefused when any of them moved, or the submission was canceled.
   */
  startPart(part: SubmissionPart, next: SubmissionPart): Promise<void>;
  /** Changes a part, again and again while others are faster. @returns undefined when there is no such part. */
  updatePart(reference: PartReference, change: (part: SubmissionPart) => SubmissionPart): Promise<SubmissionPart | undefined>;
  /** @returns false when it is too late, or there is no such submission. */
  cancel(submissionId: string): Promise<boolean>;
  /** Entries that fell due before a moment, the oldest first. */
  findDueEntries(before: string, limit: number): Promise<readonly OutboxEntry[]>;
  /** Has an entry fall due later; nothing when its part was begun. */
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
const outboxPut = ({ submission_id, part }: PartReference, due: string): Write => ({ put: { ...outboxKey({ submission_id, part }, due), submission_id, part, due } });

const partsOf = ({ submission_id, recipients }: NewSubmission, due: string): SubmissionPart[] =>
  Array.from({ length: Math.ceil(recipients.length / maxRecipientsPerSend) }, (_, part) => ({
    submission_id, part, state: 'queued', attempts: 0, unanswered: 0, due, version: 1,
    recipients: recipients.slice(part * maxRecipientsPerSend, (part + 1) * maxRecipientsPerSend).map((address) => ({ address, facts: {} })),
  }));

const assertFits = ({ recipients, message }: NewSubmission): void => {
  if (recipients.length === 0 || recipients.length > maxRecipientsPerSubmission) throw new RangeError(`a submission has 1 to ${maxRecipientsPerSubmission} recipients`);
  if (message.length > maxSubmissionMessageBytes) throw new RangeError(`a submission carries a message of at most ${maxSubmissionMessageBytes} octets`);
};

export const submissionsIn = (table: Table): Submissions => {
  const findPart: Submissions['findPart'] = async (reference) => {
    const items = await table.batchGet([submissionKey(reference.submission_id), partKey(reference)]);
    const [submission, part] = [items.find(({ sk }) => sk === 'submission'), items.find(({ sk }) => sk !== 'submission')];
    return submission && part && { submission: submissionOf(submission), part: partOf(part) };
  };

  return {
    findPart,
    async create(created, due, also = []) {
      assertFits(created);
      const { recipients: _recipients, message, ...stated } = created;
      const parts = partsOf(created, due);
      const isKept = await tryWrite(table, [
        { put: { ...stated, ...submissionKey(stated.submission_id), undo_status: 'pending', parts: parts.length } as unknown as Item, if: { absent: true } },
        { put: { ...messageKey(stated.submission_id), raw: message } },
        ...parts.flatMap((part): Write[] => [{ put: partItem(part, 1) }, outboxPut(part, due)]),
        ...also,
      ]);
      return isKept ? parts.map(({ submission_id, part }) => ({ submission_id, part })) : undefined;
    },
    async find(submissionId) {
      const items = await table.query({ pk: partition(submissionId) });
      const submission = items.find(({ sk }) => sk === 'submission');
      return submission && { submission: submissionOf(submission), parts: items.filter(({ sk }) => sk.startsWith('part#')).map(partOf) };
    },
    async findPartToSend(reference) {
      const [found, message] = await Promise.all([findPart(reference), table.get(messageKey(reference.submission_id))]);
      return found && message && { ...found, message: message['raw'] as Uint8Array };
    },
    async startPart(part, { due: _due, ...next }) {
      await table.write([
        { put: partItem(next, part.version + 1), if: { equals: { version: part.version } } },
        { update: submissionKey(part.submission_id), set: { undo_status: 'final' }, if: [{ equals: { undo_status: 'pending' } }, { equals: { undo_status: 'final' } }] },
        ...(part.due === undefined ? [] : [{ delete: outboxKey(part, part.due) }]),
      ]);
    },
    updatePart: (reference, change) => retryOnConflict(async () => {
      const item = await table.get(partKey(reference));
      if (!item) return undefined;
      const part = partOf(item);
      const next = change(part);
      if (next !== part) await table.write([{ put: partItem(next, part.version + 1), if: { equals: { version: part.version } } }]);
      return next;
    }),
    cancel: (submissionId) => retryOnConflict(async () => {
      const items = await table.query({ pk: partition(submissionId), prefix: 'part#' });
      const entries = items.map(partOf).flatMap(({ due, ...part }): Write[] => (due === undefined ? [] : [
        { put: partItem(part, part.version + 1), if: { equals: { version: part.version } } }, { delete: outboxKey(part, due) },
      ]));
      try {
        await table.write([{ update: submissionKey(submissionId), set: { undo_status: 'canceled' }, if: { equals: { undo_status: 'pending' } } }, ...entries]);
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
      const part = (await table.get(partKey(entry))) as (Item & SubmissionPart) | undefined;
      const from: Write = { delete: outboxKey(entry, entry.due) };
      const moves: Write[] = part?.due === entry.due
        ? [from, outboxPut(entry, due), { put: partItem({ ...partOf(part), due }, part.version + 1), if: { equals: { version: part.version } } }]
        : [from];
      await table.write(moves).catch((error: unknown) => {
        if (!(error instanceof WriteRefused)) throw error;
      });
    },
  };
};
