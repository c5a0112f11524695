import { capability } from './core.ts';
import { recordType } from './record.ts';

/** Mailbox (RFC 8621 §2). */
export const mailbox = recordType({
  name: 'Mailbox',
  capability: capability.mail,
  methods: ['get', 'changes', 'query', 'queryChanges', 'set'],
  properties: {
    id: { type: 'Id', immutable: true, serverSet: true },
    name: { type: 'String' },
    parentId: { type: { orNull: 'Id' }, default: null },
    role: { type: { orNull: 'String' }, default: null },
    sortOrder: { type: 'UnsignedInt', default: 0 },
    totalEmails: { type: 'UnsignedInt', serverSet: true, computed: true },
    unreadEmails: { type: 'UnsignedInt', serverSet: true, computed: true },
    totalThreads: { type: 'UnsignedInt', serverSet: true, computed: true },
    unreadThreads: { type: 'UnsignedInt', serverSet: true, computed: true },
    myRights: { type: { mapOf: 'Boolean' }, serverSet: true, computed: true },
    isSubscribed: { type: 'Boolean', perMember: true, default: true },
  },
  arguments: {
    query: { sortAsTree: { type: 'Boolean', default: false }, filterAsTree: { type: 'Boolean', default: false } },
    queryChanges: { sortAsTree: { type: 'Boolean', default: false }, filterAsTree: { type: 'Boolean', default: false } },
    set: { onDestroyRemoveEmails: { type: 'Boolean', default: false } },
  },
  filters: {
    parentId: { type: { orNull: 'Id' } },
    name: { type: 'String' },
    role: { type: { orNull: 'String' } },
    hasAnyRole: { type: 'Boolean', properties: ['role'] },
    isSubscribed: { type: 'Boolean' },
  },
  sorts: { sortOrder: {}, name: {} },
  defaultSort: [
    { property: 'sortOrder', isAscending: true },
    { property: 'name', isAscending: true },
  ],
});

/** The value of `updatedProperties` in Mailbox/changes when only counters changed (RFC 8621 §2.2). */
export const mailboxCounters = ['totalEmails', 'unreadEmails', 'totalThreads', 'unreadThreads'] as const;

/** Maximum `sortOrder` (RFC 8621 §2). */
export const maxSortOrder = 2 ** 31 - 1;

/** Roles of a Mailbox: IMAP's special-use attributes in lower case, and JMAP's own (RFC 8621 §2). */
export const mailboxRoles = [
  'all',
  'archive',
  'drafts',
  'flagged',
  'important',
  'inbox',
  'junk',
  'memos',
  'scheduled',
  'sent',
  'snoozed',
  'subscribed',
  'templates',
  'trash',
] as const;

/** Properties of a MailboxRights object (RFC 8621 §2). */
export const mailboxRights = [
  'mayReadItems',
  'mayAddItems',
  'mayRemoveItems',
  'maySetSeen',
  'maySetKeywords',
  'mayCreateChild',
  'mayRename',
  'mayDelete',
  'maySubmit',
] as const;
export type MailboxRights = { readonly [right in (typeof mailboxRights)[number]]: boolean };
