import { capability } from './core.ts';
import { recordType, type CustomMethod, type RecordType, type Arguments, type FilterConditionType, type Property } from './record.ts';

const messageIds = { type: { orNull: { list: 'String' } }, immutable: true, default: null } as const satisfies Property;
const addresses = { type: { orNull: { list: 'Object' } }, immutable: true, default: null } as const satisfies Property;
const parts = { type: { list: 'Object' }, immutable: true, optional: true } as const satisfies Property;
const keywordOfThread = { type: 'String', properties: ['keywords'], ofThread: true } as const satisfies FilterConditionType;
/** The argument of sorts by a keyword (RFC 8621 §4.4.2). */
const keywordArgument = { keyword: { type: 'String' } } as const satisfies Arguments;

/** Email/import (RFC 8621 §4.8). Each value of `emails` is an {@link emailImport}. */
export const emailImportMethod = {
  name: 'Email/import',
  capability: capability.mail,
  permission: 'MAIL_WRITE',
  arguments: { accountId: { type: 'Id' }, ifInState: { type: { orNull: 'String' } }, emails: { type: { mapOf: 'Object' } } },
} as const satisfies CustomMethod;

/** Arguments of Email/get and Email/parse that select parts of a message for the response (RFC 8621 §4.2). */
const bodyArguments = {
  bodyProperties: { type: { orNull: { list: 'String' } } },
  fetchTextBodyValues: { type: 'Boolean', default: false },
  fetchHTMLBodyValues: { type: 'Boolean', default: false },
  fetchAllBodyValues: { type: 'Boolean', default: false },
  maxBodyValueBytes: { type: 'UnsignedInt', default: 0 },
} as const satisfies Arguments;

/** Email/parse (RFC 8621 §4.9). */
export const emailParseMethod = {
  name: 'Email/parse',
  capability: capability.mail,
  permission: 'MAIL_READ',
  arguments: { accountId: { type: 'Id' }, blobIds: { type: { list: 'Id' } }, properties: { type: { orNull: { list: 'String' } } }, ...bodyArguments },
} as const satisfies CustomMethod;

/** The default of the argument `properties` of Email/parse (RFC 8621 §4.9). */
export const defaultParseProperties = [
  'messageId',
  'inReplyTo',
  'references',
  'sender',
  'from',
  'to',
  'cc',
  'bcc',
  'replyTo',
  'subject',
  'sentAt',
  'hasAttachment',
  'preview',
  'bodyValues',
  'textBody',
  'htmlBody',
  'attachments',
] as const;

/** Email (RFC 8621 §4). */
export const email = recordType({
  name: 'Email',
  capability: capability.mail,
  methods: ['get', 'changes', 'query', 'queryChanges', 'set', 'copy', emailImportMethod, emailParseMethod],
  properties: {
    id: { type: 'Id', immutable: true, serverSet: true },
    blobId: { type: 'Id', immutable: true, serverSet: true },
    threadId: { type: 'Id', immutable: true, serverSet: true },
    mailboxIds: { type: { setOf: 'Id' } },
    keywords: { type: { setOf: 'Keyword' }, default: {} },
    size: { type: 'UnsignedInt', immutable: true, serverSet: true },
    receivedAt: { type: 'UTCDate', immutable: true, optional: true },
    headers: { type: { list: 'Object' }, immutable: true, serverSet: true, onRequest: true },
    messageId: messageIds,
    inReplyTo: messageIds,
    references: messageIds,
    sender: addresses,
    from: addresses,
    to: addresses,
    cc: addresses,
    bcc: addresses,
    replyTo: addresses,
    subject: { type: { orNull: 'String' }, immutable: true, default: null },
    sentAt: { type: { orNull: 'Date' }, immutable: true, default: null },
    bodyStructure: { type: 'Object', immutable: true, optional: true, onRequest: true },
    bodyValues: { type: { mapOf: 'Object' }, immutable: true, optional: true },
    textBody: parts,
    htmlBody: parts,
    attachments: parts,
    hasAttachment: { type: 'Boolean', immutable: true, serverSet: true },
    preview: { type: 'String', immutable: true, serverSet: true },
  },
  setByCopy: ['mailboxIds', 'keywords', 'receivedAt'],
  propertyPrefix: 'header:',
  arguments: {
    get: bodyArguments,
    query: { collapseThreads: { type: 'Boolean', default: false } },
    queryChanges: { collapseThreads: { type: 'Boolean', default: false } },
  },
  filters: {
    inMailbox: { type: 'Id', properties: ['mailboxIds'] },
    inMailboxOtherThan: { type: { list: 'Id' }, properties: ['mailboxIds'] },
    before: { type: 'UTCDate', properties: ['receivedAt'] },
    after: { type: 'UTCDate', properties: ['receivedAt'] },
    minSize: { type: 'UnsignedInt', properties: ['size'] },
    maxSize: { type: 'UnsignedInt', properties: ['size'] },
    hasKeyword: { type: 'String', properties: ['keywords'] },
    notKeyword: { type: 'String', properties: ['keywords'] },
    allInThreadHaveKeyword: keywordOfThread,
    someInThreadHaveKeyword: keywordOfThread,
    noneInThreadHaveKeyword: keywordOfThread,
    hasAttachment: { type: 'Boolean' },
    text: { type: 'String', properties: ['from', 'to', 'cc', 'bcc', 'subject', 'bodyValues', 'attachments'] },
    from: { type: 'String' },
    to: { type: 'String' },
    cc: { type: 'String' },
    bcc: { type: 'String' },
    subject: { type: 'String' },
    body: { type: 'String', properties: ['bodyValues'] },
    header: { type: { list: 'String' }, properties: ['headers'] },
  },
  sorts: {
    receivedAt: {},
    sentAt: {},
    size: {},
    from: {},
    to: {},
    subject: {},
    hasKeyword: { properties: ['keywords'], arguments: keywordArgument },
    allInThreadHaveKeyword: { properties: ['keywords'], ofThread: true, arguments: keywordArgument },
    someInThreadHaveKeyword: { properties: ['keywords'], ofThread: true, arguments: keywordArgument },
  },
  defaultSort: [{ property: 'receivedAt', isAscending: false }],
});

/**
 * An EmailImport object (RFC 8621 §4.8). The default of `receivedAt` is the date of the newest Received field, or the
 * current time.
 */
export const emailImport = {
  properties: {
    blobId: { type: 'Id' },
    mailboxIds: email.properties.mailboxIds,
    keywords: email.properties.keywords,
    receivedAt: { type: { orNull: 'UTCDate' }, default: null },
  },
} as const satisfies Pick<RecordType, 'properties'>;

/** Properties of an EmailBodyPart, except the `header:…` properties (RFC 8621 §4.1.4). */
export const bodyPartProperties = [
  'partId',
  'blobId',
  'size',
  'headers',
  'name',
  'type',
  'charset',
  'disposition',
  'cid',
  'language',
  'location',
  'subParts',
] as const;
export type BodyPartProperty = (typeof bodyPartProperties)[number];

/** The default of the argument `bodyProperties` (RFC 8621 §4.2). */
export const defaultBodyProperties: readonly BodyPartProperty[] = [
  'partId',
  'blobId',
  'size',
  'name',
  'type',
  'charset',
  'disposition',
  'cid',
  'language',
  'location',
];
