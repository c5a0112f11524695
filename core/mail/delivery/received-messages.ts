import { mapConcurrently } from '../../runtime/map-concurrently.ts';
import { tryWrite } from '../../storage/retry-on-conflict.ts';
import type { Table } from '../../storage/table.ts';
import {
  receivedItem,
  receivedListings,
  receivedMessageOf,
  recordKey,
  referenceOf,
  type ReceivedEntry,
  type ReceivedMessage,
  type ReceivedReference,
} from './received-message.ts';

/** The entries of recipients that change, by address. */
export type ChangedEntries = { readonly [address: string]: ReceivedEntry };

/**
 * The records of received messages. A message in one mailbox takes three writes: the record, and its listings for the
 * recipient and for its Message-ID. The record is in one of 256 partitions, by the hash of its author, and its sort key
 * begins with the time. So a list of all messages merges 256 partitions, that of an author reads one of them, and that of
 * a recipient or a Message-ID one partition of its own. An envelope sender other than the author takes one more write.
 */
export type ReceivedMessages = {
  /**
   * Stores a message. Repeated calls store it once; a second notification of the same message adds its recipients, and
   * changes nothing of the recipients that are stored.
   */
  record(message: ReceivedMessage): Promise<void>;
  /** Changes entries of a stored message. It does nothing when the record has expired. */
  change(reference: ReceivedReference, entries: ChangedEntries): Promise<void>;
};

/** The entries that the record lacks, after those that it has. */
const missingEntries = (known: ReceivedMessage, { recipients }: ReceivedMessage): ChangedEntries => {
  const missing = Object.entries(recipients).filter(([address]) => known.recipients[address] === undefined);
  const count = Object.keys(known.recipients).length;
  return Object.fromEntries(missing.map(([address, entry], index) => [address, { ...entry, n: count + index }]));
};

export const receivedMessagesIn = (table: Table): ReceivedMessages => {
  const change: ReceivedMessages['change'] = async (reference, entries) => {
    if (Object.keys(entries).length === 0) return;
    await tryWrite(table, [{ update: recordKey(reference), merge: { recipients: entries }, if: { present: true } }]);
  };
  return {
    change,
    async record(message) {
      await Promise.all([
        (async () => {
          const isNew = await tryWrite(table, [{ put: receivedItem(message), if: { absent: true } }]);
          if (isNew) return;
          const reference = referenceOf(message);
          const known = await table.get(recordKey(reference));
          if (known) await change(reference, missingEntries(receivedMessageOf(known), message));
        })(),
        mapConcurrently(receivedListings(message), (put) => table.write([{ put }])),
      ]);
    },
  };
};
