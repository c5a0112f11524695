import { quotedIfNeeded } from '../../../contract/values/mail-address.ts';
import { composeField, UnwritableValue, type HeaderValue } from '../../mime/compose/compose-header-field.ts';
import { composeContentField } from '../../mime/compose/compose-parameters.ts';
import { parseContentField } from '../../mime/content-type.ts';
import { parseHeaderFields, type HeaderField } from '../../mime/header-fields.ts';
import { asAddresses, asGroupedAddresses, asText } from '../../mime/header-forms.ts';
import { maxLineOctets } from '../../mime/lines.ts';
import { parseLimits } from '../../mime/parse-limits.ts';
import { parseSmtpAddress } from './smtp-address.ts';

/** Thrown for a message that cannot be sent. The error message is meant for the person who sends it. */
export class UnsendableMessage extends Error {
  override readonly name = 'UnsendableMessage';
  /** The invalid properties of the Email, for the SetError (RFC 8621 §7.5, invalidEmail). */
  readonly properties: readonly string[];
  constructor(message: string, properties: readonly string[]) {
    super(message);
    this.properties = properties;
  }
}

/** Fields that are removed because they must not leave the account, or because SES interprets or writes them itself. */
const removedFields = new Set(['bcc', 'resent-bcc', 'return-path', 'bounces-to', 'errors-to', 'dkim-signature', 'domainkey-signature']);
const removedPrefixes = ['x-ses-', 'x-postrider-'];

const isRemoved = (name: string): boolean => removedFields.has(name) || removedPrefixes.some((prefix) => name.startsWith(prefix));

/** Fields that SES accepts at most once (Amazon SES Developer Guide, "Amazon SES header fields"). */
const onceOnly = new Set([
  'accept-language',
  'acceptlanguage',
  'archived-at',
  'auto-submitted',
  'comments',
  'content-alternative',
  'content-base',
  'content-class',
  'content-description',
  'content-disposition',
  'content-duration',
  'content-id',
  'content-language',
  'content-length',
  'content-location',
  'content-md5',
  'content-transfer-encoding',
  'content-type',
  'date',
  'delivered-to',
  'disposition-notification-options',
  'disposition-notification-to',
  'from',
  'importance',
  'in-reply-to',
  'keywords',
  'list-archive',
  'list-help',
  'list-id',
  'list-owner',
  'list-post',
  'list-subscribe',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'message-context',
  'message-id',
  'mime-version',
  'organization',
  'original-from',
  'original-message-id',
  'original-recipient',
  'original-subject',
  'precedence',
  'priority',
  'references',
  'reply-to',
  'return-receipt-to',
  'sender',
  'solicitation',
  'sensitivity',
  'subject',
  'thread-index',
  'thread-topic',
  'user-agent',
  'vbr-info',
]);

const propertyNames = new Map(
  Object.entries({
    from: 'from',
    sender: 'sender',
    to: 'to',
    cc: 'cc',
    bcc: 'bcc',
    'reply-to': 'replyTo',
    subject: 'subject',
    date: 'sentAt',
    'message-id': 'messageId',
    'in-reply-to': 'inReplyTo',
    references: 'references',
    'content-type': 'bodyStructure',
    'content-transfer-encoding': 'bodyStructure',
    'content-disposition': 'bodyStructure',
  }),
);

/** The property of the Email that contains a header field (RFC 8621 §4.1). */
const propertyOfField = (name: string): string => propertyNames.get(name.toLowerCase()) ?? `header:${name}`;

const addressFields = new Set(['from', 'sender', 'reply-to', 'to', 'cc', 'resent-from', 'resent-sender', 'resent-to', 'resent-cc']);
/** The fields that tell recipients who wrote a message. */
const authorFields = new Set(['from', 'sender']);
const parameterFields = new Set(['content-type', 'content-disposition']);

/**
 * The value with CRLF and a blank at its folds and without blank lines, because a relay could take a blank line, or one
 * that is not folded, for the end of the header.
 */
const foldedValue = (value: Buffer): string =>
  value
    .toString('latin1')
    .replaceAll('\0', '')
    .split(/\r?\n/)
    .map((line) => line.replaceAll('\r', ' '))
    .filter((line, index) => index === 0 || line.trim() !== '')
    .map((line, index) => (index === 0 || /^[ \t]/.test(line) ? line : ` ${line}`))
    .join('\r\n');

const fitsLines = (text: string): boolean => text.split('\r\n').every((line) => line.length <= maxLineOctets);

const isPlain = (folded: string): boolean => !/[^\t\r\n\x20-\x7e]/.test(folded);

/** Whether the field may be sent unchanged: in ASCII, and in lines of at most 998 octets. */
const isSendable = (name: string, folded: string): boolean => isPlain(folded) && fitsLines(`${name}:${folded}`);

/** An address that all parsers read the same way (RFC 5322 §3.2.3), alone or in angle brackets after a name. */
const atom = "[\\w!#$%&'*+/=?^`{|}~-]+";
const plainAuthor = new RegExp(`^\\s*(?:${atom}(?:\\.${atom})*@[\\w.-]+|(?:(?:${atom}\\s+)+|"[^"\\\\]*"\\s*)?<${atom}(?:\\.${atom})*@[\\w.-]+>)\\s*$`);
const special = /[()<>[\]:;@\\,."]/;

/**
 * Whether all parsers read the same author from the field. Some decode encoded words before they look for addresses.
 */
const isUnambiguous = (field: HeaderField, folded: string): boolean =>
  plainAuthor.test(folded) && (!folded.includes('=?') || asAddresses(field).every(({ name }) => !special.test(name ?? '')));

/** The address in ASCII. @throws UnsendableMessage for an address whose local part is not ASCII. */
const wireAddress = (field: string, email: string): string => {
  const quoted = quotedIfNeeded(email);
  if (/^[\x20-\x7e]*$/.test(email)) return quoted;
  const parsed = parseSmtpAddress(quoted);
  if ('address' in parsed) return parsed.address;
  throw new UnsendableMessage(`The field ${field} has an address that cannot be sent: ${parsed.reason}.`, [propertyOfField(field)]);
};

/**
 * The field in a form that can be composed again: text beyond ASCII becomes encoded words, long lines are folded at
 * blanks.
 */
const headerValue = (lowerName: string, field: HeaderField, folded: string): HeaderValue => {
  if (!addressFields.has(lowerName)) {
    return isPlain(folded) ? { form: 'asRaw', value: folded } : { form: 'asText', value: asText(field).replaceAll(/\p{Cc}/gu, ' ') };
  }
  const wireAddresses = (addresses: readonly { readonly name: string | null; readonly email: string }[]) =>
    addresses.map(({ name, email }) => ({ name, email: wireAddress(field.name, email) }));
  // A group has a name, which some parsers read as the author's.
  if (authorFields.has(lowerName)) return { form: 'asAddresses', value: wireAddresses(asAddresses(field)) };
  const value = asGroupedAddresses(field).map(({ name, addresses }) => ({ name, addresses: wireAddresses(addresses) }));
  return { form: 'asGroupedAddresses', value };
};

/** The Content-Type or Content-Disposition with short lines. @throws UnwritableValue */
const parameterField = (field: HeaderField): string => {
  const { value, parameters } = parseContentField(field)!;
  const { text } = composeContentField(field.name, value.replaceAll(/[^\x21-\x7e]/g, ''), parameters);
  if (!fitsLines(text)) throw new UnwritableValue('a word is too long for a line of a message');
  return text;
};

/** The field with encoded words and short lines; undefined when it has no content. @throws UnsendableMessage */
const rewrittenField = (field: HeaderField, folded: string): string | undefined => {
  const lowerName = field.name.toLowerCase();
  try {
    return parameterFields.has(lowerName) ? parameterField(field) : composeField(field.name, headerValue(lowerName, field, folded))?.text;
  } catch (error) {
    if (!(error instanceof UnwritableValue)) throw error;
    throw new UnsendableMessage(`The field ${field.name} cannot be sent: ${error.message}.`, [propertyOfField(field.name)]);
  }
};

const wireField = (field: HeaderField): string | undefined => {
  const folded = foldedValue(field.value);
  const isAsItIs = isSendable(field.name, folded) && (!authorFields.has(field.name.toLowerCase()) || isUnambiguous(field, folded));
  return isAsItIs ? `${field.name}:${folded}` : rewrittenField(field, folded);
};

/**
 * The header fields in the form in which they are sent. @param additional fields by lower-case name, which replace
 * those of the message.
 */
const wireFields = (fields: readonly HeaderField[], additional: ReadonlyMap<string, string>): string =>
  [...fields.filter(({ name }) => !additional.has(name.toLowerCase())).flatMap((field) => wireField(field) ?? []), ...additional.values()]
    .map((text) => `${text}\r\n`)
    .join('');

/** Parses the whole header block. @throws UnsendableMessage when it exceeds the limits of the parser. */
const parseWhole = (block: Buffer): readonly HeaderField[] => {
  const fields = block.length <= parseLimits.headerBlock ? parseHeaderFields(block) : [];
  if (block.length > parseLimits.headerBlock || fields.length >= parseLimits.headerFields) {
    throw new UnsendableMessage('The header of the message is too large to be sent.', ['headers']);
  }
  return fields;
};

/** Fields that replace those of the same name, by their name in lower case. */
export type ReplacedFields = ReadonlyMap<string, string>;

/** The header of a part, or of a message within a message. */
export const wirePartHeader = (block: Buffer, replaced: ReplacedFields): Buffer => Buffer.from(wireFields(parseWhole(block), replaced), 'latin1');

/** Values for the mandatory fields of a sent message, used when the message lacks them. */
export type RequiredFields = {
  /** The Message-ID without angle brackets. */
  readonly messageId: string;
  readonly date: Date;
};

/**
 * Checks for repeated fields. @throws UnsendableMessage with all properties whose fields are repeated though SES
 * accepts them only once.
 */
const checkRepeatedFields = (fields: readonly HeaderField[]): void => {
  const names = fields.map(({ name }) => name.toLowerCase()).filter((name) => onceOnly.has(name));
  const repeated = [...new Set(names.filter((name, index) => names.indexOf(name) < index))];
  if (repeated.length === 0) return;
  const properties = [...new Set(repeated.map(propertyOfField))];
  throw new UnsendableMessage(`The message has more than one field of each of these names: ${repeated.join(', ')}.`, properties);
};

/**
 * The header of a message in the form in which it is sent: without Bcc and the fields that SES interprets; with Date,
 * Message-ID and MIME-Version; in ASCII, with lines of at most 998 octets.
 * @throws UnsendableMessage
 */
export const wireMessageHeader = (block: Buffer, { messageId, date }: RequiredFields, replaced: ReplacedFields): Buffer => {
  const fields = parseWhole(block).filter(({ name }) => !isRemoved(name.toLowerCase()));
  checkRepeatedFields(fields);
  const has = (name: string) => fields.some((field) => field.name.toLowerCase() === name);
  const additional = new Map(replaced);
  if (!has('date')) additional.set('date', composeField('Date', { form: 'asDate', value: date.toISOString() })!.text);
  if (!has('message-id')) additional.set('message-id', `Message-ID: <${messageId}>`);
  if (!has('mime-version')) additional.set('mime-version', 'MIME-Version: 1.0');
  return Buffer.from(wireFields(fields, additional), 'latin1');
};
