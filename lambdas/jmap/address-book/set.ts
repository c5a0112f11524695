import { addressBook, addressBookLimits, defaultAddressBookId } from '../../../contract/jmap/address-book.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { ChangedProperties, NewProperties } from '../../../contract/jmap/record.ts';
import type { AccountView, Commit } from '../../../core/account-index/account-view.ts';
import { withSubscription } from '../../../core/account-log/records/member-subscriptions.ts';
import { isSameRecord } from '../../../core/account-log/records/merge-records.ts';
import type { MemberKey } from '../../../core/account-log/records/stored-type.ts';
import { addressBooksOf, type AddressBookRecord } from '../../../core/mail/address-book-type.ts';
import type { ContactCardRecord } from '../../../core/mail/contact-card/contact-card-record.ts';
import { contactCardsOf } from '../../../core/mail/contact-card/contact-card-type.ts';
import { removeMediaLater } from '../contact-card/prepare-media.ts';
import type { AccountChangeSet, BehaviourOf } from '../request/behaviour.ts';
import { SetError } from '../request/jmap-errors.ts';
import { resolveCreationId, type ResolveId } from '../request/patch-object.ts';
import { asSeenBy } from './get.ts';

/** The arguments of an AddressBook/set that its change set needs. */
type AddressBookSetOptions = {
  readonly onDestroyRemoveContents: boolean;
  readonly onSuccessSetIsDefault: string | null;
  /** The caller, to whose subscription `isSubscribed` refers. */
  readonly member: MemberKey;
  /** Adds the computed properties of an AddressBook. */
  readonly toAddressBook: (record: AddressBookRecord) => JsonObject;
};

const { maxAddressBooks, maxSizeName, maxSizeDescription, maxSortOrder } = addressBookLimits;

/** @throws SetError invalidProperties, with the names of all invalid properties; forbidden for another `shareWith`. */
const checkAddressBook = ({ name, description, sortOrder }: AddressBookRecord, shareWith: unknown): void => {
  const problems = Object.entries({
    name:
      (name === '' || /[\p{Cc}\u2028\u2029]/u.test(name) || Buffer.byteLength(name) > maxSizeName) &&
      `A name must have 1 to ${maxSizeName} octets and no control characters.`,
    description: Buffer.byteLength(description ?? '') > maxSizeDescription && `A description may have at most ${maxSizeDescription} octets.`,
    sortOrder: sortOrder > maxSortOrder && `sortOrder may be at most ${maxSortOrder}.`,
  }).filter(([, problem]) => problem !== false);
  if (problems.length > 0) {
    throw new SetError(
      'invalidProperties',
      problems.map(([, problem]) => problem).join(' '),
      problems.map(([property]) => property),
    );
  }
  if (shareWith !== undefined && shareWith !== null) {
    throw new SetError('forbidden', 'AddressBooks are shared with the members of the account. They cannot be shared one by one.', ['shareWith']);
  }
};

/** The changes of an AddressBook/set (RFC 9610 §2.3). */
class AddressBookChangeSet implements AccountChangeSet<typeof addressBook> {
  readonly #view: AccountView;
  readonly #options: AddressBookSetOptions;
  /** All AddressBooks, with the changes of this call. */
  readonly #books: Map<string, AddressBookRecord>;
  readonly #changed = new Set<string>();
  readonly #destroyed = new Set<string>();

  constructor(view: AccountView, options: AddressBookSetOptions) {
    this.#view = view;
    this.#options = options;
    this.#books = new Map(addressBooksOf(view));
  }

  current(id: string): JsonObject | undefined {
    const record = this.#books.get(id);
    return record && this.#options.toAddressBook(record);
  }

  create(id: string, { isSubscribed, shareWith, ...properties }: NewProperties<typeof addressBook>): void {
    const record = { ...properties, id, isDefault: false, isSubscribed: true };
    checkAddressBook(record, shareWith);
    if (this.#books.size >= maxAddressBooks) {
      throw new SetError('overQuota', `An account may have at most ${maxAddressBooks} AddressBooks.`);
    }
    this.#put(withSubscription(record, this.#options.member, isSubscribed));
  }

  update(id: string, { isSubscribed, shareWith, ...changed }: ChangedProperties<typeof addressBook>): void {
    const before = this.#books.get(id)!;
    const after: AddressBookRecord = { ...before, ...changed };
    checkAddressBook(after, shareWith);
    this.#put(isSubscribed === undefined ? after : withSubscription(after, this.#options.member, isSubscribed));
  }

  destroy(id: string): void {
    if (id === defaultAddressBookId) {
      throw new SetError('forbidden', 'Every account keeps this AddressBook. It can be renamed.');
    }
    if (!this.#options.onDestroyRemoveContents && this.#cardsIn(new Set([id])).length > 0) {
      throw new SetError('addressBookHasContents', 'The AddressBook contains ContactCards.');
    }
    this.#books.delete(id);
    this.#changed.delete(id);
    this.#destroyed.add(id);
  }

  /**
   * Sets the default AddressBook, if the call requests another one that exists. The AddressBook that every account keeps
   * replaces a default that was destroyed.
   */
  complete(allSucceeded: boolean, resolveId: ResolveId): ReadonlyMap<string, JsonObject> {
    const { onSuccessSetIsDefault: given } = this.#options;
    const requested = allSucceeded && given !== null ? resolveCreationId(given, resolveId) : undefined;
    const current = [...this.#books.values()].find(({ isDefault }) => isDefault)?.id ?? defaultAddressBookId;
    const next = requested !== undefined && this.#books.has(requested) ? requested : current;
    const changed = [...this.#books.values()].filter(({ id, isDefault }) => isDefault !== (id === next));
    for (const record of changed) this.#put({ ...record, isDefault: record.id === next });
    return new Map(changed.map(({ id }) => [id, { isDefault: id === next }]));
  }

  commit(): Commit | undefined {
    const put = [...this.#changed].map((id) => this.#books.get(id)!);
    const removed = [...this.#destroyed].filter((id) => addressBooksOf(this.#view).has(id));
    if (put.length + removed.length === 0) return undefined;
    const cards = this.#cardsIn(new Set(removed)).map((card) => ({ ...card, addressBookIds: card.addressBookIds.filter((id) => !this.#destroyed.has(id)) }));
    const contents = {
      put: cards.filter(({ addressBookIds }) => addressBookIds.length > 0),
      destroy: cards.filter(({ addressBookIds }) => addressBookIds.length === 0).map(({ id }) => id),
    };
    return { records: { [addressBook.name]: { put, destroy: removed }, ...(cards.length > 0 && { ContactCard: contents }) } };
  }

  #put(record: AddressBookRecord): void {
    const before = this.#books.get(record.id);
    if (before && isSameRecord(before, record)) return;
    this.#books.set(record.id, record);
    this.#changed.add(record.id);
  }

  #cardsIn(bookIds: ReadonlySet<string>): readonly ContactCardRecord[] {
    if (bookIds.size === 0) return [];
    return contactCardsOf(this.#view)
      .all()
      .filter(({ addressBookIds }) => addressBookIds.some((id) => bookIds.has(id)));
  }
}

/** AddressBook/set (RFC 9610 §2.3). */
export const addressBookSet: BehaviourOf<typeof addressBook>['set'] = {
  async prepareChangeSet(_updatedProperties, { destroy, onDestroyRemoveContents, onSuccessSetIsDefault }, account, context) {
    if (onDestroyRemoveContents) {
      const cards = contactCardsOf(account.view)
        .all()
        .filter(({ addressBookIds }) => addressBookIds.some((id) => destroy?.includes(id)));
      await removeMediaLater(cards, account, context);
    }
    return {
      beginChangeSet: (view) =>
        new AddressBookChangeSet(view, { onDestroyRemoveContents, onSuccessSetIsDefault, member: account.member, toAddressBook: asSeenBy(account, context) }),
    };
  },
};
