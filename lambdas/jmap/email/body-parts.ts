import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { bodyPartProperties, type BodyPartProperty } from '../../../contract/jmap/email.ts';
import { partBlobId } from '../../../core/mail/blob-id.ts';
import type { HeaderField } from '../../../core/mime/header-fields.ts';
import { asRaw } from '../../../core/mime/header-forms.ts';
import type { BodyPart } from '../../../core/mime/parsed-email.ts';
import { MethodError } from '../protocol/errors.ts';
import { parseHeaderProperty, headerValue, type HeaderProperty } from './header-property.ts';
import type { Range } from './raw-message.ts';

/** What to show of each part: properties by name, and header fields. */
export type PartSelection = { readonly properties: ReadonlySet<BodyPartProperty>; readonly headers: readonly HeaderProperty[] };

/** @throws MethodError invalidArguments for a name that is no property of a part. */
export const parseBodyProperties = (named: readonly string[]): PartSelection => {
  const isStated = (name: string): name is BodyPartProperty => (bodyPartProperties as readonly string[]).includes(name);
  const [stated, others] = [named.filter(isStated), named.filter((name) => !isStated(name))];
  const unknown = others.find((name) => !name.startsWith('header:'));
  if (unknown !== undefined) throw new MethodError('invalidArguments', `"bodyProperties" names ${JSON.stringify(unknown)}, which no body part has.`);
  return { properties: new Set(stated), headers: others.map(parseHeaderProperty) };
};

/** Whether showing a part takes its header block. */
export const needsPartHeaders = ({ properties, headers }: PartSelection): boolean => properties.has('headers') || headers.length > 0;

/** Raw header fields as EmailHeader objects (RFC 8621 §4.1.3). */
export const emailHeaders = (fields: readonly HeaderField[]): readonly JsonObject[] => fields.map((field) => ({ name: field.name, value: asRaw(field) }));

/** A part as an EmailBodyPart (RFC 8621 §4.1.4), without its subParts. */
export const toEmailBodyPart = (part: BodyPart, messageBlobId: string, selection: PartSelection, readHeaders: (range: Range) => readonly HeaderField[]): JsonObject => {
  const all: { readonly [P in Exclude<BodyPartProperty, 'subParts'>]: () => unknown } = {
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
  };
  const stated = Object.entries(all).filter(([name]) => selection.properties.has(name as BodyPartProperty)).map(([name, read]) => [name, read()] as const);
  return Object.fromEntries([...stated, ...selection.headers.map((header) => [header.property, headerValue(header, readHeaders(part.headers))] as const)]);
};

/** A part with all below it. The tree comes whole whatever was asked for of each part: without its branches it would say nothing. */
export const toBodyStructure = (part: BodyPart, messageBlobId: string, selection: PartSelection, readHeaders: (range: Range) => readonly HeaderField[]): JsonObject => {
  const shown = toEmailBodyPart(part, messageBlobId, selection, readHeaders);
  if (part.subParts) return { ...shown, subParts: part.subParts.map((child) => toBodyStructure(child, messageBlobId, selection, readHeaders)) };
  return selection.properties.has('subParts') ? { ...shown, subParts: null } : shown;
};

/** The part and all below it. */
export const partWithDescendants = (part: BodyPart): readonly BodyPart[] => [part, ...(part.subParts ?? []).flatMap(partWithDescendants)];
