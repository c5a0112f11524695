import type { ProblemReference } from '../../../contract/admin/problems.ts';
import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { tryWrite } from '../../storage/retry-on-conflict.ts';
import { contentOf, type Item, type Table, type Write } from '../../storage/table.ts';

/** Identifies a problem among those of a deployment. */
export const problemKey = ({ name, subject }: ProblemReference): string => (subject === undefined ? name : `${name} ${subject}`);

/** A begin or an end of a problem, of which people are to be notified. */
export type ProblemChange = ProblemReference & {
  readonly change: 'begun' | 'ended';
  readonly since: string;
  /** The time of the change (RFC 3339). */
  readonly at: string;
  readonly isPublished: boolean;
  readonly isMailed: boolean;
};

/**
 * Changes of the list of problems that people are not notified of yet: the items `problem-change`/time name subject.
 * The transaction of a change adds its item. The item is deleted once the change is published and mailed.
 */
export type ProblemChanges = {
  /** Changes in their order, at most `limit`. */
  list(limit: number): Promise<ProblemChange[]>;
  /**
   * Reserves the publication of a change for a run. The reservation of a run that was stopped ends by itself.
   * @returns false when the change is published, or reserved by another run.
   */
  reserve(change: ProblemChange, now: Date): Promise<boolean>;
  /** Gives a reservation up, because publishing failed. */
  release(change: ProblemChange): Promise<void>;
  /** Marks a reserved change as published. */
  markPublished(change: ProblemChange): Promise<void>;
  /** The writes that mark changes as mailed, on the condition that no other run mailed them. */
  mailedWrites(changes: readonly ProblemChange[]): readonly Write[];
  remove(changes: readonly ProblemChange[]): Promise<void>;
};

/** Milliseconds of a reservation. The Lambda `watch` runs for a minute at most. */
export const reservedFor = 4 * 60_000;

const partition = directoryPartitions.problemChanges;

const keyOf = (change: Pick<ProblemChange, 'at' | 'name' | 'subject'>) => directoryKeys.problemChange(change.at, problemKey(change));

type Marks = { readonly published?: boolean; readonly mailed?: boolean; readonly reserved_until?: number };

const changeOf = (item: Item): ProblemChange => {
  const { published, mailed, reserved_until: _reserved, ...content } = contentOf<Marks & Omit<ProblemChange, 'isPublished' | 'isMailed'>>(item);
  return { ...content, isPublished: published === true, isMailed: mailed === true };
};

/** The write that adds a change, for the transaction of the change. */
export const problemChangeWrite = ({ name, subject, subject_name, change, since, at }: Omit<ProblemChange, 'isPublished' | 'isMailed'>): Write => ({
  put: { ...keyOf({ at, name, subject }), name, subject, subject_name, change, since, at },
});

export const problemChangesIn = (table: Table): ProblemChanges => ({
  async list(limit) {
    return (await table.query({ pk: partition, limit })).map(changeOf);
  },
  reserve: (change, now) =>
    tryWrite(table, [
      {
        update: keyOf(change),
        set: { reserved_until: now.getTime() + reservedFor },
        if: [{ equals: { at: change.at, published: undefined, reserved_until: undefined } }, { below: { reserved_until: now.getTime() } }],
      },
    ]),
  async release(change) {
    await tryWrite(table, [{ update: keyOf(change), remove: ['reserved_until'], if: { present: true } }]);
  },
  async markPublished(change) {
    await tryWrite(table, [{ update: keyOf(change), set: { published: true }, remove: ['reserved_until'], if: { present: true } }]);
  },
  mailedWrites: (changes) =>
    changes.map((change) => ({ update: keyOf(change), set: { mailed: true }, if: { equals: { at: change.at, mailed: undefined } }, inTable: table.reference })),
  async remove(changes) {
    for (const change of changes) await table.write([{ delete: keyOf(change) }]);
  },
});
