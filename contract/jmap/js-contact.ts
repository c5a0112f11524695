import type { DataType } from './data-type.ts';

/** The type of a property in a JSContact object: a JMAP type, an object of JSContact, or a map or list of objects. */
export type JsContactType =
  | DataType
  /** An object of one of these types. `@type` says which; the first one is the default. */
  | { readonly objects: readonly JsContactObjectName[] }
  /** A map from Ids (RFC 9553 §1.4.1) to objects. */
  | { readonly objectsById: JsContactObjectName }
  /** A map from other texts, such as uids, to objects. */
  | { readonly objectsByText: JsContactObjectName }
  | { readonly objectList: JsContactObjectName }
  /** A set of texts: each value is true. */
  | 'Set'
  /** A preference, from 1 to 100 (RFC 9553 §1.5.3). */
  | 'Preference'
  /** A number of at least 1, as in `listAs`. */
  | 'Position';

/** An object of JSContact. Unknown properties are kept. */
type JsContactObject = {
  readonly properties: { readonly [name: string]: JsContactType };
  /** Properties that an object must have. */
  readonly required?: readonly string[];
  /** Properties of which an object must have at least one. */
  readonly anyOf?: readonly string[];
};

const common = { contexts: 'Set', pref: 'Preference', label: 'String' } as const;
const resource = { kind: 'String', uri: 'String', mediaType: 'String', ...common } as const;
const component = { properties: { value: 'String', kind: 'String', phonetic: 'String' }, required: ['value', 'kind'] } as const;

/** The objects of JSContact by name, as the value of `@type` (RFC 9553 §2). */
export const jsContactObjects = {
  Address: {
    properties: {
      components: { objectList: 'AddressComponent' },
      isOrdered: 'Boolean',
      countryCode: 'String',
      coordinates: 'String',
      timeZone: 'String',
      contexts: 'Set',
      full: 'String',
      defaultSeparator: 'String',
      pref: 'Preference',
      phoneticScript: 'String',
      phoneticSystem: 'String',
    },
  },
  AddressComponent: component,
  Anniversary: { properties: { kind: 'String', date: { objects: ['PartialDate', 'Timestamp'] }, place: { objects: ['Address'] } }, required: ['kind', 'date'] },
  Author: { properties: { name: 'String', uri: 'String' }, anyOf: ['name', 'uri'] },
  Calendar: { properties: resource, required: ['kind', 'uri'] },
  CryptoKey: { properties: resource, required: ['uri'] },
  Directory: { properties: { ...resource, listAs: 'Position' }, required: ['kind', 'uri'] },
  EmailAddress: { properties: { address: 'String', ...common }, required: ['address'] },
  LanguagePref: { properties: { language: 'String', contexts: 'Set', pref: 'Preference' }, required: ['language'] },
  Link: { properties: resource, required: ['uri'] },
  /** `blobId` is a property of JMAP (RFC 9610 §3). */
  Media: { properties: { ...resource, blobId: 'Id' }, required: ['kind'], anyOf: ['uri', 'blobId'] },
  Name: {
    properties: {
      components: { objectList: 'NameComponent' },
      isOrdered: 'Boolean',
      defaultSeparator: 'String',
      full: 'String',
      sortAs: { mapOf: 'String' },
      phoneticScript: 'String',
      phoneticSystem: 'String',
    },
    anyOf: ['components', 'full'],
  },
  NameComponent: component,
  Nickname: { properties: { name: 'String', contexts: 'Set', pref: 'Preference' }, required: ['name'] },
  Note: { properties: { note: 'String', created: 'UTCDate', author: { objects: ['Author'] } }, required: ['note'] },
  OnlineService: { properties: { service: 'String', uri: 'String', user: 'String', ...common }, anyOf: ['uri', 'user'] },
  Organization: { properties: { name: 'String', units: { objectList: 'OrgUnit' }, sortAs: 'String', contexts: 'Set' }, anyOf: ['name', 'units'] },
  OrgUnit: { properties: { name: 'String', sortAs: 'String' }, required: ['name'] },
  PartialDate: { properties: { year: 'UnsignedInt', month: 'Position', day: 'Position', calendarScale: 'String' }, anyOf: ['year', 'month'] },
  PersonalInfo: { properties: { kind: 'String', value: 'String', level: 'String', listAs: 'Position', label: 'String' }, required: ['kind', 'value'] },
  Phone: { properties: { number: 'String', features: 'Set', ...common }, required: ['number'] },
  Pronouns: { properties: { pronouns: 'String', contexts: 'Set', pref: 'Preference' }, required: ['pronouns'] },
  Relation: { properties: { relation: 'Set' } },
  SchedulingAddress: { properties: { uri: 'String', ...common }, required: ['uri'] },
  SpeakToAs: { properties: { grammaticalGender: 'String', pronouns: { objectsById: 'Pronouns' } }, anyOf: ['grammaticalGender', 'pronouns'] },
  Timestamp: { properties: { utc: 'UTCDate' }, required: ['utc'] },
  Title: { properties: { name: 'String', kind: 'String', organizationId: 'Id' }, required: ['name'] },
} as const satisfies {
  readonly [name: string]: {
    readonly properties: { readonly [name: string]: unknown };
    readonly required?: readonly string[];
    readonly anyOf?: readonly string[];
  };
};

export type JsContactObjectName = keyof typeof jsContactObjects;

/** The properties of a Card that have objects, by name. `contact-card.ts` describes all properties. */
export const cardObjects = {
  relatedTo: { objectsByText: 'Relation' },
  name: { objects: ['Name'] },
  nicknames: { objectsById: 'Nickname' },
  organizations: { objectsById: 'Organization' },
  speakToAs: { objects: ['SpeakToAs'] },
  titles: { objectsById: 'Title' },
  emails: { objectsById: 'EmailAddress' },
  onlineServices: { objectsById: 'OnlineService' },
  phones: { objectsById: 'Phone' },
  preferredLanguages: { objectsById: 'LanguagePref' },
  calendars: { objectsById: 'Calendar' },
  schedulingAddresses: { objectsById: 'SchedulingAddress' },
  addresses: { objectsById: 'Address' },
  cryptoKeys: { objectsById: 'CryptoKey' },
  directories: { objectsById: 'Directory' },
  links: { objectsById: 'Link' },
  media: { objectsById: 'Media' },
  anniversaries: { objectsById: 'Anniversary' },
  notes: { objectsById: 'Note' },
  personalInfo: { objectsById: 'PersonalInfo' },
  keywords: 'Set',
  members: 'Set',
} as const;

/** The objects of JSContact with the types of their properties. */
export const jsContactObject = (name: JsContactObjectName): JsContactObject => jsContactObjects[name];

/** The values of `@type` and `version` of a Card (RFC 9553 §2.1.1, §2.1.2). */
export const cardType = 'Card';
export const cardVersion = '1.0';
