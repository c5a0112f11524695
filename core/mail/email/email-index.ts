import type { EmailFilter, EmailIdList, EmailSort } from '../mail-store.ts';
import type { EmailRow, MailboxCounters } from './email-record.ts';
import { Counters } from './mailbox-counters.ts';
import { EmailColumns } from './email-columns.ts';
import { compileFilter } from './email-filter.ts';
import { collapsed, comparison, orderedSlots, orderFor } from './ordered-emails.ts';
import { SortedSlots } from './sorted-slots.ts';

/** Orders kept at a time; each takes 4 octets a message. */
const mostOrders = 6;

const newestFirst: readonly EmailSort[] = [{ property: 'receivedAt', isAscending: false }];

/** What one commit does to the Emails; what is no longer (or already) here is passed over. */
export type EmailChange = { readonly put: readonly EmailRow[]; readonly remove: readonly string[] };

/** An account's Emails in memory: columns, the orders that queries asked for, and each mailbox's counters, all moved along by each commit. */
export class EmailIndex {
  readonly #columns: EmailColumns;
  /** By name, the one that was used last at the end. */
  readonly #orders = new Map<string, SortedSlots>();
  #counters: Counters | undefined;

  /** @param expected how many Emails are about to be loaded. */
  constructor(expected = 0) {
    this.#columns = new EmailColumns(expected);
  }

  /** Loads Emails; to be followed by one `settle`. */
  load(change: EmailChange): void {
    this.#replace(change);
  }

  /** Makes the counters anew: after a load, and when the trash has become another mailbox. */
  settle(trashId: string | undefined): void {
    this.#counters = new Counters(this.#columns, trashId);
  }

  /** Follows a commit. Only the Threads that it touches are counted again. */
  apply(change: EmailChange, trashId: string | undefined): void {
    if (this.#counters?.trashId !== trashId) {
      this.#replace(change);
      this.settle(trashId);
      return;
    }
    const counters = this.#counters!;
    const threadIds = new Set(change.put.map(({ threadId }) => threadId));
    for (const id of change.remove) {
      const slot = this.#columns.ids.find(id);
      if (slot >= 0) threadIds.add(this.#columns.threads.id(this.#columns.thread[slot]!));
    }
    const threads = () => [...threadIds].map((id) => this.#columns.threads.find(id)).filter((thread) => thread >= 0);
    for (const thread of threads()) counters.subtract(thread);
    this.#replace(change);
    for (const thread of threads()) counters.add(thread);
  }

  get size(): number {
    return this.#columns.ids.size;
  }

  /** Octets of the columns and orders. */
  get bytes(): number {
    return [...this.#orders.values()].reduce((sum, order) => sum + order.bytes, this.#columns.bytes);
  }

  row(id: string): EmailRow | undefined {
    const slot = this.#columns.ids.find(id);
    return slot < 0 ? undefined : this.#columns.row(slot);
  }

  ids(): string[] {
    return this.#spelt(this.#columns.ids.slots());
  }

  threadIds(): string[] {
    return Array.from(this.#columns.threads.slots(), (thread) => this.#columns.threads.id(thread));
  }

  /** The Thread's Emails by receivedAt, then id. */
  emailsOfThread(threadId: string): EmailRow[] {
    const thread = this.#columns.threads.find(threadId);
    if (thread < 0) return [];
    return Array.from(this.#columns.emailsOf(thread), (slot) => this.#columns.row(slot))
      .sort((a, b) => a.receivedAt - b.receivedAt || (a.id < b.id ? -1 : 1));
  }

  counters(mailboxId: string): MailboxCounters {
    return this.#counters!.of(mailboxId);
  }

  query(filter: EmailFilter | undefined, sort: readonly EmailSort[], collapseThreads: boolean): EmailIdList {
    const wanted = sort.length > 0 ? sort : newestFirst;
    const matches = filter && compileFilter(filter, this.#columns);
    const slots = orderedSlots(this.#columns, this.#order(wanted).slots, matches, wanted);
    return this.#listed(collapseThreads ? collapsed(this.#columns, slots) : slots);
  }

  #order(wanted: readonly EmailSort[]): SortedSlots {
    const { name, sort } = orderFor(wanted);
    const order = this.#orders.get(name) ?? new SortedSlots(this.#columns.ids.slots(), comparison(this.#columns, sort));
    this.#orders.delete(name);
    this.#orders.set(name, order);
    const [longestUnused] = this.#orders.keys();
    if (this.#orders.size > mostOrders) this.#orders.delete(longestUnused!);
    return order;
  }

  #replace({ put, remove }: EmailChange): void {
    for (const row of put) {
      const slot = this.#columns.ids.find(row.id);
      if (slot >= 0) {
        this.#columns.change(slot, row);
        continue;
      }
      const added = this.#columns.add(row);
      for (const order of this.#orders.values()) order.insert(added);
    }
    for (const id of remove) {
      const slot = this.#columns.ids.find(id);
      if (slot < 0) continue;
      for (const order of this.#orders.values()) order.remove(slot);
      this.#columns.remove(slot);
    }
  }

  #spelt(slots: Uint32Array): string[] {
    return Array.from(slots, (slot) => this.#columns.ids.id(slot));
  }

  #listed(slots: Uint32Array): EmailIdList {
    return {
      length: slots.length,
      slice: (start, end) => this.#spelt(slots.subarray(start, end)),
      indexOf: (id) => slots.indexOf(this.#columns.ids.find(id)),
      [Symbol.iterator]: () => this.#spelt(slots)[Symbol.iterator](),
    };
  }
}
