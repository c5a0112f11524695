import { createHash } from 'node:crypto';
import { sendingKeys, sendingPartitions } from '../../../contract/deployment/keys.ts';
import { maxMessageIdLength, maxRecordedText, receivedMailRetentionDays } from '../../../contract/deployment/sending.ts';
import { idPrefixes, isIdOf } from '../../../contract/values/ids.ts';
import { comparableAddress, withoutDetail } from '../../../contract/values/mail-address.ts';
import { rowOf, type Item, type Key } from '../../storage/table.ts';

/* The record of a received message, without its content (docs/specification.md#received-mail). */

/** SES's verdicts: PASS, FAIL, GRAY, PROCESSING_FAILED or DISABLED. Absent verdicts are not known. */
export type Verdicts = { readonly [check in 'spam' | 'virus' | 'spf' | 'dkim' | 'dmarc']?: string | undefined };

/**
 * The deployment's decision on a message for one recipient. An entry with an account says nothing about the success of
 * the delivery: the account's Email does (`received-outcomes.ts`).
 */
export type ReceivedEntry = {
  /** The position of the recipient among the recipients of the message. */
  readonly n: number;
  /** The address as the envelope has it. Absent when it equals the comparable address. */
  readonly given?: string;
  /** The account of the recipient. */
  readonly account?: string;
  /** The alias whose `bcc` is this address. Only copies have it. */
  readonly copyOf?: string;
  /** The address of the group by which the account gets the message. Without an account: the address is that of the group itself. */
  readonly group?: string;
  /**
   * Whether the message is sent on to this address outside, as to a member of the group. With an account: it has forwarded the message
   * and keeps no copy.
   */
  readonly isSentOn?: boolean;
  /** The primary address of the account that forwards the message to this address. */
  readonly forwardedBy?: string;
  /** The time of the next attempt to deliver to the full account (RFC 3339). */
  readonly next?: string;
  /** A bounce was enqueued for this reason. */
  readonly bounce?: 'unknown' | 'full' | 'returned' | 'refused';
  /** The reason why the message was neither delivered nor bounced. */
  readonly dropped?: string;
  /** Whether the copy for an address outside was accepted for sending. */
  readonly sent?: boolean;
};

/** A received message. */
export type ReceivedMessage = {
  /** SES's id of the message. */
  readonly sesMessageId: string;
  /** The time at which SES received the message (RFC 3339). */
  readonly at: string;
  /** The envelope sender; empty for the null reverse-path. */
  readonly sender: string;
  /** The From field as text. */
  readonly from?: string;
  /** The address of the first author. */
  readonly author?: string;
  readonly subject?: string;
  readonly messageId?: string;
  /** Octets of the raw message. */
  readonly size: number;
  readonly isJunk: boolean;
  readonly verdicts: Verdicts;
  /** The entries of the recipients, by {@link comparableAddress}. */
  readonly recipients: { readonly [address: string]: ReceivedEntry };
};

/** Identifies a record: the shard of its partition, as two digits, and its sort key. */
export type ReceivedReference = { readonly shards: string; readonly sk: string };

/** The shards of records, each as two hexadecimal digits. */
const allShards = Array.from({ length: 256 }, (_, shard) => shard.toString(16).padStart(2, '0'));

/** The shard of an author's messages. */
const shardOf = (author: string): string => createHash('sha256').update(addressFamily(author)).digest('hex').slice(0, 2);

/** An address without its detail, so that `user@` finds mail to `user+detail@` too. */
export const addressFamily = (address: string): string => {
  const comparable = comparableAddress(address);
  return withoutDetail(comparable) ?? comparable;
};

/** The key of a record. */
export const recordKey = ({ shards, sk }: ReceivedReference): Key => sendingKeys.received(shards, sk);

/** The partition that lists the messages of an address that its shard does not find. */
export const addressPartition = (address: string): string => sendingPartitions.receivedBy(addressFamily(address));

/** The partition that lists the messages with a Message-ID. */
export const messageIdPartition = (messageId: string): string => sendingPartitions.receivedWithMessageId(messageId);

/** The partition with the records of an author's messages, among others. */
export const authorPartition = (author: string): string => sendingPartitions.received(shardOf(author));

/** The partitions with the records of all messages. */
export const allPartitions: readonly string[] = allShards.map(sendingPartitions.received);

/** The reference of a message. It depends only on the message, so that a repeated delivery has the same record. */
export const referenceOf = ({ sesMessageId, at, sender, author = sender }: ReceivedMessage): ReceivedReference => ({
  shards: shardOf(author),
  sk: `${at}#${sesMessageId}`,
});

/** The id by which admins name a record. */
export const receivedIdOf = ({ shards, sk }: ReceivedReference): string => `${idPrefixes.received}_${Buffer.from(`${shards}${sk}`).toString('base64url')}`;

/** The reference in an id. @returns undefined for a text that is no id of a record. */
export const parseReceivedId = (id: string): ReceivedReference | undefined => {
  if (!isIdOf('received', id)) return undefined;
  const text = Buffer.from(id.slice(idPrefixes.received.length + 1), 'base64url').toString();
  const reference = { shards: text.slice(0, 2), sk: text.slice(2) };
  // Other spellings of the same octets, such as one with a blank, are no ids.
  return /^[0-9a-f]{2}\d{4}-/.test(text) && receivedIdOf(reference) === id ? reference : undefined;
};

/** A text on one line, shortened. */
export const recordedText = (value: string): string =>
  Array.from(
    value
      .toWellFormed()
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim(),
  )
    .slice(0, maxRecordedText)
    .join('');

/** The Message-ID as it is stored. @returns undefined when it is too long to be a line of a header. */
export const recordedMessageId = (messageId: string | undefined): string | undefined =>
  messageId !== undefined && Buffer.byteLength(messageId) <= maxMessageIdLength ? messageId.toWellFormed() : undefined;

const expiresAt = (at: string): number => Math.floor(Date.parse(at) / 1000) + receivedMailRetentionDays * 86_400;

/** The item of a message. */
export const receivedItem = (message: ReceivedMessage): Item => {
  const { sesMessageId: _id, at, verdicts, isJunk, ...kept } = message;
  return { ...recordKey(referenceOf(message)), ...kept, verdicts, ...(isJunk && { isJunk }), expiresAt: expiresAt(at) };
};

/** The items that list a message for its recipients, for an envelope sender other than the author, and for its Message-ID. */
export const receivedListings = (message: ReceivedMessage): readonly Item[] => {
  const { shards, sk } = referenceOf(message);
  const { sender, author = sender, recipients, at, messageId } = message;
  const listed = new Set([...(sender === '' ? [] : [sender]), ...Object.keys(recipients)].map(addressFamily));
  listed.delete(addressFamily(author));
  const partitions = [...[...listed].map(addressPartition), ...(messageId === undefined ? [] : [messageIdPartition(messageId)])];
  return partitions.map((pk) => ({ pk, sk, shards, expiresAt: expiresAt(at) }));
};

/** The message of an item. */
export const receivedMessageOf = ({ pk: _pk, sk, expiresAt: _expires, ...item }: Item): ReceivedMessage => {
  const { isJunk, ...content } = rowOf<Omit<ReceivedMessage, 'at' | 'sesMessageId' | 'isJunk'> & { readonly isJunk?: true }>(item);
  const end = sk.indexOf('#');
  return { ...content, at: sk.slice(0, end), sesMessageId: sk.slice(end + 1), isJunk: isJunk === true };
};
