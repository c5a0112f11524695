import type { MessageClass } from '../../../contract/admin/mail-feedback.ts';
import { comparableAddress } from '../../../contract/values/mail-address.ts';
import { NotFound } from '../../runtime/domain-errors.ts';
import { pageOf, type Page } from '../../storage/page.ts';
import { retryOnConflictFrom } from '../../storage/retry-on-conflict.ts';
import { contentOf, type Item, type Table, type Write } from '../../storage/table.ts';
import { suppressionReason, withAllCleared, withBouncesCleared, type SuppressionRecord } from './suppression-rules.ts';

/**
 * The suppression records of recipients. `suppression` / address is the record. `suppressions` / created_at#address is
 * its position in the list, which never changes, so pages stay stable while bounces arrive.
 */
export type Suppressions = {
  find(recipient: string): Promise<SuppressionRecord | undefined>;
  /**
   * Why mail of the class is not sent to these recipients now, by recipient. Recipients that are not suppressed are not
   * in the map.
   */
  findReasons(recipients: readonly string[], messageClass: MessageClass, now: Date): Promise<ReadonlyMap<string, string>>;
  /** The newest records first. */
  list(after: string | undefined, size: number): Promise<Page<SuppressionRecord>>;
  /**
   * Changes a record, with `additionalWrites` in the same transaction. Reads the record again and retries on a
   * conflict.
   * @param known the record as it was just read.
   * @throws NotFound when there is no record, StoreConflict when every attempt conflicts.
   */
  update(
    recipient: string,
    known: SuppressionRecord | undefined,
    change: (record: SuppressionRecord) => SuppressionRecord,
    additionalWrites: (before: SuppressionRecord, after: SuppressionRecord) => readonly Write[],
  ): Promise<SuppressionRecord>;
  /**
   * Makes the writes that clear the bounces of an address, or all of its record, for a transaction with other tables.
   * There are none without a record. The transaction is refused when the record changed since.
   */
  clearingWrites(address: string, cleared: 'bounces' | 'all', now: Date): Promise<readonly Write[]>;
};

/** The key of a recipient's record. All forms of an address have one. */
export const suppressionKey = (recipient: string) => ({ pk: 'suppression', sk: comparableAddress(recipient) });

export const suppressionOf = (item: Item): SuppressionRecord => contentOf(item) as SuppressionRecord;

/** The writes that store a record, on the condition that the stored record has not changed since its read. */
export const suppressionWrites = (known: SuppressionRecord | undefined, next: SuppressionRecord): Write[] => [
  {
    put: { ...next, ...suppressionKey(next.recipient), version: (known?.version ?? 0) + 1 } as unknown as Item,
    if: known ? { equals: { version: known.version } } : { absent: true },
  },
  ...(known ? [] : [{ put: { pk: 'suppressions', sk: `${next.created_at}#${next.recipient}`, recipient: next.recipient } }]),
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
  async findReasons(recipients, messageClass, now) {
    const records = await readRecords(table, recipients);
    return new Map(recipients.flatMap((recipient) => {
      const record = records.get(comparableAddress(recipient));
      const reason = record && suppressionReason(record, messageClass, now);
      return reason === undefined ? [] : [[recipient, reason] as const];
    }));
  },
  async list(after, size) {
    const positions = await table.query({ pk: 'suppressions', before: after, descending: true, limit: size + 1 });
    const { items: recipients, next } = pageOf(positions, size, (item) => item['recipient'] as string);
    const records = await readRecords(table, recipients);
    return { items: recipients.flatMap((recipient) => records.get(comparableAddress(recipient)) ?? []), next };
  },
  update: (recipient, known, change, additionalWrites) => retryOnConflictFrom(known, () => findIn(table, recipient), async (before) => {
    if (!before) throw new NotFound('suppression');
    const after = change(before);
    await table.write([...suppressionWrites(before, after), ...additionalWrites(before, after)]);
    return after;
  }),
  async clearingWrites(address, cleared, now) {
    const known = await findIn(table, address);
    if (!known) return [];
    const next = cleared === 'all' ? withAllCleared(known, now) : withBouncesCleared(known, now);
    return suppressionWrites(known, next).map((write) => ({ ...write, inTable: table.reference }));
  },
});
