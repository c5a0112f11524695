import type { TypeChanges } from '../../account-log/log-entry.ts';
import { savedAs, type IndexSnapshots, type RecordIndex } from '../../account-log/records/stored-type.ts';
import { cardEntry, type CardEntry } from './card-entry.ts';
import { cardOf, mediaBlobIds, type ContactCardRecord } from './contact-card-record.ts';

/** The cards of a snapshot, in one array. A card is decoded when it is read. */
type PackedCards = {
  readonly ids: readonly string[];
  /** For each card: its AddressBook ids, the octets of its blobs and its JSON, a line each. */
  readonly bytes: Buffer;
  /** The end of each card in `bytes`. */
  readonly ends: Uint32Array;
};

/** Octets of memory that count as one record. */
const octetsPerRecord = 90;

const unpack = ({ ids, bytes, ends }: PackedCards, slot: number): ContactCardRecord => {
  const [books = '', octets = '', card = ''] = bytes.toString('utf8', slot === 0 ? 0 : ends[slot - 1], ends[slot]).split('\n', 3);
  return { id: ids[slot]!, addressBookIds: books.split(','), mediaOctets: Number(octets), card };
};

const octetsOf = ({ card }: ContactCardRecord): number => Buffer.byteLength(card);

/** The entries of all cards for queries and rules. The first of them builds the entries; commits keep them up to date. */
class CardEntries {
  readonly #entries = new Map<string, CardEntry>();
  readonly #byUid = new Map<string, string>();
  readonly #byEmail = new Map<string, Set<string>>();

  all(): Iterable<CardEntry> {
    return this.#entries.values();
  }

  idOfUid(uid: string): string | undefined {
    return this.#byUid.get(uid);
  }

  idsOfEmail(address: string): ReadonlySet<string> {
    return this.#byEmail.get(address) ?? new Set();
  }

  put(record: ContactCardRecord): void {
    this.remove(record.id);
    const entry = cardEntry(record);
    this.#entries.set(record.id, entry);
    this.#byUid.set(entry.uid, record.id);
    for (const address of entry.emails) this.#byEmail.set(address, (this.#byEmail.get(address) ?? new Set()).add(record.id));
  }

  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    if (this.#byUid.get(entry.uid) === id) this.#byUid.delete(entry.uid);
    for (const address of entry.emails) {
      const ids = this.#byEmail.get(address);
      ids?.delete(id);
      if (ids?.size === 0) this.#byEmail.delete(address);
    }
  }
}

/** The ContactCards of an account in memory: as JSON, and decoded for queries when the first one needs it. */
export class ContactCardIndex implements RecordIndex<ContactCardRecord> {
  /** For each card the record, or its slot in the packed cards. */
  readonly #cards = new Map<string, ContactCardRecord | number>();
  readonly #packed: PackedCards | undefined;
  #octets = 0;
  #mediaOctets = 0;
  #entries: CardEntries | undefined;

  constructor(records: readonly ContactCardRecord[], packed?: PackedCards & { readonly octets: number; readonly mediaOctets: number }) {
    this.#packed = packed;
    if (packed) [this.#octets, this.#mediaOctets] = [packed.octets, packed.mediaOctets];
    for (const [slot, id] of packed?.ids.entries() ?? []) this.#cards.set(id, slot);
    for (const record of records) this.#put(record);
  }

  get size(): number {
    return this.#cards.size;
  }

  /** Records whose memory is about that of the cards. */
  get weight(): number {
    return this.size + Math.ceil(this.#octets / octetsPerRecord);
  }

  /** Octets of all cards as JSON. */
  get octets(): number {
    return this.#octets;
  }

  /** Octets of the blobs of all cards. */
  get mediaOctets(): number {
    return this.#mediaOctets;
  }

  has(id: string): boolean {
    return this.#cards.has(id);
  }

  get(id: string): ContactCardRecord | undefined {
    const card = this.#cards.get(id);
    return typeof card === 'number' ? unpack(this.#packed!, card) : card;
  }

  ids(): readonly string[] {
    return [...this.#cards.keys()];
  }

  all(): readonly ContactCardRecord[] {
    return this.ids().map((id) => this.get(id)!);
  }

  /** All cards in the form in which queries test them. */
  entries(): Iterable<CardEntry> {
    return this.#allEntries().all();
  }

  /** The id of the card with the uid. */
  idOfUid(uid: string): string | undefined {
    return this.#allEntries().idOfUid(uid);
  }

  /** The ids of the cards with the e-mail address, in lower case. */
  idsOfEmail(address: string): ReadonlySet<string> {
    return this.#allEntries().idsOfEmail(address);
  }

  /** The ids of the cards that refer to the blob. */
  idsOfBlob(blobId: string): readonly string[] {
    return this.all()
      .filter((record) => record.mediaOctets > 0 && mediaBlobIds(cardOf(record)).includes(blobId))
      .map(({ id }) => id);
  }

  apply({ created, updated, destroyed }: TypeChanges<ContactCardRecord>): void {
    for (const record of created) this.#put(record);
    for (const { record } of updated) this.#put(record);
    for (const { id } of destroyed) this.#remove(id);
  }

  #allEntries(): CardEntries {
    if (this.#entries) return this.#entries;
    this.#entries = new CardEntries();
    for (const record of this.all()) this.#entries.put(record);
    return this.#entries;
  }

  #put(record: ContactCardRecord): void {
    this.#count(this.get(record.id), -1);
    this.#cards.set(record.id, record);
    this.#count(record, 1);
    this.#entries?.put(record);
  }

  #remove(id: string): void {
    this.#count(this.get(id), -1);
    this.#cards.delete(id);
    this.#entries?.remove(id);
  }

  #count(record: ContactCardRecord | undefined, sign: 1 | -1): void {
    if (!record) return;
    this.#octets += sign * octetsOf(record);
    this.#mediaOctets += sign * record.mediaOctets;
  }
}

/** A saved index. */
type SavedCards = {
  readonly json: { readonly ids: readonly string[]; readonly octets: number; readonly mediaOctets: number };
  readonly arrays: { readonly cards: { readonly values: Uint8Array }; readonly ends: { readonly values: Uint32Array } };
};

/** Writes the cards to snapshots as one array of octets, so that opening an account decodes none of them. */
export const contactCardSnapshots: IndexSnapshots<ContactCardIndex> = {
  save(index): SavedCards {
    const records = index.all();
    const parts = records.map(({ addressBookIds, mediaOctets, card }) => Buffer.from(`${addressBookIds.join(',')}\n${mediaOctets}\n${card}`));
    let end = 0;
    const ends = Uint32Array.from(parts, ({ length }) => (end += length));
    const json = { ids: records.map(({ id }) => id), octets: index.octets, mediaOctets: index.mediaOctets };
    return { json, arrays: { cards: { values: new Uint8Array(Buffer.concat(parts)) }, ends: { values: ends } } };
  },
  restore(saved) {
    const { json, arrays } = savedAs<SavedCards>(saved);
    const { ids, octets, mediaOctets } = json;
    const { buffer, byteOffset, byteLength } = arrays.cards.values;
    const bytes = Buffer.from(buffer, byteOffset, byteLength);
    return new ContactCardIndex([], { ids, bytes, ends: arrays.ends.values, octets, mediaOctets });
  },
};
