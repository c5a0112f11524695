import { capability } from './core.ts';
import { recordType } from './record.ts';

/** AddressBook (RFC 9610 §2). Nobody shares an AddressBook with single people: members of an account see all of them. */
export const addressBook = recordType({
  name: 'AddressBook',
  capability: capability.contacts,
  methods: ['get', 'changes', 'set'],
  properties: {
    id: { type: 'Id', immutable: true, serverSet: true },
    name: { type: 'String' },
    description: { type: { orNull: 'String' }, default: null },
    sortOrder: { type: 'UnsignedInt', default: 0 },
    isDefault: { type: 'Boolean', serverSet: true },
    isSubscribed: { type: 'Boolean', perMember: true, default: true },
    shareWith: { type: { orNull: { mapOf: 'Object' } }, default: null, computed: true },
    myRights: { type: { mapOf: 'Boolean' }, serverSet: true, computed: true },
  },
  arguments: { set: { onDestroyRemoveContents: { type: 'Boolean', default: false }, onSuccessSetIsDefault: { type: { orNull: 'IdOrCreationId' } } } },
});

/**
 * The id of the AddressBook that every account has. It is the default AddressBook until another one is set as default.
 * No method destroys it.
 */
export const defaultAddressBookId = 'default';

/** The id of the AddressBook with the people to whom the account has sent mail. The first of them creates it. */
export const recentAddressBookId = 'recent';

/** The names of the AddressBooks that the server creates. A client may change them. */
export const serverAddressBookNames = { [defaultAddressBookId]: 'Contacts', [recentAddressBookId]: 'Recent' } as const;

/** Limits of AddressBooks for which the contacts capability has no property. */
export const addressBookLimits = {
  /** Maximum AddressBooks of an account. */
  maxAddressBooks: 100,
  /** Maximum octets of a name in UTF-8 (RFC 9610 §2). */
  maxSizeName: 255,
  /** Maximum octets of a description in UTF-8. */
  maxSizeDescription: 4096,
  /** Maximum `sortOrder` (RFC 9610 §2). */
  maxSortOrder: 2 ** 31 - 1,
} as const;
