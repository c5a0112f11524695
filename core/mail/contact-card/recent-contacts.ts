import { createHash } from 'node:crypto';
import { addressBook, recentAddressBookId } from '../../../contract/jmap/address-book.ts';
import { contactCard, contactCardLimits, recentContactRules } from '../../../contract/jmap/contact-card.ts';
import { cardType, cardVersion } from '../../../contract/jmap/js-contact.ts';
import { comparableAddress } from '../../../contract/values/mail-address.ts';
import type { AccountView, Commit } from '../../account-index/account-view.ts';
import { hasAddressBook, newRecentBook } from '../address-book-type.ts';
import type { CardEntry } from './card-entry.ts';
import { cardOf, utcDateTime, derivedUid, type ContactCardRecord } from './contact-card-record.ts';
import { contactCardsOf } from './contact-card-type.ts';

/** Somebody to whom the account sends mail. */
export type WrittenTo = { readonly address: string; readonly name: string | null };

const { maxRecentContacts, hoursBetweenUpdates } = recentContactRules;

/**
 * Maximum people of one commit. A message to more is rather a mailing than a letter, and its commit must stay one
 * transaction.
 */
const maxPeople = 10;
const hour = 3_600_000;

/** An id and a uid that are derived from the address. A commit that is planned again has the same ones. */
const idsOf = (address: string): { readonly id: string; readonly uid: string } => {
  const digest = createHash('sha256').update(`recent/${address}`).digest();
  return { id: `R${digest.toString('base64url').slice(0, 22)}`, uid: derivedUid(digest) };
};

const newCard = ({ address, name }: WrittenTo, at: string): ContactCardRecord => {
  const { id, uid } = idsOf(comparableAddress(address));
  const card = {
    '@type': cardType,
    version: cardVersion,
    uid,
    created: at,
    updated: at,
    ...(name !== null && name !== '' && { name: { full: name } }),
    emails: { e1: { address } },
  };
  return { id, addressBookIds: [recentAddressBookId], card: JSON.stringify(card), mediaOctets: 0 };
};

const isOnlyRecent = ({ addressBookIds }: Pick<ContactCardRecord, 'addressBookIds'>): boolean =>
  addressBookIds.length === 1 && addressBookIds[0] === recentAddressBookId;

/** The cards that were used least recently, beyond the maximum. Cards with blobs or in other AddressBooks are kept. */
const leastRecent = (entries: Iterable<CardEntry>, added: number): readonly CardEntry[] => {
  const recent = [...entries].filter(isOnlyRecent);
  const excess = recent.length + added - maxRecentContacts;
  return excess <= 0 ? [] : recent.sort((one, other) => (one.updated ?? 0) - (other.updated ?? 0)).slice(0, excess);
};

/** The card with a later `updated`; undefined when it was changed in the last hours or is in other AddressBooks. */
const usedAgain = (record: ContactCardRecord, now: Date, at: string): ContactCardRecord | undefined => {
  const card = cardOf(record);
  const updated = Date.parse(String(card['updated']));
  if (!isOnlyRecent(record) || now.getTime() - updated < hoursBetweenUpdates * hour) return undefined;
  return { ...record, card: JSON.stringify({ ...card, updated: at }) };
};

/**
 * The changes that keep people in the AddressBook Recent, as a part of the commit that sends them mail. People with a
 * card in another AddressBook are not added.
 */
export const recentContactChanges = (view: AccountView, people: readonly WrittenTo[], now: Date): Commit['records'] => {
  if (view.sending.keepsRecentContacts === false || people.length === 0 || people.length > maxPeople) return {};
  const cards = contactCardsOf(view);
  const at = utcDateTime(now);
  const known = people.map((person) => ({ person, ids: [...cards.idsOfEmail(comparableAddress(person.address))] }));
  const updated = known.flatMap(({ ids }) => ids.slice(0, 1).flatMap((id) => usedAgain(cards.get(id)!, now, at) ?? []));
  const hasRoom = cards.size + people.length < contactCardLimits.maxContactCards && cards.octets + people.length * 1000 < contactCardLimits.maxSizeContactCards;
  const created = hasRoom
    ? known
        .filter(({ ids }) => ids.length === 0)
        .map(({ person }) => newCard(person, at))
        .filter((card) => !cards.has(card.id) && cards.idOfUid(cardOf(card).uid) === undefined)
    : [];
  if (created.length + updated.length === 0) return {};
  const put = [...created, ...updated];
  const destroy =
    created.length === 0
      ? []
      : leastRecent(cards.entries(), created.length).flatMap(({ id }) => (cards.get(id)!.mediaOctets === 0 && !put.some((card) => card.id === id) ? [id] : []));
  return { ...(!hasAddressBook(view, recentAddressBookId) && { [addressBook.name]: { put: [newRecentBook] } }), [contactCard.name]: { put, destroy } };
};
