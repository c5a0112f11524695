import type { MessageClass } from '../../contract/admin/mail-feedback.ts';
import { NotFound } from '../runtime/domain-errors.ts';
import { pageOf, type Page } from '../storage/page.ts';
import { retryOnConflictFrom } from '../storage/retry-on-conflict.ts';
import { contentOf, type Item, type Table, type Write } from '../storage/table.ts';
import { suppressionReason, type SuppressionRecord } from './suppression-rules.ts';

/**
 * Recipients with a record. `suppression`/address is the record; `suppressions`/created_at#address its place in the list, which never changes, so that
 * pages stay stable while bounces come in.
 */
export type Suppressions = {
  find(recipient: string): Promise<SuppressionRecord | undefined>;
  /** The recipients that mail of the class is not sent to now, with the reason in words. */
  findReasons(recipients: readonly string[], messageClass: MessageClass, now: Date): Promise<ReadonlyMap<string, string>>;
  /** Those whose record is youngest first. */
  list(after: string | undefined, size: number): Promise<Page<SuppressionRecord>>;
  /**
   * Changes a record, in one transaction with what is to be written also.
   * @param found the record as it was just read; it is read again while others are faster.
   * @throws NotFound when there is no record, StoreConflict when others were always faster.
   */
  update(
    recipient: string, found: SuppressionRecord | undefined, change: (record: SuppressionRecord) => SuppressionRecord,
    also: (before: SuppressionRecord, after: SuppressionRecord) => readonly Write[],
  ): Promise<SuppressionRecord>;
};

/** Addresses are the same in any case. */
export const suppressionKey = (recipient: string) => ({ pk: 'suppression', sk: recipient.toLowerCase() });

export const suppressionOf = (item: Item): SuppressionRecord => contentOf(item) as SuppressionRecord;

/** The writes that put a record in the place of the one that was read. */
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

export const suppressionsIn = (table: Table): Suppressions => ({
  find: (recipient) => findIn(table, recipient),
  async findReasons(recipients, messageClass, now) {
    const records = (await table.batchGet(recipients.map(suppressionKey))).map((item) => [item.sk, suppressionOf(item)] as const);
    const known = new Map(records);
    return new Map(recipients.flatMap((recipient) => {
      const record = known.get(recipient.toLowerCase());
      const reason = record && suppressionReason(record, messageClass, now);
      return reason === undefined ? [] : [[recipient, reason] as const];
    }));
  },
  async list(after, size) {
    const found = await table.query({ pk: 'suppressions', before: after, descending: true, limit: size + 1 });
    const { items: recipients, next } = pageOf(found, size, (item) => item['recipient'] as string);
    const records = new Map((await table.batchGet(recipients.map(suppressionKey))).map((item) => [item.sk, suppressionOf(item)]));
    return { items: recipients.flatMap((recipient) => records.get(recipient.toLowerCase()) ?? []), next };
  },
  update: (recipient, found, change, also) => retryOnConflictFrom(found, () => findIn(table, recipient), async (before) => {
    if (!before) throw new NotFound('suppression');
    const after = change(before);
    await table.write([...suppressionWrites(before, after), ...also(before, after)]);
    return after;
  }),
});
