import { comparableAddress, domainOf } from '../../../contract/values/mail-address.ts';
import { bareMessageId } from '../../mime/header/message-ids.ts';
import type { Page } from '../../storage/page.ts';
import { findItemIn, type Item, type Table } from '../../storage/table.ts';
import {
  addressFamily, addressPartition, partitionsOf, receivedMessageOf, recordKey, type ReceivedMessage,
} from './received-message.ts';

/** A filter of received messages. Times are RFC 3339 in UTC. */
export type ReceivedFilter = {
  /** The sender or a recipient, with or without the detail of the local part. */
  readonly address?: string | undefined;
  /** The domain of the sender or of a recipient, in lower case with A-labels. */
  readonly domain?: string | undefined;
  readonly messageId?: string | undefined;
  /** A text in the subject, in any letter case. */
  readonly subject?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
};

/** Maximum records that one page reads. */
const maxRead = 2000;
/** Maximum records of one query of a partition. */
const maxQueried = 200;
/** Maximum records that are matched together. */
const matchedTogether = 100;

/** A partition that is read from the newest item to the oldest. */
class DescendingPartition {
  readonly #table: Pick<Table, 'query'>;
  readonly #pk: string;
  #before: string;
  #limit: number;
  #hasMore = true;
  #items: Item[] = [];

  constructor(table: Pick<Table, 'query'>, pk: string, before: string, limit: number) {
    this.#table = table;
    this.#pk = pk;
    this.#before = before;
    this.#limit = limit;
  }

  get needsRead(): boolean {
    return this.#hasMore && this.#items.length === 0;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  take(): void {
    this.#items.shift();
  }

  /** Reads further items, more each time. @returns their number. */
  async read(): Promise<number> {
    this.#items = await this.#table.query({ pk: this.#pk, before: this.#before, descending: true, limit: this.#limit });
    this.#hasMore = this.#items.length === this.#limit;
    this.#before = this.#items.at(-1)?.sk ?? this.#before;
    this.#limit = Math.min(maxQueried, 2 * this.#limit);
    return this.#items.length;
  }
}

/** Merges partitions in descending order of their sort keys. */
class MergedPartitions {
  readonly #partitions: readonly DescendingPartition[];
  #read = 0;
  #last: string | undefined;

  constructor(table: Pick<Table, 'query'>, partitions: readonly string[], before: string, size: number) {
    const limit = Math.min(maxQueried, Math.max(2, Math.ceil((2 * size) / partitions.length)));
    this.#partitions = partitions.map((pk) => new DescendingPartition(table, pk, before, limit));
  }

  /** Whether the page has read as many items as it may. */
  get isExhausted(): boolean {
    return this.#read >= maxRead;
  }

  /** The next items in order. Empty at the end, or when the page may read no more. */
  async next(): Promise<readonly Item[]> {
    const unread = this.#partitions.filter(({ needsRead }) => needsRead);
    if (unread.length > 0 && this.isExhausted) return [];
    for (const count of await Promise.all(unread.map((partition) => partition.read()))) this.#read += count;
    const items: Item[] = [];
    const hasUnread = () => this.#partitions.some(({ needsRead }) => needsRead);
    while (items.length < matchedTogether && !hasUnread()) {
      const newest = this.#partitions.reduce<DescendingPartition | undefined>((best, partition) =>
        (partition.first && (!best?.first || partition.first.sk > best.first.sk) ? partition : best), undefined);
      if (!newest) return items;
      // The record of a message and its listing for an address may both be found. They have the same sort key.
      if (newest.first!.sk !== this.#last) items.push(newest.first!);
      this.#last = newest.first!.sk;
      newest.take();
    }
    return items.length === 0 && hasUnread() ? this.next() : items;
  }
}

/** The messages of items. An item that lists a message for an address has only the shards of its record. */
const messagesOf = async (table: Pick<Table, 'batchGet'>, items: readonly Item[]): Promise<readonly ReceivedMessage[]> => {
  const keyOf = ({ shards, sk }: Item) => recordKey({ shards: shards as string, sk });
  const listings = items.filter(({ shards }) => shards !== undefined);
  const find = findItemIn(listings.length > 0 ? await table.batchGet(listings.map(keyOf)) : []);
  return items.flatMap((item) => {
    const record = item['shards'] === undefined ? item : find(keyOf(item));
    return record ? [receivedMessageOf(record)] : [];
  });
};

const addressesOf = ({ sender, author, recipients }: ReceivedMessage): readonly string[] =>
  [sender, author ?? '', ...Object.keys(recipients)].map(comparableAddress);

const isOfAddress = (message: ReceivedMessage, address: string): boolean => {
  const wanted = comparableAddress(address);
  return addressesOf(message).some((each) => each === wanted || addressFamily(each) === wanted);
};

const matches = (message: ReceivedMessage, { address, domain, messageId, subject }: ReceivedFilter): boolean =>
  (address === undefined || isOfAddress(message, address))
  && (domain === undefined || addressesOf(message).some((each) => domainOf(each) === domain))
  && (messageId === undefined || message.messageId === messageId)
  && (subject === undefined || (message.subject ?? '').toLowerCase().includes(subject.toLowerCase()));

/**
 * Finds messages, newest first, and stops after {@link maxRead} records.
 * @param before the position of the page: the sort key of the last item of the previous page.
 * @param select maps messages that match, in the same order, and leaves out those that are not wanted (undefined).
 */
export const findReceivedMessages = async <T>(
  table: Pick<Table, 'query' | 'batchGet'>, filter: ReceivedFilter, before: string | undefined, size: number, now: Date,
  select: (messages: readonly ReceivedMessage[]) => Promise<readonly (T | undefined)[]>,
): Promise<Page<T>> => {
  const bare = { ...filter, ...(filter.messageId !== undefined && { messageId: bareMessageId(filter.messageId) }) };
  const { address, messageId, since = '', until } = bare;
  const partitions = [
    ...partitionsOf({ ...(address !== undefined && { author: address }), ...(messageId !== undefined && { messageId }) }),
    ...address === undefined ? [] : [addressPartition(address)],
  ];
  const newest = [before, until, '~'].filter((each) => each !== undefined).toSorted()[0]!;
  const merged = new MergedPartitions(table, partitions, newest, size);
  const found: T[] = [];
  let position = newest;
  for (;;) {
    const items = await merged.next();
    if (items.length === 0) return { items: found, next: merged.isExhausted ? position : undefined };
    const wanted = items.filter(({ sk }) => sk >= since);
    const live = wanted.filter(({ expiresAt }) => Number(expiresAt) * 1000 > now.getTime());
    const messages = (await messagesOf(table, live)).filter((message) => matches(message, bare));
    const selected = messages.length > 0 ? await select(messages) : [];
    for (const [index, each] of selected.entries()) {
      if (each === undefined) continue;
      if (found.length === size) return { items: found, next: position };
      found.push(each);
      position = `${messages[index]!.at}#${messages[index]!.sesMessageId}`;
    }
    if (wanted.length < items.length) return { items: found, next: undefined };
    if (found.length < size) position = items.at(-1)!.sk;
  }
};
