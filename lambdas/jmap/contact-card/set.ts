import { isDeepStrictEqual } from 'node:util';
import { contactCard, contactCardLimits, contactsCapabilityLimits } from '../../../contract/jmap/contact-card.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { cardType, cardVersion } from '../../../contract/jmap/js-contact.ts';
import type { ChangedProperties, NewProperties } from '../../../contract/jmap/record.ts';
import type { AccountView, Commit } from '../../../core/account-index/account-view.ts';
import { hasAddressBook } from '../../../core/mail/address-book-type.ts';
import { cardOf, contactCardOf, utcDateTime, type ContactCardRecord } from '../../../core/mail/contact-card/contact-card-record.ts';
import { contactCardsOf } from '../../../core/mail/contact-card/contact-card-type.ts';
import { checkState } from '../request/account-commit.ts';
import type { AccountChangeSet, BehaviourOf } from '../request/behaviour.ts';
import { SetError } from '../request/jmap-errors.ts';
import { resolveCreationId } from '../request/patch-object.ts';
import { jsContactProblems } from './js-contact-rules.ts';
import { prepareMedia, removeMediaLater, storedMedia, type PreparedMedia } from './prepare-media.ts';

type ContactCardChangeDependencies = {
  readonly media: PreparedMedia;
  /** The time of the call: `created` of new cards, and `updated`. */
  readonly now: Date;
};

const { maxSizeContactCard, maxContactCards, maxSizeContactCards, maxSizeAllMedia } = contactCardLimits;
const { maxAddressBooksPerCard } = contactsCapabilityLimits;

/** @throws SetError invalidProperties, with the names of all properties that JSContact does not allow. */
const checkCard = (card: JsonObject): void => {
  const problems = jsContactProblems(card);
  if (problems.length === 0) return;
  const description = problems
    .slice(0, 10)
    .map(({ path, problem }) => `"${path.slice(0, 200)}" ${problem}`)
    .join('; ');
  throw new SetError('invalidProperties', `${description}.`, [...new Set(problems.map(({ path }) => path.split('/')[0]!))]);
};

/** The changes of a ContactCard/set (RFC 9610 §3.5) or of a ContactCard/copy. */
export class ContactCardChangeSet implements AccountChangeSet<typeof contactCard> {
  readonly #view: AccountView;
  readonly #dependencies: ContactCardChangeDependencies;
  readonly #put = new Map<string, ContactCardRecord>();
  readonly #destroyed = new Set<string>();
  /** Properties that the server has set in updated cards, by id. */
  readonly #setByServer = new Map<string, JsonObject>();
  /** The ids of new cards by uid. */
  readonly #newUids = new Map<string, string>();
  #count: number;
  #octets: number;
  #mediaOctets: number;

  constructor(view: AccountView, dependencies: ContactCardChangeDependencies) {
    this.#view = view;
    this.#dependencies = dependencies;
    const cards = contactCardsOf(view);
    [this.#count, this.#octets, this.#mediaOctets] = [cards.size, cards.octets, cards.mediaOctets];
  }

  current(id: string): JsonObject | undefined {
    const record = this.#record(id);
    return record && contactCardOf(record);
  }

  create(id: string, { addressBookIds, ...given }: NewProperties<typeof contactCard>): void {
    const now = utcDateTime(this.#dependencies.now);
    const card = { '@type': cardType, version: cardVersion, uid: `urn:uuid:${crypto.randomUUID()}`, created: now, updated: now, ...given };
    this.#checkUid(card.uid);
    this.#store(id, addressBookIds, card, undefined);
    this.#newUids.set(card.uid, id);
  }

  update(id: string, { addressBookIds, ...changed }: ChangedProperties<typeof contactCard>): void {
    const before = this.#record(id)!;
    const cardBefore = cardOf(before);
    const card: { [name: string]: unknown } = { ...cardBefore };
    for (const [name, value] of Object.entries(changed)) {
      if (value === null) delete card[name];
      else card[name] = value;
    }
    const books: JsonObject = addressBookIds ?? Object.fromEntries(before.addressBookIds.map((bookId) => [bookId, true]));
    const isChanged = !isDeepStrictEqual(card, cardBefore) || !isDeepStrictEqual(Object.keys(books).sort(), before.addressBookIds);
    if (!isChanged) return;
    if (changed['updated'] === undefined) card['updated'] = utcDateTime(this.#dependencies.now);
    const stored = this.#store(id, books, card, before);
    this.#setByServer.set(id, {
      ...(changed['updated'] === undefined && { updated: stored['updated'] }),
      ...(!isDeepStrictEqual(stored['media'], card['media']) && { media: stored['media'] }),
    });
  }

  destroy(id: string): void {
    const record = this.#record(id)!;
    this.#count -= 1;
    this.#octets -= Buffer.byteLength(record.card);
    this.#mediaOctets -= record.mediaOctets;
    this.#put.delete(id);
    this.#destroyed.add(id);
  }

  complete(): ReadonlyMap<string, JsonObject> {
    return new Map([...this.#setByServer].filter(([id, properties]) => this.#put.has(id) && Object.keys(properties).length > 0));
  }

  commit(): Commit | undefined {
    const stored = contactCardsOf(this.#view);
    const destroy = [...this.#destroyed].filter((id) => stored.has(id));
    if (this.#put.size + destroy.length === 0) return undefined;
    return { records: { [contactCard.name]: { put: [...this.#put.values()], destroy } } };
  }

  #record(id: string): ContactCardRecord | undefined {
    return this.#destroyed.has(id) ? undefined : (this.#put.get(id) ?? contactCardsOf(this.#view).get(id));
  }

  /** @throws SetError alreadyExists when another card of the account has the uid (RFC 9610 §3). */
  #checkUid(uid: string): void {
    const existingId = this.#newUids.get(uid) ?? contactCardsOf(this.#view).idOfUid(uid);
    if (existingId === undefined || !this.#record(existingId)) return;
    throw new SetError('alreadyExists', 'Another card of the account has this uid.', ['uid'], { existingId });
  }

  /** @throws SetError invalidProperties when there is no AddressBook, an unknown one, or too many. */
  #checkBooks(ids: readonly string[]): void {
    const isValid = ids.length > 0 && ids.length <= maxAddressBooksPerCard && ids.every((id) => hasAddressBook(this.#view, id));
    if (isValid) return;
    throw new SetError('invalidProperties', `A card must be in at least one AddressBook of its account, and in at most ${maxAddressBooksPerCard}.`, [
      'addressBookIds',
    ]);
  }

  /** Checks a card, and puts it. @returns the card as it is stored. @throws SetError; then nothing is changed. */
  #store(id: string, books: JsonObject, given: JsonObject, before: ContactCardRecord | undefined): JsonObject {
    const addressBookIds = Object.keys(books).sort();
    this.#checkBooks(addressBookIds);
    checkCard(given);
    const { media, octets } = storedMedia(given['media'], this.#dependencies.media.get(id), before);
    const card = media === undefined ? given : { ...given, media };
    const record = { id, addressBookIds, card: JSON.stringify(card), mediaOctets: octets };
    const size = Buffer.byteLength(record.card);
    if (size > maxSizeContactCard) throw new SetError('tooLarge', `A card may have at most ${maxSizeContactCard} octets.`);
    const [added, addedMedia] = [size - Buffer.byteLength(before?.card ?? ''), octets - (before?.mediaOctets ?? 0)];
    if (
      (!before && this.#count >= maxContactCards) ||
      (added > 0 && this.#octets + added > maxSizeContactCards) ||
      (addedMedia > 0 && this.#mediaOctets + addedMedia > maxSizeAllMedia)
    ) {
      throw new SetError(
        'overQuota',
        `All cards of an account may be ${maxContactCards}, with ${maxSizeContactCards} octets and ${maxSizeAllMedia} octets of blobs.`,
      );
    }
    this.#count += before ? 0 : 1;
    this.#octets += added;
    this.#mediaOctets += addedMedia;
    this.#put.set(id, record);
    return card;
  }
}

/** ContactCard/set (RFC 9610 §3.5). */
export const contactCardSet: BehaviourOf<typeof contactCard>['set'] = {
  async prepareChangeSet(_updatedProperties, { ifInState, create, update, destroy }, account, context) {
    checkState('ifInState', ifInState, account.view.state(contactCard.name));
    const { newId, clock } = context.dependencies;
    const now = clock();
    const newIds = new Map(Object.keys(create ?? {}).map((creationId) => [creationId, newId()]));
    const idOf = (given: string) => resolveCreationId(given, (creationId) => newIds.get(creationId) ?? context.createdIds.get(creationId));
    const cards = contactCardsOf(account.view);
    await removeMediaLater(
      (destroy ?? []).flatMap((given) => cards.get(idOf(given)) ?? []),
      account,
      context,
    );
    const media = await prepareMedia(
      [
        ...Object.entries(create ?? {}).map(([creationId, given]) => ({ cardId: newIds.get(creationId)!, given, current: undefined })),
        ...Object.entries(update ?? {}).map(([given, patch]) => ({ cardId: idOf(given), given: patch, current: cards.get(idOf(given)) })),
      ],
      account,
      account,
      context,
    );
    return { newIds, beginChangeSet: (view) => new ContactCardChangeSet(view, { media, now }) };
  },
};
