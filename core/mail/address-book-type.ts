import { addressBook, defaultAddressBookId, recentAddressBookId, serverAddressBookNames } from '../../contract/jmap/address-book.ts';
import { changesOf, type LogEntry } from '../account-log/log-entry.ts';
import { changedSubscriptions, mergeSubscriptions, withSubscribersCodec } from '../account-log/records/member-subscriptions.ts';
import { isSameRecord, mergeProperties } from '../account-log/records/merge-records.ts';
import { plainStoredType, type Indexes, type MemberKey, type RecordEvent, type StoredType } from '../account-log/records/stored-type.ts';

/** An AddressBook (RFC 9610 §2) without the computed properties. */
export type AddressBookRecord = {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly sortOrder: number;
  readonly isDefault: boolean;
  /** Whether the account's owner is subscribed. */
  readonly isSubscribed: boolean;
  /** The principal ids of other subscribed members (`member-subscriptions.ts`). Absent when there are none. */
  readonly subscribers?: readonly string[];
};

/** The properties of an AddressBook before a change that the log stores. */
type AddressBookBefore = {
  /** The members whose subscriptions change. Present when nothing else changes. */
  readonly onlySubscriptionsOf: readonly MemberKey[];
};

const plain = plainStoredType<AddressBookRecord>(addressBook);

const withoutSubscriptions = ({ subscribers: _subscribers, isSubscribed: _isSubscribed, ...record }: AddressBookRecord) => record;

const beforeChange = (from: AddressBookRecord, to: AddressBookRecord | undefined): AddressBookBefore | undefined => {
  const members = to ? changedSubscriptions(from, to) : [];
  return to && members.length > 0 && isSameRecord(withoutSubscriptions(from), withoutSubscriptions(to)) ? { onlySubscriptionsOf: members } : undefined;
};

/** The events of AddressBooks. Clients know the default AddressBook before it is stored, so storing it is an update. */
const addressBookEvents = (entry: LogEntry): readonly RecordEvent[] => {
  const { created, updated, destroyed } = changesOf<AddressBookRecord, AddressBookBefore>(entry, { name: addressBook.name });
  return [
    ...created.map(({ id }): RecordEvent => ({ id, kind: id === defaultAddressBookId ? 'updated' : 'created' })),
    ...updated.map(({ record: { id }, before }): RecordEvent =>
      before ? { id, kind: 'updated', onlyFor: before.onlySubscriptionsOf, properties: ['isSubscribed'] } : { id, kind: 'updated' },
    ),
    ...destroyed.map(({ id }): RecordEvent => ({ id, kind: 'destroyed' })),
  ];
};

/** AddressBook (RFC 9610 §2). */
export const addressBookType: StoredType<AddressBookRecord> = {
  ...plain,
  records: {
    ...plain.records,
    codec: withSubscribersCodec(plain.records.codec),
    before: beforeChange,
    merge: (current, from, to) => mergeSubscriptions(mergeProperties(current, from, to), current, from, to),
  },
  events: (entries) => entries.map(addressBookEvents),
};

/** An AddressBook that the server creates, as it is before a client changes it. */
const serverAddressBook = (id: keyof typeof serverAddressBookNames): AddressBookRecord => ({
  id,
  name: serverAddressBookNames[id],
  description: null,
  sortOrder: 0,
  isDefault: id === defaultAddressBookId,
  isSubscribed: true,
});

/** The default AddressBook of an account that never changed it. It is not stored. */
const unchangedDefaultBook = serverAddressBook(defaultAddressBookId);

/** The AddressBook of the people to whom the account has sent mail, before it is stored. */
export const newRecentBook: AddressBookRecord = { ...serverAddressBook(recentAddressBookId), sortOrder: 1 };

/** All AddressBooks of an account by id. Every account has the default one, even if it is not stored. */
export const addressBooksOf = (account: Indexes): ReadonlyMap<string, AddressBookRecord> => {
  const stored = account.index(addressBookType);
  return new Map([
    [defaultAddressBookId, stored.get(defaultAddressBookId) ?? unchangedDefaultBook],
    ...stored.all().map((record) => [record.id, record] as const),
  ]);
};

/** Whether the account has the AddressBook. */
export const hasAddressBook = (account: Indexes, id: string): boolean => id === defaultAddressBookId || account.index(addressBookType).has(id);
