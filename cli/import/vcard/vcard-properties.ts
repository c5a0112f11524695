import type { VCardVersion } from './content-lines.ts';

/** How the value of a property is written: one text, texts with commas, components with semicolons, or another type. */
type ValueForm = 'text' | 'texts' | 'components' | 'lists' | 'uri' | 'date' | 'time-stamp' | 'zone' | 'place';

type PropertyForm = { readonly form: ValueForm; /** The only version that has the property. */ readonly only?: VCardVersion };

const forms = (form: ValueForm, only: VCardVersion | undefined, names: string): readonly (readonly [string, PropertyForm])[] =>
  names.split(' ').map((name) => [name, { form, ...(only && { only }) }]);

/**
 * The properties of RFC 2426, 2739, 4770, 6350, 6474, 6715, 8605, 9554 and 9555, and those of Apple whose values are
 * texts. A property that a version does not have is written with the prefix `X-`, and read without it.
 */
const propertyForms: ReadonlyMap<string, PropertyForm> = new Map([
  ...forms('text', undefined, 'fn title role email tel note uid prodid x-ablabel x-abadr'),
  ...forms('texts', undefined, 'nickname categories'),
  ...forms('components', undefined, 'org'),
  ...forms('lists', undefined, 'n adr'),
  ...forms('uri', undefined, 'url photo logo sound key source impp caluri fburl caladruri capuri'),
  ...forms('date', undefined, 'bday'),
  ...forms('time-stamp', undefined, 'rev'),
  ...forms('zone', undefined, 'tz'),
  ...forms('place', undefined, 'geo'),
  ...forms('text', '3.0', 'agent label mailer class sort-string name profile'),
  ...forms('text', '4.0', 'kind lang xml birthplace deathplace expertise hobby interest language gramgender pronouns jsprop'),
  ...forms('components', '4.0', 'gender clientpidmap'),
  ...forms('uri', '4.0', 'member related org-directory contact-uri socialprofile'),
  ...forms('date', '4.0', 'anniversary deathdate'),
  ...forms('time-stamp', '4.0', 'created'),
]);

export const formOf = (name: string): ValueForm | undefined => propertyForms.get(name)?.form;

/** The parameters that vCard 3 does not have. There they are written with the prefix `X-`. */
const parametersOf4: ReadonlySet<string> = new Set(
  (
    'altid author author-name calscale cc created derived geo index jscomps jsptr label level mediatype phonetic pid pref prop-id script service-type ' +
    'sort-as tz username'
  ).split(' '),
);

/** The names of properties of Apple and RFC 9554 for the same thing. */
const sameProperty = new Map(Object.entries({ 'x-addressbookserver-kind': 'kind', 'x-addressbookserver-member': 'member' }));
const nameIn3 = new Map([...sameProperty].map(([written, name]) => [name, written]));
const sameParameter = new Map(Object.entries({ 'x-user': 'username' }));
const parameterIn3 = new Map([...sameParameter].map(([written, name]) => [name, written]));

/** Values that a property of vCard 3 cannot have are kept under these names. */
const looseForms: ReadonlySet<ValueForm> = new Set(['date', 'place']);

/** The name of a property that is written with the prefix `X-`, or by a program in its own way. */
export const readName = (written: string): string => {
  const name = sameProperty.get(written) ?? (written.startsWith('x-') ? written.slice(2) : written);
  const known = propertyForms.get(name);
  return known && (known.only || looseForms.has(known.form)) ? name : written;
};

/** The name under which a version has the property. */
export const writtenName = (name: string, version: VCardVersion): string => {
  const only = propertyForms.get(name)?.only;
  return only === undefined || only === version ? name : (nameIn3.get(name) ?? `x-${name}`);
};

export const readParameterName = (written: string): string => {
  const name = sameParameter.get(written) ?? (written.startsWith('x-') ? written.slice(2) : written);
  return parametersOf4.has(name) ? name : written;
};

export const writtenParameterName = (name: string, version: VCardVersion): string =>
  version === '3.0' && parametersOf4.has(name) ? (parameterIn3.get(name) ?? `x-${name}`) : name;

/** The kinds of name components in the order of the property N (RFC 6350 §6.2.2, RFC 9554 §2.2). */
export const nameKinds = ['surname', 'given', 'given2', 'title', 'credential', 'surname2', 'generation'] as const;
/** The kinds of address components in the order of the property ADR (RFC 6350 §6.3.1, RFC 9554 §2.1). */
export const addressKinds = [
  'postOfficeBox',
  'apartment',
  'name',
  'locality',
  'region',
  'postcode',
  'country',
  'room',
  'apartment',
  'floor',
  'number',
  'name',
  'building',
  'block',
  'subdistrict',
  'district',
  'landmark',
  'direction',
] as const;
/** The first components of ADR, which all versions have. */
export const plainAddressKinds = 7;

const map = (entries: { readonly [written: string]: string }): ReadonlyMap<string, string> => new Map(Object.entries(entries));
/** Features of phones by their TYPE (RFC 9555 §2.7.6). */
export const phoneFeatures = map({
  cell: 'mobile',
  voice: 'voice',
  fax: 'fax',
  pager: 'pager',
  video: 'video',
  text: 'text',
  textphone: 'textphone',
  'main-number': 'main-number',
});
/** Contexts by their TYPE (RFC 9555 §2.3.19, RFC 9554 §5.1). */
export const contextTypes = map({ home: 'private', work: 'work', billing: 'billing', delivery: 'delivery' });
export const anniversaryKinds = map({ bday: 'birth', anniversary: 'wedding', deathdate: 'death' });
/** Levels of expertise (RFC 6715 §3.2) as JSContact names them. */
export const expertiseLevels = map({ beginner: 'low', average: 'medium', expert: 'high' });
/** Properties of old programs whose value is the name of a user, by the service. */
export const userProperties = map({
  'x-skype': 'Skype',
  'x-skype-username': 'Skype',
  'x-jabber': 'Jabber',
  'x-aim': 'AIM',
  'x-icq': 'ICQ',
  'x-msn': 'MSN',
  'x-yahoo': 'Yahoo',
  'x-google-talk': 'Google Talk',
  'x-gtalk': 'Google Talk',
  'x-qq': 'QQ',
  'x-twitter': 'Twitter',
  'x-gadugadu': 'Gadu-Gadu',
  'x-groupwise': 'GroupWise',
});

/** A property whose value is one property of an object in a map of the Card. */
export type SimpleProperty = { readonly map: string; readonly key: string; readonly kind?: string };

const simple = (mapName: string, key: string, kind?: string): SimpleProperty => ({ map: mapName, key, ...(kind !== undefined && { kind }) });

/** The properties with one value in one object, in the order in which they are written. */
export const simpleProperties: ReadonlyMap<string, SimpleProperty> = new Map(
  Object.entries({
    nickname: simple('nicknames', 'name'),
    title: simple('titles', 'name', 'title'),
    role: simple('titles', 'name', 'role'),
    email: simple('emails', 'address'),
    tel: simple('phones', 'number'),
    url: simple('links', 'uri'),
    'contact-uri': simple('links', 'uri', 'contact'),
    note: simple('notes', 'note'),
    lang: simple('preferredLanguages', 'language'),
    key: simple('cryptoKeys', 'uri'),
    caluri: simple('calendars', 'uri', 'calendar'),
    fburl: simple('calendars', 'uri', 'freeBusy'),
    caladruri: simple('schedulingAddresses', 'uri'),
    photo: simple('media', 'uri', 'photo'),
    logo: simple('media', 'uri', 'logo'),
    sound: simple('media', 'uri', 'sound'),
    source: simple('directories', 'uri', 'entry'),
    'org-directory': simple('directories', 'uri', 'directory'),
    expertise: simple('personalInfo', 'value', 'expertise'),
    hobby: simple('personalInfo', 'value', 'hobby'),
    interest: simple('personalInfo', 'value', 'interest'),
  }),
);

const resourceParameters = { mediatype: 'mediaType' };
/** Parameters whose value is a text of the object, by the map of the objects (RFC 9555 §2.3). */
export const objectParameters: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries({
    links: resourceParameters,
    calendars: resourceParameters,
    cryptoKeys: resourceParameters,
    directories: resourceParameters,
    media: resourceParameters,
    onlineServices: { 'service-type': 'service', username: 'user' },
    addresses: { label: 'full', geo: 'coordinates', tz: 'timeZone', cc: 'countryCode' },
  }).map(([name, parameters]) => [name, new Map(Object.entries(parameters))]),
);

/** The maps whose objects have a `label`, which vCards have as X-ABLabel (RFC 9555 §2.3.1). */
export const labeledMaps: ReadonlySet<string> = new Set([
  'emails',
  'phones',
  'onlineServices',
  'links',
  'calendars',
  'schedulingAddresses',
  'cryptoKeys',
  'directories',
  'media',
  'personalInfo',
]);
/** The maps whose objects have contexts and a preference. */
export const contextMaps: ReadonlySet<string> = new Set([...labeledMaps, 'nicknames', 'addresses', 'preferredLanguages', 'organizations', 'pronouns']);
