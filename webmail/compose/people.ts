import { capability } from '../../contract/jmap/core.ts';
import { coreLimit, type Requests } from '../jmap/requests.ts';
import type { Email, EmailBody, EmailAddress, GetResponse, Id, QueryResponse, Session } from '../jmap/types.ts';
import { comparedName } from '../search/mailbox-names.ts';
import { isDisguised } from '../words/words.ts';
import { isValidAddress } from './addresses.ts';

export type PeopleDependencies = {
  readonly requests: Requests;
  readonly session: Session;
  readonly accountId: Id;
  /** The mailbox of what was sent. */
  readonly sentId: Id | undefined;
  readonly isOwn: (address: string) => boolean;
};

export type People = {
  /** Reads to whom the person wrote, and the contacts. It never fails: nobody is completed then. */
  load(): Promise<void>;
  /** Finds people, the likeliest ones first. Each word of the text begins a word of the name or a part of the address. */
  matching(text: string, limit: number, without?: readonly EmailAddress[]): readonly EmailAddress[];
};

type Sent = Pick<Email, 'id' | 'receivedAt' | 'to'> & Pick<EmailBody, 'cc' | 'bcc'>;

/** The parts of a ContactCard (RFC 9553 §2) that are read. Others than this program write them. */
type Card = {
  readonly id: Id;
  readonly name?: { readonly full?: unknown; readonly components?: unknown } | null;
  readonly emails?: Readonly<Record<string, { readonly address?: unknown } | null>> | null;
};

type Person = { name: string | null; readonly email: string; score: number; isContact: boolean };
type Candidate = { readonly person: EmailAddress; readonly key: string; readonly searched: string };

/** Messages and contacts that are read at most. */
const [maxSent, maxCards] = [500, 5000];

/** Milliseconds after which a message counts half. */
const halfLife = 30 * 86_400_000;

const nameOfCard = ({ name }: Card): string | null => {
  if (typeof name?.full === 'string' && name.full.trim() !== '') return name.full.trim();
  const components: readonly unknown[] = Array.isArray(name?.components) ? name.components : [];
  const values = components.flatMap((component) =>
    typeof component === 'object' && component !== null && 'value' in component && typeof component.value === 'string' ? [component.value.trim()] : [],
  );
  return values.filter((value) => value !== '').join(' ') || null;
};

const addressesOfCard = (card: Card): readonly EmailAddress[] => {
  const name = nameOfCard(card);
  return Object.values(card.emails ?? {}).flatMap((each) => (typeof each?.address === 'string' ? [{ name, email: each.address.trim() }] : []));
};

const wordsOf = (text: string): readonly string[] => text.split(/[^\p{L}\p{N}\p{M}]/u).filter((word) => word !== '');

/** The texts whose beginnings are compared, each after a space. */
const searchedOf = ({ name, email }: EmailAddress): string => {
  const compared = comparedName(name ?? '');
  const address = comparedName(email);
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return ` ${[compared, ...wordsOf(compared), address, ...wordsOf(address), `@${domain}`, domain].join(' ')}`;
};

/** The words of what is typed, without the signs around names and addresses. */
const typedWords = (text: string): readonly string[] =>
  comparedName(text)
    .split(/[\s"<>(),;]/)
    .filter((word) => word !== '');

type Read<T> = (position: number, limit: number) => { readonly query: Promise<QueryResponse>; readonly get: Promise<GetResponse<T>> };

/** Reads records in pages, each in one request. A failure leaves what was read before it. */
const readPages = async <T>(read: Read<T>, most: number, page: number, take: (records: readonly T[]) => void): Promise<void> => {
  try {
    for (let position = 0; position < most;) {
      const { query, get } = read(position, Math.min(page, most - position));
      const [{ ids }, { list }] = await Promise.all([query, get]);
      take(list);
      if (ids.length === 0) return;
      position += ids.length;
      if (ids.length < page) return;
    }
  } catch {
    // Completions are a help. Nothing is said where there are none.
  }
};

/** Knows the people to whom a person may write. */
export const createPeople = ({ requests, session, accountId, sentId, isOwn }: PeopleDependencies): People => {
  const people = new Map<string, Person>();
  let candidates: readonly Candidate[] | undefined;
  let loading: Promise<void> | undefined;

  const add = ({ name: given, email }: EmailAddress, score: number, isContact: boolean): void => {
    if (!isValidAddress(email)) return;
    const name = given === null || given.trim() === '' || isDisguised({ name: given, email }) ? null : given.trim();
    const key = email.toLowerCase();
    const known = people.get(key);
    candidates = undefined;
    if (!known) {
      people.set(key, { name, email, score, isContact });
      return;
    }
    known.score += score;
    // The name of a contact is the person's own, and others come newest first.
    if (known.name === null || (isContact && !known.isContact && name !== null)) known.name = name;
    known.isContact ||= isContact;
  };

  let newest: number | undefined;
  const takeSent = (list: readonly Sent[]): void => {
    for (const { receivedAt, to, cc, bcc } of list) {
      const time = Date.parse(receivedAt);
      newest ??= time;
      const keys = new Map([...(to ?? []), ...(cc ?? []), ...(bcc ?? [])].map((person) => [person.email.toLowerCase(), person]));
      for (const person of keys.values()) add(person, 2 ** ((time - newest) / halfLife), false);
    }
  };

  const readRecords =
    <T>(type: string, args: { readonly filter?: object; readonly sort: string; readonly properties: readonly string[] }): Read<T> =>
    (position, limit) => {
      const { filter, sort, properties } = args;
      const query = requests.call<QueryResponse>(`${type}/query`, { accountId, filter, sort: [{ property: sort, isAscending: false }], position, limit });
      const get = requests.call<GetResponse<T>>(`${type}/get`, { accountId, '#ids': query.ref('/ids'), properties });
      return { query: query.result, get: get.result };
    };

  const readAll = async (): Promise<void> => {
    const page = coreLimit(session, 'maxObjectsInGet', maxSent);
    const sent = readRecords<Sent>('Email', { filter: { inMailbox: sentId }, sort: 'receivedAt', properties: ['receivedAt', 'to', 'cc', 'bcc'] });
    const cards = readRecords<Card>('ContactCard', { sort: 'updated', properties: ['name', 'emails'] });
    const takeCards = (list: readonly Card[]): void => {
      for (const person of list.flatMap(addressesOfCard)) add(person, 0, true);
    };
    const hasCards = session.accounts[accountId]?.accountCapabilities?.[capability.contacts] !== undefined;
    await Promise.all([sentId !== undefined && readPages(sent, maxSent, page, takeSent), hasCards && readPages(cards, maxCards, page, takeCards)]);
  };

  const ranked = (): readonly Candidate[] => {
    const all = [...people].map(([key, person]) => ({ key, person, isOwn: isOwn(person.email) }));
    return all
      .toSorted(
        (one, other) =>
          Number(one.isOwn) - Number(other.isOwn) ||
          other.person.score - one.person.score ||
          (one.person.name ?? one.key).localeCompare(other.person.name ?? other.key),
      )
      .map(({ key, person: { name, email } }) => ({ key, person: { name, email }, searched: searchedOf({ name, email }) }));
  };

  return {
    load: () => (loading ??= readAll()),
    matching(text, limit, without = []) {
      const typed = typedWords(text);
      if (typed.length === 0) return [];
      const taken = new Set(without.map(({ email }) => email.toLowerCase()));
      const found: EmailAddress[] = [];
      candidates ??= ranked();
      for (const { key, person, searched } of candidates) {
        if (found.length >= limit) break;
        if (!taken.has(key) && typed.every((word) => searched.includes(` ${word}`))) found.push(person);
      }
      return found;
    },
  };
};
