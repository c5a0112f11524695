import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { defaultBodyProperties, type email } from '../../../contract/jmap/email.ts';
import type { AdditionalArguments, VerbArguments } from '../../../contract/jmap/record.ts';
import { emptyMessage, mergeRanges, readRawMessage, type Range, type RawMessage } from '../../../core/blobs/raw-message.ts';
import type { EmailContent, EmailRow } from '../../../core/mail/email/email-content.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { bodyLists, type BodyLists } from '../../../core/mime/body/body-lists.ts';
import type { BodyPart } from '../../../core/mime/parsed-email.ts';
import { weightGroups } from '../../../core/runtime/weight-groups.ts';
import type { Objects } from '../../../core/storage/objects.ts';
import { responseTooLarge } from '../request/api-response.ts';
import { MethodError } from '../request/jmap-errors.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';
import {
  bodyValueRange,
  emailHeaders,
  minValueLength,
  needsPartHeaders,
  parseBodyProperties,
  partWithDescendants,
  toBodyStructure,
  toEmailBodyPart,
  toEmailBodyValue,
  type PartContext,
  type PartSelection,
} from './body-parts.ts';
import { headerValue, parseHeaderProperty, type HeaderProperty } from './header-property.ts';
import { headerRange, headerReader, weightOf } from './header-reader.ts';

/** A UTCDate, which omits a fraction of zero (RFC 8620 §1.4). */
const utcDate = (milliseconds: number): string => new Date(milliseconds).toISOString().replace('.000Z', 'Z');

const setOf = (members: readonly string[]): JsonObject => Object.fromEntries(members.map((member) => [member, true]));

/** The properties of an Email that its row contains. They need no read, because rows are in memory. */
export const rowProperties: { readonly [property: string]: (row: EmailRow) => unknown } = {
  id: ({ id }) => id,
  threadId: ({ threadId }) => threadId,
  mailboxIds: ({ mailboxIds }) => setOf(mailboxIds),
  keywords: ({ keywords }) => setOf(keywords),
  size: ({ size }) => size,
  receivedAt: ({ receivedAt }) => utcDate(receivedAt),
};

type GetArguments = VerbArguments<'get', AdditionalArguments<typeof email, 'get'>>;

/**
 * Properties that the record of an Email contains. A property is null when the record does not have it (RFC 8621
 * §4.1.2, §4.1.3).
 */
const recordProperties = ['messageId', 'inReplyTo', 'references', 'sender', 'from', 'to', 'cc', 'bcc', 'replyTo', 'subject', 'sentAt'] as const;
const listProperties = ['textBody', 'htmlBody', 'attachments'] as const;

const isRecordProperty = (name: string): name is (typeof recordProperties)[number] => recordPropertySet.has(name);
const recordPropertySet: ReadonlySet<string> = new Set(recordProperties);

/** The arguments that select body parts and their values. */
type BodyArguments = Omit<GetArguments, 'accountId' | 'ids' | 'properties'>;

/** The properties and parts that a call requests, decoded for all its Emails. */
export type EmailSelection = {
  readonly properties: ReadonlySet<string>;
  readonly headers: readonly HeaderProperty[];
  readonly parts: PartSelection;
  readonly args: Omit<BodyArguments, 'bodyProperties'>;
};

/**
 * Decodes the arguments. @throws MethodError invalidArguments for a header form or body property that does not exist.
 */
export const emailSelection = (properties: ReadonlySet<string>, args: BodyArguments): EmailSelection => ({
  properties,
  headers: [...properties].filter((name) => name.startsWith('header:')).map(parseHeaderProperty),
  parts: parseBodyProperties(args.bodyProperties ?? defaultBodyProperties),
  args,
});

/** Whether a property is in the row of an Email, which is in memory and needs no read. */
export const isInRow = (property: string): boolean => Object.hasOwn(rowProperties, property);

/** A parsed message with its blob id. */
type Message = Omit<EmailContent, 'id'>;

/** The text parts whose values the `fetch…BodyValues` arguments request (RFC 8621 §4.2). */
const partsWithValues = ({ properties, args }: EmailSelection, record: Message, lists: BodyLists): readonly BodyPart[] => {
  if (!properties.has('bodyValues')) return [];
  const requested = args.fetchAllBodyValues
    ? partWithDescendants(record.bodyStructure)
    : [...(args.fetchTextBodyValues ? lists.textBody : []), ...(args.fetchHTMLBodyValues ? lists.htmlBody : [])];
  return [...new Set(requested)].filter((part) => part.range !== undefined && part.type.startsWith('text/'));
};

/** The parts that the response contains, in `bodyStructure` or in a list. */
const requestedParts = ({ properties }: EmailSelection, record: Message, lists: BodyLists): readonly BodyPart[] =>
  properties.has('bodyStructure')
    ? partWithDescendants(record.bodyStructure)
    : listProperties.filter((name) => properties.has(name)).flatMap((name) => lists[name]);

/** The ranges of the raw message that the response needs. Most calls need none. */
const rangesToRead = (selection: EmailSelection, record: Message, lists: BodyLists): readonly Range[] => [
  ...(selection.properties.has('headers') || selection.headers.length > 0 ? [headerRange(record.bodyStructure.headers)] : []),
  ...(needsPartHeaders(selection.parts) ? requestedParts(selection, record, lists).map((part) => headerRange(part.headers)) : []),
  ...partsWithValues(selection, record, lists).map((part) => bodyValueRange(part, selection.args.maxBodyValueBytes)),
];

/** The value of a property that is in the row of an Email. */
type RowValue = (property: string) => unknown;

/**
 * The Email object with the requested properties in their order, from the Email's row, its record and the raw message.
 */
const toEmail = (rowValue: RowValue, record: Message, selection: EmailSelection, lists: BodyLists, raw: RawMessage): JsonObject => {
  const readHeaders = headerReader(raw);
  const partContext: PartContext = { messageBlobId: record.blobId, selection: selection.parts, readHeaders };
  const value = (property: string): unknown => {
    if (isInRow(property)) return rowValue(property);
    if (isRecordProperty(property)) return record[property] ?? null;
    const list = listProperties.find((name) => name === property);
    if (list) return lists[list].map((part) => toEmailBodyPart(part, partContext));
    switch (property) {
      case 'blobId':
        return record.blobId;
      case 'preview':
        return record.preview;
      case 'hasAttachment':
        return record.hasAttachment;
      case 'headers':
        return emailHeaders(readHeaders(record.bodyStructure.headers));
      case 'bodyStructure':
        return toBodyStructure(record.bodyStructure, partContext);
      case 'bodyValues':
        return Object.fromEntries(
          partsWithValues(selection, record, lists).map((part) => [part.partId!, toEmailBodyValue(part, raw, selection.args.maxBodyValueBytes)]),
        );
      default:
        return headerValue(
          selection.headers.find((header) => header.property === property)!,
          readHeaders(record.bodyStructure.headers),
        );
    }
  };
  const email: { [property: string]: unknown } = {};
  for (const property of selection.properties) email[property] = value(property);
  return email;
};

const valuesOfRecord = [...recordProperties, 'blobId', 'preview', 'hasAttachment', ...listProperties] as const;
const defaultParts = parseBodyProperties(defaultBodyProperties);

/** The record's properties that Email/get returns by default, for an Email without a row. */
export const contentValues = (record: EmailContent): JsonObject => {
  const args = { fetchTextBodyValues: false, fetchHTMLBodyValues: false, fetchAllBodyValues: false, maxBodyValueBytes: 0 };
  const selection: EmailSelection = { properties: new Set(valuesOfRecord), headers: [], parts: defaultParts, args };
  return toEmail(() => null, record, selection, bodyLists(record.bodyStructure), emptyMessage);
};

/** Whether the body lists are needed. Most calls request no body properties. */
const needsLists = ({ properties }: EmailSelection): boolean => properties.has('bodyValues') || listProperties.some((name) => properties.has(name));
const noLists: BodyLists = { textBody: [], htmlBody: [], attachments: [] };

/**
 * The Email object for a message that is no Email of the account (RFC 8621 §4.9). Its `size` is the message's size; the
 * other properties of a row are null.
 * @throws MethodError requestTooLarge when its body values do not fit into the response.
 */
export const messageAsEmail = (octets: Buffer, message: Message, selection: EmailSelection, responseRoom: RequestContext['responseRoom']): JsonObject => {
  const { lists, minLength } = planMessage(message, selection);
  if (minLength > responseRoom.octets) throw responseTooLarge();
  const raw: RawMessage = { bytes: ({ start, end }) => octets.subarray(start, end) };
  return toEmail((property) => (property === 'size' ? octets.length : null), message, selection, lists, raw);
};

/** An Email to read. */
type PlannedEmail = {
  readonly row: EmailRow;
  readonly record: EmailContent;
  readonly lists: BodyLists;
  /** The ranges of the raw message that the response needs. */
  readonly ranges: readonly Range[];
  /** Minimum characters of the Email's body values. */
  readonly minLength: number;
};

const planMessage = (message: Message, selection: EmailSelection): Pick<PlannedEmail, 'lists' | 'minLength'> => {
  const lists = needsLists(selection) ? bodyLists(message.bodyStructure) : noLists;
  const values = partsWithValues(selection, message, lists);
  return { lists, minLength: values.reduce((sum, part) => sum + minValueLength(part, selection.args.maxBodyValueBytes), 0) };
};

const planEmail = (row: EmailRow, record: EmailContent, selection: EmailSelection): PlannedEmail => {
  const { lists, minLength } = planMessage(record, selection);
  return { row, record, lists, ranges: mergeRanges(rangesToRead(selection, record, lists)), minLength };
};

/**
 * Counts the reads.
 * @throws MethodError requestTooLarge when the response or the reads of the request would be too large.
 */
const weighReads = (emails: readonly PlannedEmail[], { budget, responseRoom }: RequestContext): void => {
  if (emails.reduce((sum, { minLength }) => sum + minLength, 0) > responseRoom.octets) throw responseTooLarge();
  if (
    budget.spend(
      'maxRawOctetsInRequest',
      emails.reduce((sum, { ranges }) => sum + weightOf(ranges), 0),
    )
  )
    return;
  const { maxRawOctetsInRequest } = unadvertisedLimits;
  throw new MethodError(
    'requestTooLarge',
    `A request may read ${maxRawOctetsInRequest} octets of raw messages (maxRawOctetsInRequest). Request fewer Emails, or set maxBodyValueBytes.`,
  );
};

/**
 * Builds an Email object, from the necessary ranges of the raw message. After a restore to a time before an erasure, an
 * Email has no raw message: its header fields are empty, and its body values are empty and truncated.
 */
const readEmail = async (
  { row, record, lists, ranges }: PlannedEmail,
  selection: EmailSelection,
  objects: Pick<Objects, 'get'>,
  accountId: string,
): Promise<JsonObject> => {
  const raw = (await readRawMessage(objects, accountId, record, ranges)) ?? emptyMessage;
  return toEmail((property) => rowProperties[property]!(row), record, selection, lists, raw);
};

/**
 * Reads Emails with these properties (RFC 8621 §4.2). Properties of the row need no read, properties of the record need
 * one batch, and the raw message is read only for header fields and body values. Reads of raw messages are counted
 * before the first one. They end when the Emails do not fit into the response.
 * @throws MethodError requestTooLarge
 */
export const readEmails = async (
  ids: readonly string[],
  properties: ReadonlySet<string>,
  args: GetArguments,
  account: OpenAccount,
  context: RequestContext,
) => {
  const { view, accountId } = account;
  const rows = ids.map((id) => emailsOf(view).get(id)!);
  if ([...properties].every(isInRow)) {
    return rows.map((row) => Object.fromEntries([...properties].map((property) => [property, rowProperties[property]!(row)])));
  }
  const selection = emailSelection(properties, args);
  const { store, objects } = context.dependencies;
  const records = await store.emailContents(accountId, ids);
  const emails = rows.flatMap((row) => {
    const record = records.get(row.id);
    return record ? [planEmail(row, record, selection)] : [];
  });
  weighReads(emails, context);
  const list: JsonObject[] = [];
  let octets = 0;
  for (const group of weightGroups(emails, ({ ranges }) => weightOf(ranges))) {
    const read = await Promise.all(group.map((email) => readEmail(email, selection, objects, accountId)));
    if (group.some(({ ranges }) => ranges.length > 0)) octets += JSON.stringify(read).length;
    if (octets > context.responseRoom.octets) throw responseTooLarge();
    list.push(...read);
  }
  return list;
};
