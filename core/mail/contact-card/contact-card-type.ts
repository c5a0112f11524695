import { accountPartitions } from '../../../contract/deployment/keys.ts';
import { defaultAddressBookId } from '../../../contract/jmap/address-book.ts';
import { contactCard } from '../../../contract/jmap/contact-card.ts';
import { recordCodec } from '../../account-log/records/record-codec.ts';
import { RecordRefused } from '../../account-log/records/record-refused.ts';
import { indexOfRecords, type Indexes, type Operation, type PlannedCommit, type StoredType } from '../../account-log/records/stored-type.ts';
import { addressBookType } from '../address-book-type.ts';
import { ContactCardIndex, contactCardSnapshots } from './contact-card-index.ts';
import { cardOf, mergeContactCards, type ContactCardRecord } from './contact-card-record.ts';

const codec = recordCodec<ContactCardRecord>({
  name: contactCard.name,
  encode: ({ id: _id, ...attributes }) => attributes,
  decode: (id, { addressBookIds, card, mediaOctets }) => ({ id, addressBookIds, card, mediaOctets }),
});

const alreadyExists = (existingId: string) => new RecordRefused('alreadyExists', 'Another card of the account has this uid.', undefined, { existingId });

/** @throws RecordRefused when another commit has destroyed an AddressBook of the card, or created a card with its uid. */
const revalidate = (operation: Operation<ContactCardRecord>, planned: PlannedCommit): void => {
  if (operation.kind === 'destroy') return;
  const { id, addressBookIds } = operation.record;
  if (addressBookIds.some((bookId) => bookId !== defaultAddressBookId && !planned.after(addressBookType, bookId))) {
    throw new RecordRefused('invalidProperties', 'An AddressBook of the card was destroyed meanwhile.', ['addressBookIds']);
  }
  const existingId = contactCardsOf(planned.indexes).idOfUid(cardOf(operation.record).uid);
  if (existingId !== undefined && existingId !== id && planned.after(contactCardType, existingId)) throw alreadyExists(existingId);
};

/** ContactCard (RFC 9610 §3). */
export const contactCardType: StoredType<ContactCardRecord, ContactCardIndex> = {
  name: contactCard.name,
  records: {
    partition: accountPartitions.contactCard,
    codec,
    indexBuilder: () => indexOfRecords((records: readonly ContactCardRecord[]) => new ContactCardIndex(records)),
    snapshots: contactCardSnapshots,
    merge: mergeContactCards,
    revalidate,
  },
};

/** The ContactCards of an account in memory. */
export const contactCardsOf = (account: Indexes): ContactCardIndex => account.index(contactCardType);
