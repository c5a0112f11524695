import type { Account } from '../../contract/admin/accounts.ts';
import type { Alias, Group } from '../../contract/admin/aliases.ts';
import type { Domain } from '../../contract/admin/domains.ts';
import type { User } from '../../contract/admin/users.ts';
import { directoryKeys, directoryPartitions } from '../../contract/deployment/keys.ts';
import { tokensOf } from '../search/tokenizer.ts';
import type { Page } from '../storage/page.ts';
import { contentOf, rowOf, type Item, type Key, type Table, type Write } from '../storage/table.ts';
import { accountRow } from './account-row.ts';

/** An object of a list: its place in each order, and the texts by which a person finds it. */
type Listed = {
  readonly id: string;
  readonly orders: Readonly<Record<string, string>>;
  readonly texts: readonly string[];
  /** Attributes to which a list can be limited, or by which it is joined. */
  readonly facts?: Readonly<Record<string, string | boolean>>;
};

/** UTF-16 units of a place in an order, so that a page token has room for it, of a word and of a whole address. */
const [maxPlace, maxWord, maxAddress] = [60, 40, 254];
/** Words of each text of an object by which it is found, so that a long name leaves room for its address. */
const wordsOfText = 8;

const wordsOf = (text: string): readonly string[] => Array.from(tokensOf(text), ({ term }) => term.slice(0, maxWord).toWellFormed());

/** An address as a whole, by which it is found however many words it has. */
const wholeAddress = (text: string): readonly string[] => (/^[^\s@]+@/.test(text) ? [text.toLowerCase().slice(0, maxAddress)] : []);

const wordsOfAll = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => [...wholeAddress(text), ...wordsOf(text).slice(0, wordsOfText)])),
];

const place = (text: string): string => text.slice(0, maxPlace).toWellFormed();

/** The place of a name: by its words, without case and accents. */
const placeOfName = (name: string): string => place(Array.from(tokensOf(name.slice(0, 4 * maxPlace)), ({ term }) => term).join(' '));

const listed = {
  user: ({
    user_id: id,
    name,
    primary_email: email = '',
    created_at,
    is_active,
    is_admin,
    is_deleted,
  }: Pick<User, 'user_id' | 'name' | 'primary_email' | 'created_at' | 'is_active' | 'is_admin' | 'is_deleted'>) => ({
    id,
    orders: { name: placeOfName(name), primary_email: place(email), created_at },
    texts: [name, email],
    facts: { is_active, is_admin, is_deleted },
  }),
  account: ({ account_id: id, name, email, created_at }: Pick<Account, 'account_id' | 'name' | 'email' | 'created_at'>) => ({
    id,
    orders: { name: placeOfName(name), email: place(email), created_at },
    texts: [name, email],
  }),
  alias: ({ alias_id: id, email, name = '', account_id, created_at }: Pick<Alias, 'alias_id' | 'email' | 'name' | 'account_id' | 'created_at'>) => ({
    id,
    orders: { email: place(email), created_at },
    texts: [email, name],
    facts: { account_id },
  }),
  group: ({ group_id: id, email, name, created_at }: Pick<Group, 'group_id' | 'email' | 'name' | 'created_at'>) => ({
    id,
    orders: { email: place(email), name: placeOfName(name), created_at },
    texts: [name, email],
  }),
  domain: ({ id, domain, created_at }: Pick<Domain, 'id' | 'domain' | 'created_at'>) => ({
    id,
    orders: { domain: place(domain), created_at },
    texts: [domain],
  }),
} as const satisfies Record<string, (object: never) => Listed>;

type Kind = keyof typeof listed;
type ListedObject<K extends Kind> = Parameters<(typeof listed)[K]>[0];

/** The attributes of an entry. Entries of words have the places of the object, too, so that what was found can be ordered. */
type EntryRow = { readonly facts?: Listed['facts']; readonly words?: string; readonly orders?: Listed['orders'] };

const entryRow = rowOf<EntryRow>;

/** Separates the place or the word of an entry from its id. No text that is listed has it. */
const separator = '\t';

const idOf = (entry: string): string => entry.slice(entry.lastIndexOf(separator) + 1);

const { listEntries } = directoryPartitions;

const entriesOf = (kind: Kind, { id, orders, texts, facts }: Listed): readonly Item[] => {
  const words = wordsOfAll(texts);
  const kept = facts && { facts };
  return [
    ...Object.entries(orders).map(([order, value]) => ({ pk: listEntries(`${kind}#${order}`), sk: `${value}${separator}${id}`, ...kept })),
    ...words.map((word) => ({ pk: listEntries(`${kind}#word`), sk: `${word}${separator}${id}`, words: words.join(' '), orders, ...kept })),
  ];
};

const keyOf = ({ pk, sk }: Item): string => `${pk} ${sk}`;

/**
 * The writes that keep the lists of a kind as an object is changed, in the transaction of the change. `before` is undefined
 * for a new object, `after` for one that is removed.
 */
export const listingWrites = <K extends Kind>(kind: K, before: ListedObject<K> | undefined, after: ListedObject<K> | undefined): Write[] => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the compiler does not relate the kind with the parameter of its function
  const listedAs = listed[kind] as (object: ListedObject<K>) => Listed;
  const former = new Map((before ? entriesOf(kind, listedAs(before)) : []).map((entry) => [keyOf(entry), entry]));
  const entries = after ? entriesOf(kind, listedAs(after)) : [];
  const kept = new Set(entries.map(keyOf));
  return [
    ...[...former].flatMap(([key, { pk, sk }]): Write[] => (kept.has(key) ? [] : [{ delete: { pk, sk } }])),
    ...entries.filter((entry) => JSON.stringify(former.get(keyOf(entry))) !== JSON.stringify(entry)).map((put): Write => ({ put })),
  ];
};

/** The most writes of a change: those of all entries before and after it. */
export const maxListingWrites = 2 * (3 + 1 + 2 * wordsOfText);

/** Which page of a list, in which order. */
export type ListedPage = {
  /** The name of the field by which the list is ordered. */
  readonly order: string;
  readonly descending: boolean;
  /** The beginnings of words, as a person types them. Default: all objects. */
  readonly query?: string | undefined;
  /** Only objects with these facts. */
  readonly facts?: Listed['facts'];
};

/** How a request orders and limits a list. */
type ListingRequest = { readonly order_by?: string | undefined; readonly descending: boolean; readonly query?: string | undefined };

/**
 * The page that a request asks for. Undefined when it wants all objects in any order.
 * @param first the order of a request that names none.
 * @param wanted the facts that the objects have, each unless it is undefined.
 */
export const requestedPage = (
  { order_by: order, descending, query }: ListingRequest,
  first: string,
  wanted: { readonly [fact: string]: string | boolean | undefined } = {},
): ListedPage | undefined => {
  const facts = Object.fromEntries(Object.entries(wanted).filter((fact): fact is [string, string | boolean] => fact[1] !== undefined));
  const isAny = order === undefined && !descending && query === undefined && Object.keys(facts).length === 0;
  return isAny ? undefined : { order: (order ?? first).toLowerCase(), descending, query, facts };
};

/** An object that was found, with its places. */
type Match = Pick<Listed, 'id' | 'orders' | 'facts'>;

const hasFacts = (wanted: Listed['facts'], facts: Listed['facts']): boolean => Object.entries(wanted ?? {}).every(([name, value]) => facts?.[name] === value);

/** Entries that are read for one page at most, when few objects have the facts, and at once. */
const [maxRead, maxReadAtOnce] = [5000, 1000];

/** A page of the ids of all objects, in an order. It may be short when few objects have the facts. */
const orderedPage = async (
  table: Table,
  kind: Kind,
  { order, descending, facts }: ListedPage,
  after: string | undefined,
  size: number,
): Promise<Page<string>> => {
  const found: string[] = [];
  let position = after;
  for (let read = 0; found.length <= size && read < maxRead;) {
    const limit = read === 0 ? size + 1 : maxReadAtOnce;
    const from = position !== undefined && { [descending ? 'before' : 'after']: position };
    const entries = await table.query({ pk: listEntries(`${kind}#${order}`), limit, descending, ...from });
    found.push(...entries.flatMap((entry) => (hasFacts(facts, entryRow(entry).facts) ? [entry.sk] : [])));
    read += entries.length;
    position = entries.length < limit ? undefined : entries.at(-1)!.sk;
    if (position === undefined) break;
  }
  const shown = found.slice(0, size);
  return { items: shown.map(idOf), next: found.length > size ? shown.at(-1) : position };
};

/** Finds the objects of a kind with an entry that begins so, and of which each word of the query begins a word. */
const findByEntries = async (table: Table, kind: Kind, prefix: string, wanted: readonly string[]): Promise<Map<string, Match>> => {
  const entries = await table.query({ pk: listEntries(`${kind}#word`), prefix });
  return new Map(
    entries.flatMap((entry): [string, Match][] => {
      const { words = '', orders = {}, facts = {} } = entryRow(entry);
      const id = idOf(entry.sk);
      return wanted.every((word) => ` ${words}`.includes(` ${word}`)) ? [[id, { id, orders, facts }]] : [];
    }),
  );
};

/** Finds the objects of a kind by the beginning of an address, or by the beginnings of words. */
const findByWords = async (table: Table, kind: Kind, query: string): Promise<Map<string, Match>> => {
  const [address] = wholeAddress(query.trim());
  if (address !== undefined) {
    const found = await findByEntries(table, kind, address, []);
    if (found.size > 0) return found;
  }
  // Many objects may have the domain of an address.
  const selective = address === undefined ? query : address.slice(0, address.indexOf('@'));
  const longest = [...wordsOf(selective), ''].reduce((one, other) => (other.length > one.length ? other : one));
  return longest === '' ? new Map() : findByEntries(table, kind, longest, [...new Set(wordsOf(query))]);
};

/** The texts that {@link readNear} compares with entries: the beginning of an address, or the words of a text. */
export const searchedWords = (query: string): readonly string[] => {
  const [address] = wholeAddress(query.trim());
  return address === undefined ? [...new Set(wordsOf(query))] : [address];
};

/** An entry of a word, with all words of its object. */
export type NearEntry = { readonly id: string; readonly word: string; readonly words: string; readonly facts?: Listed['facts'] };

/** Reads the entries of a kind that are next to a word in the order of words: up to `size` before it, and as many after it. */
export const readNear = async (table: Pick<Table, 'query'>, kind: Kind, word: string, size: number): Promise<NearEntry[]> => {
  const pk = listEntries(`${kind}#word`);
  const sides = await Promise.all([table.query({ pk, after: word, limit: size }), table.query({ pk, before: word, limit: size, descending: true })]);
  return sides.flat().map((entry) => {
    const { words = '', facts } = entryRow(entry);
    return { id: idOf(entry.sk), word: entry.sk.slice(0, entry.sk.lastIndexOf(separator)), words, facts };
  });
};

/** Accounts that are looked up at most because one of their addresses was found. */
const maxByAddress = 100;

/** Finds users and accounts by the addresses of accounts, beside their own words. */
const findMatches = async (table: Table, kind: Kind, query: string): Promise<Map<string, Match>> => {
  const hasAddresses = kind === 'user' || kind === 'account';
  const [matches, aliases] = await Promise.all([findByWords(table, kind, query), hasAddresses ? findByWords(table, 'alias', query) : new Map<string, Match>()]);
  const accountIds = [...new Set([...aliases.values()].map(({ facts }) => String(facts?.['account_id'])))]
    .filter((id) => !matches.has(id))
    .slice(0, maxByAddress);
  const accounts = await table.batchGet(accountIds.map(directoryKeys.account));
  const owners = kind === 'user' ? new Set(accounts.map((item) => accountRow(item).owner_id)) : [];
  const users = await table.batchGet([...owners].filter((id) => !matches.has(id)).map(directoryKeys.user));
  const added: Listed[] =
    kind === 'user' ? users.map((item) => listed.user(contentOf(item))) : accounts.map((item) => listed.account({ ...accountRow(item), account_id: item.sk }));
  for (const each of added) matches.set(each.id, each);
  return matches;
};

const pageOfMatches = (matches: Iterable<Match>, { order, descending, facts }: ListedPage, after: string | undefined, size: number): Page<string> => {
  const entries = [...matches].flatMap((match) => (hasFacts(facts, match.facts) ? [`${match.orders[order] ?? ''}${separator}${match.id}`] : []));
  const sign = descending ? -1 : 1;
  const rest = entries
    .toSorted((one, other) => (one < other ? -sign : sign))
    .filter((entry) => after === undefined || (descending ? entry < after : entry > after));
  const shown = rest.slice(0, size);
  return { items: shown.map(idOf), next: rest.length > size ? shown.at(-1) : undefined };
};

/**
 * Reads a page of a list: all objects of a kind or those that a query finds, in an order. A change between two pages moves
 * no other object to another page.
 * @param read reads the objects of the page by their ids. Those that were removed meanwhile are left out.
 */
export const readListedPage = async <Row>(
  table: Table,
  kind: Kind,
  page: ListedPage,
  after: string | undefined,
  size: number,
  read: { readonly keyOf: (id: string) => Key; readonly toRow: (item: Item) => Row },
): Promise<Page<Row>> => {
  const { items: ids, next } =
    page.query === undefined
      ? await orderedPage(table, kind, page, after, size)
      : pageOfMatches((await findMatches(table, kind, page.query)).values(), page, after, size);
  const items = new Map((await table.batchGet(ids.map(read.keyOf))).map((item) => [item.sk, item]));
  return { items: ids.flatMap((id) => (items.has(id) ? [read.toRow(items.get(id)!)] : [])), next };
};
