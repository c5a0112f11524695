import { comparableAddress, domainOf } from '../../../contract/values/mail-address.ts';
import { bareMessageId } from '../../mime/message-ids.ts';
import type { Page } from '../../storage/page.ts';
import { findItemIn, rowOf, type Item, type Table } from '../../storage/table.ts';
import {
  addressFamily,
  addressPartition,
  allPartitions,
  authorPartition,
  messageIdPartition,
  receivedMessageOf,
  recordedMessageId,
  recordKey,
  type ReceivedMessage,
  type ReceivedReference,
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
/** Minimum records of one query. They take the one read unit that a query of a single record takes. */
const minQueried = 5;
/** Maximum records that are matched together. */
const matchedTogether = 100;

/** A partition that is read from the newest item to the oldest. */
class DescendingPartition {
  readonly #table: Pick<Table, 'query'>;
  readonly #pk: string;
  #before: string;
  #limit: number;
  #hasMore = true;
  readonly #items: Item[] = [];

  constructor(table: Pick<Table, 'query'>, pk: string, before: string, limit: number) {
    this.#table = table;
    this.#pk = pk;
    this.#before = before;
    this.#limit = limit;
  }

  get needsRead(): boolean {
    return this.#hasMore && this.#items.length === 0;
  }

  /** Whether the partition soon needs a read, so that it is read together with those that need one now. */
  get isLow(): boolean {
    return this.#hasMore && this.#items.length <= this.#limit / 8;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  take(): void {
    this.#items.shift();
  }

  /** Reads further items, more each time. @returns their number. */
  async read(): Promise<number> {
    const items = await this.#table.query({ pk: this.#pk, before: this.#before, descending: true, limit: this.#limit });
    this.#items.push(...items);
    this.#hasMore = items.length === this.#limit;
    this.#before = items.at(-1)?.sk ?? this.#before;
    this.#limit = Math.min(maxQueried, 2 * this.#limit);
    return items.length;
  }
}

/** Merges partitions in descending order of their sort keys. */
class MergedPartitions {
  readonly #partitions: readonly DescendingPartition[];
  #read = 0;
  #last: string | undefined;

  constructor(partitions: readonly DescendingPartition[]) {
    this.#partitions = partitions;
  }

  /** Whether the page has read as many items as it may. */
  get isExhausted(): boolean {
    return this.#read >= maxRead;
  }

  /** The next items in order, at most `count`. Empty at the end, or when the page may read no more. */
  async next(count: number): Promise<readonly Item[]> {
    const items: Item[] = [];
    while (items.length < count) {
      if (this.#partitions.some(({ needsRead }) => needsRead)) {
        if (this.isExhausted) return items;
        const low = this.#partitions.filter(({ isLow }) => isLow);
        for (const found of await Promise.all(low.map((partition) => partition.read()))) this.#read += found;
        continue;
      }
      const newest = this.#partitions.reduce<DescendingPartition | undefined>(
        (best, partition) => (partition.first && (!best?.first || partition.first.sk > best.first.sk) ? partition : best),
        undefined,
      );
      if (!newest) return items;
      // The record of a message and its listing for an address may both be found. They have the same sort key.
      if (newest.first!.sk !== this.#last) items.push(newest.first!);
      this.#last = newest.first!.sk;
      newest.take();
    }
    return items;
  }
}

/** The messages of items. An item that lists a message for an address has only the shards of its record. */
const messagesOf = async (table: Pick<Table, 'batchGet'>, items: readonly Item[]): Promise<readonly ReceivedMessage[]> => {
  const keyOf = (item: Item) => recordKey(rowOf<ReceivedReference>(item));
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
  (address === undefined || isOfAddress(message, address)) &&
  (domain === undefined || addressesOf(message).some((each) => domainOf(each) === domain)) &&
  (messageId === undefined || message.messageId === messageId) &&
  (subject === undefined || (message.subject ?? '').toLowerCase().includes(subject.toLowerCase()));

/** The partitions with all messages that match, among others. */
const partitionsFor = ({ address, messageId }: ReceivedFilter): readonly string[] => {
  if (messageId !== undefined) return recordedMessageId(messageId) === messageId ? [messageIdPartition(messageId)] : [];
  return address === undefined ? allPartitions : [authorPartition(address), addressPartition(address)];
};

/**
 * Finds messages, newest first, and stops after {@link maxRead} records.
 * @param before the position of the page: the sort key of the last item of the previous page.
 * @param select maps messages that match, in the same order, and leaves out those that are not wanted (undefined).
 */
export const findReceivedMessages = async <T>(
  table: Pick<Table, 'query' | 'batchGet'>,
  filter: ReceivedFilter,
  before: string | undefined,
  size: number,
  now: Date,
  select: (messages: readonly ReceivedMessage[]) => Promise<readonly (T | undefined)[]>,
): Promise<Page<T>> => {
  const bare = { ...filter, ...(filter.messageId !== undefined && { messageId: bareMessageId(filter.messageId) }) };
  const { since = '', until } = bare;
  const newest = [before, until, '~'].filter((each) => each !== undefined).toSorted()[0]!;
  const partitions = partitionsFor(bare);
  const first = partitions === allPartitions ? minQueried : size + 1;
  const merged = new MergedPartitions(partitions.map((pk) => new DescendingPartition(table, pk, newest, first)));
  const found: T[] = [];
  let position = newest;
  for (let count = size + 1; ; count = matchedTogether) {
    const items = await merged.next(count);
    if (items.length === 0) return { items: found, next: merged.isExhausted ? position : undefined };
    const wanted = items.filter(({ sk }) => sk >= since);
    const live = wanted.filter(({ expiresAt }) => Number(expiresAt) * 1000 > now.getTime());
    const messages = (await messagesOf(table, live)).filter((message) => matches(message, bare));
    while (messages.length > 0) {
      const together = messages.splice(0, size + 1 - found.length);
      for (const [index, each] of (await select(together)).entries()) {
        if (each === undefined) continue;
        if (found.length === size) return { items: found, next: position };
        found.push(each);
        position = `${together[index]!.at}#${together[index]!.sesMessageId}`;
      }
    }
    if (wanted.length < items.length) return { items: found, next: undefined };
    if (found.length < size) position = items.at(-1)!.sk;
  }
};
