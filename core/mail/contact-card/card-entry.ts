import { isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { withULabels } from '../../mime/domain-labels.ts';
import { cardOf, emailAddressesOf, type ContactCardRecord } from './contact-card-record.ts';

/** The texts of a card that a filter condition searches (RFC 9610 §3.3.1), by the condition's name. */
export const cardTextFields = [
  'name',
  'name/given',
  'name/surname',
  'name/surname2',
  'nickname',
  'organization',
  'email',
  'phone',
  'onlineService',
  'address',
  'note',
] as const;
export type CardTextField = (typeof cardTextFields)[number];

/** A card in the form in which queries test it. */
export type CardEntry = {
  readonly id: string;
  readonly uid: string;
  readonly addressBookIds: readonly string[];
  readonly kind: string | null;
  /** The uids in `members`; undefined when there are none. */
  readonly members: ReadonlySet<string> | undefined;
  /** Milliseconds since 1970; null when the card has no such property. */
  readonly created: number | null;
  readonly updated: number | null;
  /** The first name component of each kind by which cards are sorted. */
  readonly sortNames: { readonly [sort in 'name/given' | 'name/surname' | 'name/surname2']: string | null };
  /** The e-mail addresses, by `comparableAddress`. */
  readonly emails: readonly string[];
  /** The texts of each field in their searched form, a line each. Fields without a text are absent. */
  readonly texts: { readonly [field in CardTextField | 'text']?: string };
};

const isAscii = /^[\x20-\x7e]*$/;
const severalBlanks = /[^\S ]| {2}/;

/** Characters that people type as an apostrophe. */
const apostrophes = /[\u2018\u2019\u201B\u2032\u02B9-\u02BF\u02C8\u02CA\u02CB\uA78B\uA78C\u00B4]/g;

/**
 * A text in the form in which it is searched: without differences of case, compatibility forms, apostrophes, white space,
 * and the two forms of a domain.
 */
export const searchedForm = (text: string): string => {
  const normalized = withULabels(isAscii.test(text) ? text : text.replaceAll(apostrophes, "'").normalize('NFKC')).toLowerCase();
  return severalBlanks.test(normalized) ? normalized.replaceAll(/\s+/g, ' ') : normalized;
};

const objects = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []).filter(isObject);

const textsAt = (list: readonly JsonObject[], ...names: readonly string[]): readonly string[] =>
  list.flatMap((each) => names.flatMap((name) => (typeof each[name] === 'string' ? [each[name]] : [])));

const components = (value: JsonObject, kind?: string): readonly string[] =>
  textsAt(
    objects(value['components']).filter((each) => kind === undefined || each['kind'] === kind),
    'value',
  );

/** A phone number is also found by its digits only. */
const withDigits = (number: string): readonly string[] => [number, number.replaceAll(/[^\d+]/g, '')];

/** All texts of a value, except for names of properties. */
const allTexts = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => (name === '@type' || name === 'blobId' ? [] : allTexts(each)));
};

const textsOf = (card: JsonObject): CardEntry['texts'] => {
  const name = isObject(card['name']) ? card['name'] : {};
  const addresses = objects(card['addresses']);
  const phones = objects(card['phones']);
  const fields: { readonly [field in CardTextField | 'text']: readonly string[] } = {
    name: [...components(name), ...textsAt([name], 'full')],
    'name/given': components(name, 'given'),
    'name/surname': components(name, 'surname'),
    'name/surname2': components(name, 'surname2'),
    nickname: textsAt(objects(card['nicknames']), 'name'),
    organization: textsAt(objects(card['organizations']), 'name'),
    email: textsAt(objects(card['emails']), 'address', 'label'),
    phone: [...textsAt(phones, 'number').flatMap(withDigits), ...textsAt(phones, 'label')],
    onlineService: textsAt(objects(card['onlineServices']), 'service', 'uri', 'user', 'label'),
    address: [...addresses.flatMap((each) => components(each)), ...textsAt(addresses, 'full')],
    note: textsAt(objects(card['notes']), 'note'),
    text: [
      ...allTexts({ ...card, '@type': null, version: null, uid: null, created: null, updated: null, prodId: null }),
      ...textsAt(phones, 'number').flatMap(withDigits),
      ...Object.keys(isObject(card['keywords']) ? card['keywords'] : {}),
    ],
  };
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, texts]) => texts.length > 0)
      .map(([field, texts]) => [field, [...new Set(texts)].map(searchedForm).join('\u0000')]),
  );
};

const timeOf = (value: unknown): number | null => (typeof value === 'string' ? Date.parse(value) : null);

/** The entry of a card. */
export const cardEntry = (record: ContactCardRecord): CardEntry => {
  const card = cardOf(record);
  const name = isObject(card['name']) ? card['name'] : {};
  const first = (kind: string) => components(name, kind)[0] ?? null;
  let texts: CardEntry['texts'] | undefined;
  return {
    id: record.id,
    uid: card.uid,
    addressBookIds: record.addressBookIds,
    kind: typeof card['kind'] === 'string' ? card['kind'] : null,
    members: isObject(card['members']) ? new Set(Object.keys(card['members'])) : undefined,
    created: timeOf(card['created']),
    updated: timeOf(card['updated']),
    sortNames: { 'name/given': first('given'), 'name/surname': first('surname'), 'name/surname2': first('surname2') },
    emails: emailAddressesOf(card),
    // Only text conditions need the texts.
    get texts() {
      return (texts ??= textsOf(cardOf(record)));
    },
  };
};
