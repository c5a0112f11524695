import type { MessageClass } from '../../../contract/admin/mail-feedback.ts';
import { sendingKeys, sendingPartitions } from '../../../contract/deployment/keys.ts';
import { comparableAddress } from '../../../contract/values/mail-address.ts';
import { NotFound } from '../../runtime/domain-errors.ts';
import { pageOf, type Page } from '../../storage/page.ts';
import { retryOnConflictFrom } from '../../storage/retry-on-conflict.ts';
import { contentOf, itemOf, rowOf, type Table, type Write } from '../../storage/table.ts';
import { suppressionCause, withAllCleared, withBouncesCleared, type SuppressionRecord } from './suppression-rules.ts';

/** The suppression records, at `suppression`/address. `suppressions`/created_at#address is the position in the list. */
export type Suppressions = {
  find(recipient: string): Promise<SuppressionRecord | undefined>;
  /** The records of these recipients, by {@link comparableAddress}. */
  findAll(recipients: readonly string[]): Promise<ReadonlyMap<string, SuppressionRecord>>;
  /** The reasons why mail of the class is not sent now, by suppressed recipient. */
  findReasons(recipients: readonly string[], messageClass: MessageClass, now: Date): Promise<ReadonlyMap<string, string>>;
  /** Lists records, newest first. */
  list(after: string | undefined, size: number): Promise<Page<SuppressionRecord>>;
  /**
   * Changes a record, with `additionalWrites` in the same transaction. Reads the record again and retries on a
   * conflict.
   * @param known the record, if it was just read.
   * @throws NotFound when there is no record, StoreConflict when every attempt conflicts.
   */
  update(
    recipient: string,
    known: SuppressionRecord | undefined,
    change: (record: SuppressionRecord) => SuppressionRecord,
    additionalWrites: (before: SuppressionRecord, after: SuppressionRecord) => readonly Write[],
  ): Promise<SuppressionRecord>;
  /**
   * The writes that clear the bounces of an address, or its whole record. They fail if the record changed since it was
   * read.
   */
  clearingWrites(address: string, cleared: 'bounces' | 'all', now: Date): Promise<readonly Write[]>;
};

/** The key of a recipient's record. All spellings of an address have the same key. */
export const suppressionKey = (recipient: string) => sendingKeys.suppression(comparableAddress(recipient));

const positionRow = rowOf<Pick<SuppressionRecord, 'recipient'>>;

export const suppressionOf = contentOf<SuppressionRecord>;

/** The writes that store a record, on the condition that the stored record has not changed since it was read. */
export const suppressionWrites = (known: SuppressionRecord | undefined, next: SuppressionRecord): Write[] => [
  {
    put: itemOf(suppressionKey(next.recipient), { ...next, version: (known?.version ?? 0) + 1 }),
    if: known ? { equals: { version: known.version } } : { absent: true },
  },
  ...(known ? [] : [{ put: { ...sendingKeys.suppressionPosition(next.created_at, next.recipient), recipient: next.recipient } }]),
];

const findIn = async (table: Table, recipient: string): Promise<SuppressionRecord | undefined> => {
  const item = await table.get(suppressionKey(recipient));
  return item && suppressionOf(item);
};

/** The records of these recipients, by {@link comparableAddress}. */
const readRecords = async (table: Table, recipients: readonly string[]): Promise<Map<string, SuppressionRecord>> =>
  new Map((await table.batchGet(recipients.map(suppressionKey))).map((item) => [item.sk, suppressionOf(item)]));

export const suppressionsIn = (table: Table): Suppressions => ({
  find: (recipient) => findIn(table, recipient),
  findAll: (recipients) => readRecords(table, recipients),
  async findReasons(recipients, messageClass, now) {
    const records = await readRecords(table, recipients);
    return new Map(
      recipients.flatMap((recipient) => {
        const record = records.get(comparableAddress(recipient));
        const reason = record && suppressionCause(record, messageClass, now)?.reason;
        return reason === undefined ? [] : [[recipient, reason] as const];
      }),
    );
  },
  async list(after, size) {
    const positions = await table.query({ pk: sendingPartitions.suppressionList, before: after, descending: true, limit: size + 1 });
    const { items: recipients, next } = pageOf(positions, size, (item) => positionRow(item).recipient);
    const records = await readRecords(table, recipients);
    return { items: recipients.flatMap((recipient) => records.get(comparableAddress(recipient)) ?? []), next };
  },
  update: (recipient, known, change, additionalWrites) =>
    retryOnConflictFrom(
      known,
      () => findIn(table, recipient),
      async (before) => {
        if (!before) throw new NotFound('suppression');
        const after = change(before);
        await table.write([...suppressionWrites(before, after), ...additionalWrites(before, after)]);
        return after;
      },
    ),
  async clearingWrites(address, cleared, now) {
    const known = await findIn(table, address);
    if (!known) return [];
    const next = cleared === 'all' ? withAllCleared(known, now) : withBouncesCleared(known, now);
    return suppressionWrites(known, next).map((write) => ({ ...write, inTable: table.reference }));
  },
});
