import { addressBookLimits } from './address-book.ts';
import { capability } from './core.ts';
import { recordType } from './record.ts';

/**
 * ContactCard (RFC 9610 §3): a JSContact Card (RFC 9553) with `id` and `addressBookIds`. `js-contact.ts` describes the
 * objects in its properties. The server creates a missing `uid`, and sets `created` and `updated` unless the client
 * does.
 */
export const contactCard = recordType({
  name: 'ContactCard',
  capability: capability.contacts,
  methods: ['get', 'changes', 'query', 'queryChanges', 'set', 'copy'],
  properties: {
    id: { type: 'Id', immutable: true, serverSet: true },
    addressBookIds: { type: { setOf: 'Id' } },
    '@type': { type: 'String', immutable: true, optional: true },
    version: { type: 'String', optional: true },
    uid: { type: 'String', immutable: true, optional: true },
    created: { type: 'UTCDate', removable: true },
    updated: { type: 'UTCDate', removable: true },
    kind: { type: 'String', removable: true },
    language: { type: 'String', removable: true },
    members: { type: { mapOf: 'Boolean' }, removable: true },
    prodId: { type: 'String', removable: true },
    relatedTo: { type: { mapOf: 'Object' }, removable: true },
    name: { type: 'Object', removable: true },
    nicknames: { type: { mapOf: 'Object' }, removable: true },
    organizations: { type: { mapOf: 'Object' }, removable: true },
    speakToAs: { type: 'Object', removable: true },
    titles: { type: { mapOf: 'Object' }, removable: true },
    emails: { type: { mapOf: 'Object' }, removable: true },
    onlineServices: { type: { mapOf: 'Object' }, removable: true },
    phones: { type: { mapOf: 'Object' }, removable: true },
    preferredLanguages: { type: { mapOf: 'Object' }, removable: true },
    calendars: { type: { mapOf: 'Object' }, removable: true },
    schedulingAddresses: { type: { mapOf: 'Object' }, removable: true },
    addresses: { type: { mapOf: 'Object' }, removable: true },
    cryptoKeys: { type: { mapOf: 'Object' }, removable: true },
    directories: { type: { mapOf: 'Object' }, removable: true },
    links: { type: { mapOf: 'Object' }, removable: true },
    media: { type: { mapOf: 'Object' }, removable: true },
    localizations: { type: { mapOf: 'Object' }, removable: true },
    anniversaries: { type: { mapOf: 'Object' }, removable: true },
    keywords: { type: { mapOf: 'Boolean' }, removable: true },
    notes: { type: { mapOf: 'Object' }, removable: true },
    personalInfo: { type: { mapOf: 'Object' }, removable: true },
  },
  hasOtherProperties: true,
  filters: {
    inAddressBook: { type: 'Id', properties: ['addressBookIds'] },
    uid: { type: 'String' },
    hasMember: { type: 'String', properties: ['members'] },
    kind: { type: 'String' },
    createdBefore: { type: 'UTCDate', properties: ['created'] },
    createdAfter: { type: 'UTCDate', properties: ['created'] },
    updatedBefore: { type: 'UTCDate', properties: ['updated'] },
    updatedAfter: { type: 'UTCDate', properties: ['updated'] },
    /** Any text of the card. Each change of a card may alter the results. */
    text: { type: 'String', properties: ['updated'] },
    name: { type: 'String' },
    'name/given': { type: 'String', properties: ['name'] },
    'name/surname': { type: 'String', properties: ['name'] },
    'name/surname2': { type: 'String', properties: ['name'] },
    nickname: { type: 'String', properties: ['nicknames'] },
    organization: { type: 'String', properties: ['organizations'] },
    email: { type: 'String', properties: ['emails'] },
    phone: { type: 'String', properties: ['phones'] },
    onlineService: { type: 'String', properties: ['onlineServices'] },
    address: { type: 'String', properties: ['addresses'] },
    note: { type: 'String', properties: ['notes'] },
  },
  sorts: {
    created: {},
    updated: {},
    'name/given': { properties: ['name'] },
    'name/surname': { properties: ['name'] },
    'name/surname2': { properties: ['name'] },
  },
});

/** Limits of the contacts capability of an account (RFC 9610 §1.4.1). */
export const contactsCapabilityLimits = { maxAddressBooksPerCard: addressBookLimits.maxAddressBooks } as const;

/** Limits of ContactCards for which the contacts capability has no property. */
export const contactCardLimits = {
  /** Maximum octets of a card as JSON, without its blobs. A larger card is refused with tooLarge. */
  maxSizeContactCard: 65_536,
  /** Maximum ContactCards of an account. */
  maxContactCards: 30_000,
  /** Maximum octets of all ContactCards of an account as JSON. */
  maxSizeContactCards: 30_000_000,
  /** Maximum octets of a blob in `media`, which is the maximum of an upload. */
  maxSizeMedia: 4_500_000,
  /** Maximum octets of the blobs in `media` of all ContactCards of an account. */
  maxSizeAllMedia: 1_000_000_000,
} as const;

/** Image types that the photo of a card may have (RFC 9610 §3.5). The server recognizes them by their first octets. */
export const photoTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/bmp', 'image/tiff', 'image/heic', 'image/avif'] as const;

/** Rules of the AddressBook with the people to whom the account has sent mail. */
export const recentContactRules = {
  /** Maximum ContactCards in it. The ones that were used least recently are removed. */
  maxRecentContacts: 500,
  /** Minimum hours between two changes of a ContactCard's `updated` because mail was sent to the same address. */
  hoursBetweenUpdates: 24,
} as const;
