import { isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { addressKinds, anniversaryKinds, contextTypes, nameKinds, phoneFeatures } from '../../import/vcard/card-of-vcard.ts';
import type { VCardProperty, VCardVersion } from '../../import/vcard/vcard-lines.ts';

const inverse = (map: ReadonlyMap<string, string>) => new Map([...map].map(([name, value]) => [value, name]));
const typeOfContext = inverse(contextTypes);
const typeOfFeature = inverse(phoneFeatures);
const nameOfAnniversary = inverse(anniversaryKinds);

const entriesOf = (value: unknown): readonly (readonly [id: string, value: JsonObject])[] =>
  (isObject(value) ? Object.entries(value).flatMap(([id, each]) => (isObject(each) ? [[id, each] as const] : [])) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const keysOf = (value: unknown): readonly string[] => (isObject(value) ? Object.keys(value) : []);

/** The parameters of an object: PROP-ID in vCard 4, TYPE and the preference. */
const parametersOf = (id: string, each: JsonObject, version: VCardVersion, further: readonly string[] = []): JsonObject => {
  const types = [...keysOf(each['contexts']).flatMap((context) => typeOfContext.get(context) ?? []), ...further];
  const { pref } = each;
  if (version === '3.0' && pref === 1) types.push('pref');
  return {
    ...(version === '4.0' && { 'prop-id': id }), ...(types.length > 0 && { type: types }),
    ...(version === '4.0' && typeof pref === 'number' && { pref: String(pref) }),
  };
};

/** A structured value: the texts of each kind. */
const structured = (value: unknown, kinds: readonly string[]): readonly unknown[] => {
  const all = Array.isArray(value) ? value.filter(isObject) : [];
  return kinds.map((kind) => {
    const texts = all.filter((each) => each['kind'] === kind).map((each) => textOf(each['value']));
    return texts.length > 1 ? texts : texts[0] ?? '';
  });
};

const padded = (value: unknown, digits: number): string => (typeof value === 'number' ? String(value) : '').padStart(digits, '0');
const two = (value: unknown): string => padded(value, 2);

/** A date in the form of vCard. @returns undefined when the version has no form for it. */
const dateText = (value: unknown, version: VCardVersion): string | undefined => {
  if (!isObject(value)) return undefined;
  if (typeof value['utc'] === 'string') return value['utc'];
  const { year, month, day } = value;
  if (year !== undefined && month !== undefined && day !== undefined) return `${padded(year, 4)}-${two(month)}-${two(day)}`;
  if (version === '3.0') return undefined;
  if (year !== undefined) return `${padded(year, 4)}${month === undefined ? '' : `-${two(month)}`}`;
  return month === undefined ? undefined : `--${two(month)}${day === undefined ? '' : `-${two(day)}`}`;
};

/** The full name that a vCard must have. */
const fullName = ({ name, emails, organizations }: JsonObject): string => {
  const { full, components } = isObject(name) ? name : {};
  const parts = Array.isArray(components) ? components.filter(isObject) : [];
  return textOf(full) || parts.map((each) => textOf(each['value'])).join(' ')
    || textOf(entriesOf(organizations)[0]?.[1]['name']) || textOf(entriesOf(emails)[0]?.[1]['address']);
};

const dataUri = /^data:([^;,]*);base64,(.*)$/is;

/** A property with a URI. vCard 3 has content in base64 instead of `data:` URIs. */
const uriProperty = (name: string, parameters: JsonObject, uri: string, version: VCardVersion): VCardProperty => {
  const [, type = '', content] = dataUri.exec(uri) ?? [];
  if (version === '4.0' || content === undefined) return [name, parameters, 'uri', uri];
  return [name, { ...parameters, encoding: 'b', type: type.split('/').at(-1)!.toUpperCase() }, 'binary', content];
};

/** The objects of a map as properties with one value. */
const mapped = (card: JsonObject, version: VCardVersion, map: string, nameOf: (each: JsonObject) => string, key: string, type = 'text') =>
  entriesOf(card[map]).flatMap(([id, each]): VCardProperty[] => {
    const [name, value] = [nameOf(each), each[key]];
    if (typeof value !== 'string' || name === '') return [];
    return [type === 'uri' ? uriProperty(name, parametersOf(id, each, version), value, version) : [name, parametersOf(id, each, version), type, value]];
  });

const always = (name: string) => () => name;
const mediaNames = new Map(Object.entries({ photo: 'photo', logo: 'logo', sound: 'sound' }));
const calendarNames = new Map(Object.entries({ calendar: 'caluri', freeBusy: 'fburl' }));

/**
 * The vCard of a JSContact Card (RFC 9555), without the properties that vCard does not have. `media` must have URIs
 * instead of blob ids.
 */
export const vCardOfCard = (card: JsonObject, version: VCardVersion): readonly VCardProperty[] => {
  const name = isObject(card['name']) ? card['name'] : {};
  const is4 = version === '4.0';
  const simple = (property: string, value: unknown): VCardProperty[] => (typeof value === 'string' ? [[property, {}, 'text', value]] : []);
  return [
    ['version', {}, 'text', version],
    ['fn', {}, 'text', fullName(card)],
    ...Array.isArray(name['components']) || !is4
      ? [['n', {}, 'text', structured(name['components'], is4 ? nameKinds : nameKinds.slice(0, 5))] as const]
      : [],
    ...simple('uid', card['uid']), ...simple('prodid', card['prodId']),
    ...simple(is4 ? 'kind' : 'x-addressbookserver-kind', card['kind']),
    ...keysOf(card['members']).map((uid): VCardProperty => [is4 ? 'member' : 'x-addressbookserver-member', {}, is4 ? 'uri' : 'text', uid]),
    ...typeof card['updated'] === 'string' ? [['rev', {}, is4 ? 'timestamp' : 'date-time', card['updated'].replace(/\.\d+Z$/, 'Z')] as const] : [],
    ...mapped(card, version, 'nicknames', always('nickname'), 'name'),
    ...entriesOf(card['organizations']).map(([id, each]): VCardProperty => {
      const units = (Array.isArray(each['units']) ? each['units'] : []).filter(isObject).map((unit) => textOf(unit['name']));
      return ['org', parametersOf(id, each, version), 'text', [textOf(each['name']), ...units]];
    }),
    ...mapped(card, version, 'titles', ({ kind }) => (kind === 'role' ? 'role' : 'title'), 'name'),
    ...mapped(card, version, 'emails', always('email'), 'address'),
    ...entriesOf(card['phones']).map(([id, each]): VCardProperty => {
      const features = keysOf(each['features']).flatMap((feature) => typeOfFeature.get(feature) ?? []);
      return ['tel', parametersOf(id, each, version, features), is4 ? 'text' : 'phone-number', textOf(each['number'])];
    }),
    ...entriesOf(card['addresses']).map(([id, each]): VCardProperty =>
      ['adr', parametersOf(id, each, version), 'text', structured(each['components'], addressKinds)]),
    ...mapped(card, version, 'links', always('url'), 'uri', 'uri'),
    ...mapped(card, version, 'onlineServices', always('impp'), 'uri', 'uri'),
    ...mapped(card, version, 'notes', always('note'), 'note'),
    ...is4 ? mapped(card, version, 'preferredLanguages', always('lang'), 'language', 'language-tag') : [],
    ...mapped(card, version, 'cryptoKeys', always('key'), 'uri', 'uri'),
    ...mapped(card, version, 'calendars', ({ kind }) => calendarNames.get(textOf(kind)) ?? '', 'uri', 'uri'),
    ...mapped(card, version, 'schedulingAddresses', always('caladruri'), 'uri', 'uri'),
    ...mapped(card, version, 'media', ({ kind }) => mediaNames.get(textOf(kind)) ?? '', 'uri', 'uri'),
    ...entriesOf(card['anniversaries']).flatMap(([id, each]): VCardProperty[] => {
      const [property, value] = [nameOfAnniversary.get(textOf(each['kind'])), dateText(each['date'], version)];
      if (property === undefined || value === undefined) return [];
      const type = is4 ? 'date-and-or-time' : value.includes('T') ? 'date-time' : 'date';
      return [[property, parametersOf(id, {}, version), type, value]];
    }),
    ...keysOf(card['keywords']).length > 0 ? [['categories', {}, 'text', ...keysOf(card['keywords'])] as const] : [],
    ...Array.isArray(card['vCardProps']) ? card['vCardProps'] as readonly VCardProperty[] : [],
  ];
};
