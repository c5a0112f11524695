import { SortedSlots } from '../../../account-index/columns/sorted-slots.ts';
import type { TypeChanges } from '../../../account-log/log-entry.ts';
import type { IndexBuilder, Indexes, RecordIndex } from '../../../account-log/records/stored-type.ts';
import { mailboxWithRole, type MailboxCounters } from '../../mailbox/mailbox-record.ts';
import type { EmailRow } from '../email-content.ts';
import { EmailColumns } from './email-columns.ts';
import { compileFilter, type EmailFilter, type TextMatcher } from './email-filter.ts';
import { MailboxCounterTable } from './mailbox-counters.ts';
import {
  compareBy,
  firstOfEachThread,
  isColumnSort,
  orderByKeywords,
  ranksName,
  sortedMatches,
  sortOrderFor,
  type ColumnSort,
  type EmailSort,
  type TextColumnSort,
} from './ordered-emails.ts';
import { SlotDocuments } from './slot-documents.ts';
import { ThreadKeywords } from './thread-keywords.ts';

/** Maximum sort orders and ranks by texts in memory. Each takes 4 octets for each Email. */
const maxOrders = 6;
const maxTextRanks = 3;

const newestFirst: readonly ColumnSort[] = [{ property: 'receivedAt', isAscending: false }];

/**
 * Email ids in sorted order. An id is decoded when it is read, because most queries need a short slice of a long list.
 */
export type EmailIdList = Pick<readonly string[], 'length' | 'slice' | 'indexOf'> &
  Iterable<string> & {
    /** The positions of these ids in the list, found in one pass. Ids that are not in the list are omitted. */
    indexesOf(ids: Iterable<string>): ReadonlyMap<string, number>;
  };

/** An account's Emails in memory: rows as columns, sort orders of recent queries, and counters of Mailboxes. */
export class EmailIndex implements RecordIndex<EmailRow> {
  readonly #columns: EmailColumns;
  /** Sort orders by name. The most recently used one is last. */
  readonly #orders = new Map<string, SortedSlots>();
  #counters: MailboxCounterTable;
  #octets: number;
  /** The documents of the search index. Empty until the account is searched. */
  readonly documents: SlotDocuments;

  /** @param columns in order of receivedAt, so that neighbours in a list are neighbours in memory. */
  constructor(columns: EmailColumns, counters: MailboxCounterTable) {
    this.#columns = columns;
    this.#counters = counters;
    this.#octets = columns.ids.slots().reduce((sum, slot) => sum + columns.emailSize[slot]!, 0);
    this.documents = new SlotDocuments(columns.ids);
  }

  /** Builds the index of these rows, which may be in any order. @param smallThread see {@link MailboxCounterTable}. */
  static of(rows: readonly EmailRow[], trashId: string | undefined, smallThread?: number): EmailIndex {
    const columns = new EmailColumns();
    for (const row of rows) columns.add(row);
    return EmailIndex.ofColumns(columns, trashId, smallThread);
  }

  static ofColumns(columns: EmailColumns, trashId: string | undefined, smallThread?: number): EmailIndex {
    const sorted = columns.sortedCopy();
    return new EmailIndex(sorted, new MailboxCounterTable(sorted, trashId, { smallThread }));
  }

  /** The columns in order of receivedAt, without free slots, for a snapshot. */
  sortedColumns(): EmailColumns {
    return this.#columns.sortedCopy();
  }

  /** Applies a commit. Only the commit's Emails are counted again, unless another Mailbox becomes the trash. */
  apply({ created, updated, destroyed }: TypeChanges<EmailRow>, indexes: Indexes): void {
    for (const row of created) this.#put(row);
    for (const { record } of updated) this.#put(record);
    for (const { id } of destroyed) this.#remove(id);
    const trashId = mailboxWithRole(indexes, 'trash')?.id;
    if (this.#counters.trashId !== trashId) this.#counters = this.#counters.recounted(trashId);
  }

  get size(): number {
    return this.#columns.ids.size;
  }

  /** Octets of all raw messages. */
  get octets(): number {
    return this.#octets;
  }

  /** Octets of the columns and sort orders. */
  get bytes(): number {
    return [...this.#orders.values()].reduce((sum, order) => sum + order.bytes, this.#columns.bytes + this.documents.bytes);
  }

  has(id: string): boolean {
    return this.#columns.ids.find(id) >= 0;
  }

  get(id: string): EmailRow | undefined {
    const slot = this.#columns.ids.find(id);
    return slot < 0 ? undefined : this.#columns.row(slot);
  }

  ids(): readonly string[] {
    return this.#idsOf(this.#columns.ids.slots());
  }

  all(): readonly EmailRow[] {
    return Array.from(this.#columns.ids.slots(), (slot) => this.#columns.row(slot));
  }

  get threadCount(): number {
    return this.#columns.threads.size;
  }

  hasThread(threadId: string): boolean {
    return this.#columns.threads.find(threadId) >= 0;
  }

  threadIds(): readonly string[] {
    return Array.from(this.#columns.threads.slots(), (thread) => this.#columns.threads.id(thread));
  }

  /** The Thread's Emails by receivedAt, then id. Empty for an unknown Thread. */
  emailsOfThread(threadId: string): EmailRow[] {
    const thread = this.#columns.threads.find(threadId);
    if (thread < 0) return [];
    return Array.from(this.#columns.emailsOfThread(thread), (slot) => this.#columns.row(slot)).sort(
      (a, b) => a.receivedAt - b.receivedAt || (a.id < b.id ? -1 : 1),
    );
  }

  /** The ids of the Thread's Emails by receivedAt, then id. Empty for an unknown Thread. */
  threadEmailIds(threadId: string): readonly string[] {
    return this.emailsOfThread(threadId).map(({ id }) => id);
  }

  /** The ids of all Emails in these Threads, in no particular order. Unknown Threads are ignored. */
  idsInThreads(threadIds: readonly string[]): readonly string[] {
    const threads = new Set(threadIds.map((id) => this.#columns.threads.find(id)).filter((thread) => thread >= 0));
    return [...threads].flatMap((thread) => Array.from(this.#columns.emailsOfThread(thread), (slot) => this.#columns.ids.id(slot)));
  }

  /** The number of Emails in the Thread; 0 for an unknown one. */
  threadSize(threadId: string): number {
    const thread = this.#columns.threads.find(threadId);
    return thread < 0 ? 0 : this.#counters.thread(thread).size;
  }

  /** The ids of the Mailboxes that contain an Email of the Thread, without duplicates. */
  mailboxesOfThread(threadId: string): Iterable<string> {
    const thread = this.#columns.threads.find(threadId);
    return thread < 0 ? [] : this.#counters.thread(thread).mailboxIds;
  }

  counters(mailboxId: string): MailboxCounters {
    return this.#counters.get(mailboxId);
  }

  /**
   * The ids of all matching Emails in order. Emails with equal sort properties are in ascending order of their ids.
   * @param filter undefined: all Emails. @param sort empty: receivedAt, newest first.
   * @param collapseThreads keeps only the first Email of each Thread (RFC 8621 §4.4.3).
   * @param texts required for a filter with conditions on texts.
   */
  query(filter: EmailFilter | undefined, sort: readonly EmailSort[], collapseThreads = false, texts?: TextMatcher): EmailIdList {
    const effectiveSort = sort.length > 0 ? sort : newestFirst;
    const keywords = new ThreadKeywords(this.#columns);
    const matches = filter && compileFilter(filter, { columns: this.#columns, threadKeywords: keywords, texts });
    const byColumns = effectiveSort.filter(isColumnSort);
    const slots = sortedMatches(this.#columns, this.#sortOrder(byColumns).slots, matches, byColumns);
    orderByKeywords(this.#columns, slots, effectiveSort, keywords);
    return this.#idList(collapseThreads ? firstOfEachThread(this.#columns, slots) : slots);
  }

  /** Slots of Emails whose match depends on a text condition. */
  undecided(filter: EmailFilter, texts: TextMatcher): Uint32Array {
    const context = { columns: this.#columns, threadKeywords: new ThreadKeywords(this.#columns), texts };
    const [mayMatch, matches] = [compileFilter(filter, context, true), compileFilter(filter, context, false)];
    return this.#columns.ids.slots().filter((slot) => mayMatch(slot) && !matches(slot));
  }

  hasTextRanks(sort: TextColumnSort): boolean {
    return this.#columns.textRanks.has(ranksName(sort));
  }

  /** Sets the ranks of all Emails by a text, indexed by slot. The ranks are dropped when an Email is added. */
  setTextRanks(sort: TextColumnSort, ranks: Uint32Array): void {
    if (this.#columns.textRanks.size >= maxTextRanks) this.#dropTextRanks();
    this.#columns.textRanks.set(ranksName(sort), ranks);
  }

  #dropTextRanks(): void {
    for (const name of this.#columns.textRanks.keys()) {
      for (const order of this.#orders.keys()) if (order.includes(name)) this.#orders.delete(order);
    }
    this.#columns.textRanks.clear();
  }

  /** The id of the Email in a slot. */
  idOfSlot(slot: number): string {
    return this.#columns.ids.id(slot);
  }

  #sortOrder(requested: readonly ColumnSort[]): SortedSlots {
    const { name, sort } = sortOrderFor(requested);
    const order = this.#orders.get(name) ?? new SortedSlots(this.#columns.ids.slots(), compareBy(this.#columns, sort));
    this.#orders.delete(name);
    this.#orders.set(name, order);
    const [leastRecentlyUsed] = this.#orders.keys();
    if (this.#orders.size > maxOrders) this.#orders.delete(leastRecentlyUsed!);
    return order;
  }

  /** Adds the Email, or updates the one with the same id. */
  #put(row: EmailRow): void {
    const slot = this.#columns.ids.find(row.id);
    if (slot >= 0) {
      this.#counters.subtract(slot);
      this.#columns.update(slot, row);
      this.#counters.add(slot);
      return;
    }
    this.#octets += row.size;
    this.#dropTextRanks();
    const added = this.#columns.add(row);
    this.#counters.add(added);
    this.documents.clear(added);
    for (const order of this.#orders.values()) order.insert(added);
  }

  /** Removes an Email. An unknown id is ignored. */
  #remove(id: string): void {
    const slot = this.#columns.ids.find(id);
    if (slot < 0) return;
    this.#octets -= this.#columns.emailSize[slot]!;
    this.#counters.subtract(slot);
    for (const order of this.#orders.values()) order.remove(slot);
    this.#columns.remove(slot);
    this.documents.clear(slot);
  }

  #idsOf(slots: Uint32Array): string[] {
    return Array.from(slots, (slot) => this.#columns.ids.id(slot));
  }

  #indexesOf(ids: Iterable<string>, slots: Uint32Array): ReadonlyMap<string, number> {
    const wanted = new Map<number, string>();
    const isWanted = new Uint8Array(this.#columns.ids.capacity);
    for (const id of ids) {
      const slot = this.#columns.ids.find(id);
      if (slot < 0) continue;
      wanted.set(slot, id);
      isWanted[slot] = 1;
    }
    const indexes = new Map<string, number>();
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index]!;
      if (isWanted[slot] === 1) indexes.set(wanted.get(slot)!, index);
    }
    return indexes;
  }

  #idList(slots: Uint32Array): EmailIdList {
    return {
      length: slots.length,
      slice: (start, end) => this.#idsOf(slots.subarray(start, end)),
      indexOf: (id) => slots.indexOf(this.#columns.ids.find(id)),
      indexesOf: (ids) => this.#indexesOf(ids, slots),
      [Symbol.iterator]: () => this.#idsOf(slots)[Symbol.iterator](),
    };
  }
}

/** Builds the index of an account's Emails from their rows. The rows may be added in any order and page by page. */
export const emailIndexBuilder = (): IndexBuilder<EmailRow, EmailIndex> => {
  const columns = new EmailColumns();
  return {
    add(rows) {
      for (const row of rows) columns.add(row);
    },
    finish: (indexes) => EmailIndex.ofColumns(columns, mailboxWithRole(indexes, 'trash')?.id),
  };
};
