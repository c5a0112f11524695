import { sendingKeys, sendingPartitions } from '../../../contract/deployment/keys.ts';
import { maxMessageIdLength, submissionRetentionDays } from '../../../contract/deployment/sending.ts';
import { comparableAddress } from '../../../contract/values/mail-address.ts';
import { bareMessageId } from '../../mime/message-ids.ts';
import { mapConcurrently } from '../../runtime/map-concurrently.ts';
import { itemOf, rowOf, type Item, type Table } from '../../storage/table.ts';
import { headerSummary } from './original-header.ts';
import type { Submission, SubmissionPart } from './submission.ts';

/** A filter of submissions: from or to an address, or with a Message-ID. */
export type SentMailFilter = { readonly address: string } | { readonly message_id: string };

/** A part with its submission. */
type IndexedPart = { readonly submission: Submission; readonly part: SubmissionPart };

/** An entry of the index: the id of a submission, the number of its parts, and its position in the order of `send_at`. */
export type SentMailEntry = { readonly id: string; readonly parts: number; readonly position: string };

/**
 * The index of sent mail: submissions by the addresses of sender and recipients, by the Message-ID that the client
 * wrote, and by SES's ids. The sort key of an entry is the submission's time and id, in the partition
 * `sent-mail-address#address` or `sent-mail-message-id#id`. It expires with the retention of the submission.
 */
export type SentMailIndex = {
  /**
   * Stores the entries of a part. The first part also has the entries of the sender and of the Message-ID. The
   * call can be repeated.
   */
  add(found: IndexedPart): Promise<void>;
  /** Finds entries before a position, newest first. Their submissions may have been removed meanwhile. */
  find(filter: SentMailFilter, before: string, limit: number): Promise<readonly SentMailEntry[]>;
};

/** The key of a Message-ID without its brackets. A Message-ID whose domain is amazonses.com is SES's id. */
export const messageIdKey = (messageId: string): string => {
  const bare = bareMessageId(messageId);
  return /^([^@]+)@[a-z0-9-]+\.amazonses\.com$/i.exec(bare)?.[1] ?? bare;
};

const addressPartition = (address: string): string => sendingPartitions.sentMailOfAddress(comparableAddress(address));
const messageIdPartition = (messageId: string): string => sendingPartitions.sentMailOfMessageId(messageIdKey(messageId));

type EntryRow = Omit<SentMailEntry, 'position'> & { readonly expiresAt: number };

const entryRow = rowOf<EntryRow>;

const entry = (pk: string, { submission_id, send_at, parts }: Submission): Item =>
  itemOf(sendingKeys.sentMail(pk, send_at, submission_id), {
    id: submission_id,
    parts,
    expiresAt: Math.floor(Date.parse(send_at) / 1000) + submissionRetentionDays * 86_400,
  } satisfies EntryRow);

/** The Message-ID that the client wrote. Undefined when there is none, or when it is too long. */
const indexedMessageId = ({ header }: Submission): string | undefined => {
  const { messageId } = headerSummary(header);
  return messageId !== undefined && Buffer.byteLength(messageId) <= maxMessageIdLength ? messageId : undefined;
};

/** The entries of a part, at most one for each partition. */
const partEntries = ({ submission, part: { part, recipients } }: IndexedPart): Item[] => {
  const addresses = [...(part === 0 && submission.mail_from !== '' ? [submission.mail_from] : []), ...recipients.map(({ address }) => address)];
  const messageId = part === 0 ? indexedMessageId(submission) : undefined;
  const partitions = [...addresses.map(addressPartition), ...(messageId === undefined ? [] : [messageIdPartition(messageId)])];
  return [...new Set(partitions)].map((pk) => entry(pk, submission));
};

/** The entries that map SES's ids of the message to the submission. */
export const providerIdEntries = (submission: Submission, providerMessageIds: readonly string[]): Item[] =>
  providerMessageIds.map((id) => entry(messageIdPartition(id), submission));

export const sentMailIndexIn = (table: Table): SentMailIndex => ({
  async add(found) {
    // These are at most 52 writes, and each costs half of a write in a transaction. They take one round trip.
    await mapConcurrently(partEntries(found), (put) => table.write([{ put }]));
  },
  async find(filter, before, limit) {
    const pk = 'address' in filter ? addressPartition(filter.address) : messageIdPartition(filter.message_id);
    // The limit of a message id in a request counts characters, that of a key octets.
    if (Buffer.byteLength(pk) > 2 * maxMessageIdLength) return [];
    const items = await table.query({ pk, before, descending: true, limit });
    return items.map((item) => {
      const { id, parts } = entryRow(item);
      return { id, parts, position: item.sk };
    });
  },
});
