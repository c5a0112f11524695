import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { bodyPartProperties, type BodyPartProperty } from '../../../contract/jmap/email.ts';
import { entriesOf } from '../../../contract/values/typed-entries.ts';
import type { Range, RawMessage } from '../../../core/blobs/raw-message.ts';
import { partBlobId } from '../../../core/mail/email/blob-id.ts';
import { bodyValue, type EmailBodyValue } from '../../../core/mime/body/body-value.ts';
import type { HeaderField } from '../../../core/mime/header-fields.ts';
import { asRaw } from '../../../core/mime/header-forms.ts';
import type { BodyPart } from '../../../core/mime/parsed-email.ts';
import { MethodError } from '../request/jmap-errors.ts';
import { checkPropertyCount } from '../request/standard-get.ts';
import { headerValue, parseHeaderProperty, type HeaderProperty } from './header-property.ts';

/** The requested properties of body parts: named properties, and header fields. */
export type PartSelection = { readonly properties: ReadonlySet<BodyPartProperty>; readonly headers: readonly HeaderProperty[] };

/** Decodes the argument `bodyProperties`. @throws MethodError invalidArguments for an unknown property or too many. */
export const parseBodyProperties = (names: readonly string[]): PartSelection => {
  checkPropertyCount('bodyProperties', names);
  const isNamedProperty = (name: string): name is BodyPartProperty => (bodyPartProperties as readonly string[]).includes(name);
  const others = names.filter((name) => !isNamedProperty(name));
  const unknown = others.find((name) => !name.startsWith('header:'));
  if (unknown !== undefined) {
    throw new MethodError('invalidArguments', `"bodyProperties" names ${JSON.stringify(unknown)}, which is not a property of EmailBodyPart.`);
  }
  return { properties: new Set(names.filter(isNamedProperty)), headers: others.map(parseHeaderProperty) };
};

/** Whether the requested properties need the part's header block. */
export const needsPartHeaders = ({ properties, headers }: PartSelection): boolean => properties.has('headers') || headers.length > 0;

/** Header fields as EmailHeader objects with raw values (RFC 8621 §4.1.3). */
export const emailHeaders = (fields: readonly HeaderField[]): readonly JsonObject[] => fields.map((field) => ({ name: field.name, value: asRaw(field) }));

/** The blob id of the message, and the requested properties of its parts. */
export type PartContext = { readonly messageBlobId: string; readonly selection: PartSelection; readonly readHeaders: (range: Range) => readonly HeaderField[] };

/** A part as an EmailBodyPart (RFC 8621 §4.1.4). Its subParts, if requested, are null. */
export const toEmailBodyPart = (part: BodyPart, { messageBlobId, selection, readHeaders }: PartContext): JsonObject => {
  const all: { readonly [P in BodyPartProperty]: () => unknown } = {
    partId: () => part.partId ?? null,
    blobId: () => partBlobId(messageBlobId, part) ?? null,
    size: () => part.size,
    headers: () => emailHeaders(readHeaders(part.headers)),
    name: () => part.name ?? null,
    type: () => part.type,
    charset: () => part.charset ?? null,
    disposition: () => part.disposition ?? null,
    cid: () => part.cid ?? null,
    language: () => part.language ?? null,
    location: () => part.location ?? null,
    subParts: () => null,
  };
  const named = entriesOf(all).filter(([name]) => selection.properties.has(name));
  return Object.fromEntries([
    ...named.map(([name, read]) => [name, read()] as const),
    ...selection.headers.map((header) => [header.property, headerValue(header, readHeaders(part.headers))] as const),
  ]);
};

/** The property `bodyStructure` (RFC 8621 §4.1.4). Multiparts always have `subParts`. */
export const toBodyStructure = (part: BodyPart, context: PartContext): JsonObject => {
  const bodyPart = toEmailBodyPart(part, context);
  return part.subParts ? { ...bodyPart, subParts: part.subParts.map((child) => toBodyStructure(child, context)) } : bodyPart;
};

/** The part and all its descendants. */
export const partWithDescendants = (part: BodyPart): readonly BodyPart[] => [part, ...(part.subParts ?? []).flatMap(partWithDescendants)];

/** Maximum octets of a value in UTF-8: `maxBodyValueBytes` (0: unlimited), but at most maxSizeBodyValue. */
const maxOctets = (maxBodyValueBytes: number): number =>
  Math.min(maxBodyValueBytes || unadvertisedLimits.maxSizeBodyValue, unadvertisedLimits.maxSizeBodyValue);

/** Maximum octets of a raw message for each octet of text, including the line breaks of each encoding. */
const rawOctetsPerOctet = { identity: 2, base64: 3, 'quoted-printable': 4 } as const;

/** The range of the raw message that the value of a part needs. A large part is read only up to the maximum size. */
export const bodyValueRange = ({ range, encoding }: BodyPart, maxBodyValueBytes: number): Range => {
  const { start, end } = range!;
  return { start, end: Math.min(end, start + maxOctets(maxBodyValueBytes) * rawOctetsPerOctet[encoding ?? 'identity'] + 1024) };
};

/** Maximum octets for one UTF-16 unit of the value: a CRLF in UTF-16. */
const maxOctetsPerCharacter = 4;

/**
 * Minimum characters of the part's value. A response that is too large is refused by this estimate, before the part is
 * read.
 */
export const minValueLength = ({ size }: BodyPart, maxBodyValueBytes: number): number => Math.min(size, maxOctets(maxBodyValueBytes)) / maxOctetsPerCharacter;

/** The EmailBodyValue of a part, truncated to the maximum size (RFC 8621 §4.1.4). */
export const toEmailBodyValue = (part: BodyPart, raw: RawMessage, maxBodyValueBytes: number): EmailBodyValue =>
  bodyValue(raw.bytes(bodyValueRange(part, maxBodyValueBytes)), part, maxOctets(maxBodyValueBytes));
