import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { componentsOf, typesOf, type VCardProperty } from './vcard-lines.ts';

/** The kinds of name components in the order of the property N, with those of RFC 9554. */
export const nameKinds = ['surname', 'given', 'given2', 'title', 'credential', 'surname2', 'generation'] as const;
/** The kinds of address components in the order of the property ADR. */
export const addressKinds = ['postOfficeBox', 'apartment', 'name', 'locality', 'region', 'postcode', 'country'] as const;
/** Features of phones by their TYPE (RFC 9555 §2.7.6). */
export const phoneFeatures = new Map(Object.entries({
  cell: 'mobile', voice: 'voice', fax: 'fax', pager: 'pager', video: 'video', text: 'text', textphone: 'textphone',
}));
/** Contexts by their TYPE (RFC 9555 §2.3.19). */
export const contextTypes = new Map(Object.entries({ home: 'private', work: 'work' }));
export const anniversaryKinds = new Map(Object.entries({ bday: 'birth', anniversary: 'wedding', deathdate: 'death' }));

const set = (members: readonly string[]): JsonObject => Object.fromEntries(members.map((member) => [member, true]));

/** The properties that most objects share: contexts and preference. */
const common = (property: VCardProperty): JsonObject => {
  const types = typesOf(property);
  const contexts = types.flatMap((type) => contextTypes.get(type) ?? []);
  const pref = Number(property[1]['pref'] ?? (types.includes('pref') ? 1 : NaN));
  return { ...(contexts.length > 0 && { contexts: set(contexts) }), ...(pref >= 1 && pref <= 100 && { pref: Math.floor(pref) }) };
};

const components = (value: unknown, kinds: readonly string[]): readonly JsonObject[] =>
  componentsOf(value).slice(0, kinds.length).flatMap((values, index) => values.map((text) => ({ kind: kinds[index]!, value: text })));

/** A date of a vCard as JSContact's PartialDate or Timestamp. @returns undefined for another form. */
const dateOf = (text: string): JsonObject | undefined => {
  const time = /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d):?(\d\d)Z$/.exec(text);
  if (time) return { '@type': 'Timestamp', utc: `${time.slice(1, 4).join('-')}T${time.slice(4, 7).join(':')}Z` };
  const [match, year, month, day] = /^(?:(\d{4})|--?)(?:-?(\d\d))?(?:-?(\d\d))?(?:T.*)?$/.exec(text) ?? [];
  const parts = { ...(year && { year: Number(year) }), ...(month && { month: Number(month) }), ...(day && { day: Number(day) }) };
  return match === undefined || Object.keys(parts).length === 0 ? undefined : { '@type': 'PartialDate', ...parts };
};

/** The URI of a property. Binary content of vCard 3 becomes a `data:` URI. */
const uriOf = ([name, parameters, type, value]: VCardProperty): string => {
  if (type !== 'binary') return String(value);
  const [given = 'jpeg'] = typesOf([name, parameters, type]);
  return `data:${given.includes('/') ? given : `${name === 'sound' ? 'audio' : 'image'}/${given}`};base64,${String(value)}`;
};

/** The Card whose properties are filled in, map by map. */
class CardBuilder {
  readonly card: { [name: string]: unknown } = { '@type': 'Card', version: '1.0' };

  add(map: string, value: JsonObject, id?: unknown): void {
    const entries = this.card[map] as JsonObject | undefined ?? {};
    const key = typeof id === 'string' && /^[\w-]{1,255}$/.test(id) && !Object.hasOwn(entries, id) ? id : `${map[0]}${Object.keys(entries).length + 1}`;
    this.card[map] = { ...entries, [key]: value };
  }

  /** Keeps a property that JSContact has no place for (RFC 9555 §3.2.1). */
  keep(property: VCardProperty): void {
    this.card['vCardProps'] = [...this.card['vCardProps'] as readonly VCardProperty[] | undefined ?? [], property];
  }
}

type Reader = (builder: CardBuilder, property: VCardProperty) => void;

const first = (value: unknown): string => String(Array.isArray(value) ? value[0] : value);
const rest = (value: unknown): readonly string[] => (Array.isArray(value) ? value.slice(1).map(String).filter((unit) => unit !== '') : []);

/** Adds an object with one text, and what most objects share. */
const object = (map: string, name: string, more: JsonObject = {}): Reader => (builder, property) =>
  builder.add(map, { ...more, [name]: uriOf(property), ...common(property) }, property[1]['prop-id']);

const nameReader = (read: (property: VCardProperty) => JsonObject): Reader => ({ card }, property) => {
  card['name'] = { ...read(property), ...card['name'] as JsonObject | undefined };
};

const date: Reader = (builder, property) => {
  const value = dateOf(String(property[3]));
  if (!value) return builder.keep(property);
  builder.add('anniversaries', { kind: anniversaryKinds.get(property[0])!, date: value }, property[1]['prop-id']);
};

const text = (name: string): Reader => ({ card }, property) => { card[name] = String(property[3]); };
const member: Reader = ({ card }, property) => { card['members'] = { ...card['members'] as JsonObject | undefined, [String(property[3])]: true }; };

const readers: { readonly [name: string]: Reader } = {
  version: () => undefined,
  fn: nameReader((property) => ({ full: String(property[3]) })),
  n: nameReader((property) => {
    const parts = components(property[3], nameKinds);
    return parts.length > 0 ? { components: parts } : {};
  }),
  nickname: (builder, property) => property.slice(3).forEach((name) => builder.add('nicknames', { name: String(name), ...common(property) })),
  org(builder, property) {
    const [name, units] = [first(property[3]), rest(property[3])];
    builder.add('organizations', {
      ...(name !== '' && { name }), ...(units.length > 0 && { units: units.map((unit) => ({ name: unit })) }),
    }, property[1]['prop-id']);
  },
  title: object('titles', 'name', { kind: 'title' }),
  role: object('titles', 'name', { kind: 'role' }),
  email: object('emails', 'address'),
  tel(builder, property) {
    const features = typesOf(property).flatMap((type) => phoneFeatures.get(type) ?? []);
    const number = String(property[3]).replace(/^tel:/i, '');
    builder.add('phones', { number, ...(features.length > 0 && { features: set(features) }), ...common(property) }, property[1]['prop-id']);
  },
  adr(builder, property) {
    const parts = components(property[3], addressKinds);
    if (parts.length > 0) builder.add('addresses', { components: parts, ...common(property) }, property[1]['prop-id']);
  },
  url: object('links', 'uri'),
  impp: object('onlineServices', 'uri'),
  note: object('notes', 'note'),
  lang: object('preferredLanguages', 'language'),
  key: object('cryptoKeys', 'uri'),
  caluri: object('calendars', 'uri', { kind: 'calendar' }),
  fburl: object('calendars', 'uri', { kind: 'freeBusy' }),
  caladruri: object('schedulingAddresses', 'uri'),
  photo: object('media', 'uri', { kind: 'photo' }),
  logo: object('media', 'uri', { kind: 'logo' }),
  sound: object('media', 'uri', { kind: 'sound' }),
  bday: date,
  anniversary: date,
  deathdate: date,
  categories: ({ card }, property) => { card['keywords'] = { ...card['keywords'] as JsonObject | undefined, ...set(property.slice(3).map(String)) }; },
  uid: text('uid'),
  prodid: text('prodId'),
  kind: ({ card }, property) => { card['kind'] = String(property[3]).toLowerCase(); },
  'x-addressbookserver-kind': ({ card }, property) => { card['kind'] = String(property[3]).toLowerCase(); },
  member,
  'x-addressbookserver-member': member,
  rev(builder, property) {
    const value = dateOf(String(property[3]));
    if (typeof value?.['utc'] === 'string') builder.card['updated'] = value['utc'];
    else builder.keep(property);
  },
};

/**
 * The JSContact Card of a vCard 3 or 4 (RFC 9555). Properties without a place in JSContact are kept in `vCardProps`.
 */
export const cardOfVCard = (properties: readonly VCardProperty[]): JsonObject => {
  const builder = new CardBuilder();
  for (const property of properties) {
    const reader = Object.hasOwn(readers, property[0]) ? readers[property[0]] : undefined;
    if (reader) reader(builder, property);
    else builder.keep(property);
  }
  const { card } = builder;
  if (card['members'] !== undefined && card['kind'] !== 'group') delete card['members'];
  return card;
};
