import { isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { comparableAddress } from '../../../contract/values/mail-address.ts';
import { isEqual, mergedSet } from '../../account-log/records/merge-records.ts';

/** A stored ContactCard (RFC 9610 §3). */
export type ContactCardRecord = {
  readonly id: string;
  /** The ids of its AddressBooks, in ascending order. */
  readonly addressBookIds: readonly string[];
  /** All other properties, as JSON. The store reads them only when a request needs them. */
  readonly card: string;
  /** Octets of the blobs in `media`. */
  readonly mediaOctets: number;
};

/** A time as JSContact's UTCDateTime, which has no zeros at the end of a fraction (RFC 9553 §1.4.5). */
export const utcDateTime = (time: Date): string => time.toISOString().replace(/\.?0{0,3}Z$/, 'Z');

/** The JSContact Card of a record: all properties except `id` and `addressBookIds`. */
export const cardOf = ({ card }: ContactCardRecord): JsonObject & { readonly uid: string } => JSON.parse(card);

/** The ContactCard with all of its properties, as a client sees it. */
export const contactCardOf = (record: ContactCardRecord): JsonObject => ({
  id: record.id,
  addressBookIds: Object.fromEntries(record.addressBookIds.map((id) => [id, true])),
  ...cardOf(record),
});

const values = (value: unknown): readonly JsonObject[] => (isObject(value) ? Object.values(value).filter(isObject) : []);

/** The blob ids in the `media` of a Card (RFC 9610 §3). */
export const mediaBlobIds = ({ media }: JsonObject): readonly string[] => values(media).flatMap(({ blobId }) => (typeof blobId === 'string' ? [blobId] : []));

/** The e-mail addresses of a Card, by {@link comparableAddress}. */
export const emailAddressesOf = ({ emails }: JsonObject): readonly string[] =>
  values(emails).flatMap(({ address }) => (typeof address === 'string' ? [comparableAddress(address)] : []));

/** Applies the properties that differ between `from` and `to` to the current record. */
export const mergeContactCards = (current: ContactCardRecord, from: ContactCardRecord, to: ContactCardRecord): ContactCardRecord => {
  const [before, after] = [cardOf(from), cardOf(to)];
  const merged: { [name: string]: unknown } = { ...cardOf(current) };
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (isEqual(before[name], after[name])) continue;
    if (after[name] === undefined) delete merged[name];
    else merged[name] = after[name];
  }
  const addressBookIds = mergedSet(current.addressBookIds, from.addressBookIds, to.addressBookIds);
  return {
    ...current,
    addressBookIds: addressBookIds.length > 0 ? addressBookIds : to.addressBookIds,
    card: JSON.stringify(merged),
    mediaOctets: to.mediaOctets === from.mediaOctets ? current.mediaOctets : to.mediaOctets,
  };
};

/** The uid of a card with a UUID of version 8 (RFC 9562 §5.8), derived from a SHA-256 digest. */
export const derivedUid = (digest: Buffer): string => {
  const hex = digest.toString('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};
