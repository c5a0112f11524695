import { searchLimits } from '../../../contract/jmap/core.ts';
import { bodyLists } from '../../mime/body-lists.ts';
import { bodyValue } from '../../mime/body-value.ts';
import { parseHeaderFields } from '../../mime/header-fields.ts';
import { asText } from '../../mime/header-forms.ts';
import { htmlToText } from '../../mime/html-to-text.ts';
import type { BodyPart, EmailAddress, ParsedEmail } from '../../mime/parsed-email.ts';
import { cutToOctets } from '../../mime/text-limits.ts';

/** The texts of an Email that search looks at. A phrase is found within one of them, never across two. */
export type SearchableText = {
  /** One text an address: the name and the address. */
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: readonly string[];
  /** One text for each part of a `text/…` type, attachments included, as a reader sees it. */
  readonly body: readonly string[];
  /** One text for each file name. */
  readonly attachmentNames: readonly string[];
};
export type SearchableField = keyof SearchableText;

const addressTexts = (addresses: readonly EmailAddress[] | null | undefined): string[] =>
  (addresses ?? []).map(({ name, email }) => (name === null ? email : `${name} <${email}>`));

const isHtml = (part: BodyPart): boolean => part.type === 'text/html' || part.type === 'text/x-amp-html';

/** The parts that are shown, then the attachments. */
const leavesOf = (structure: BodyPart): readonly BodyPart[] => {
  const { textBody, htmlBody, attachments } = bodyLists(structure);
  return [...new Set([...textBody, ...htmlBody, ...attachments])];
};

/** A text part, and the octets of the raw message that are searched of it. */
export type SearchedPart = { readonly part: BodyPart; readonly range: { readonly start: number; readonly end: number } };

/** The parts of a `text/…` type with the ranges that are searched: `maxSizeSearchedParts` octets together. */
export const searchedParts = (structure: BodyPart): readonly SearchedPart[] => {
  let unread: number = searchLimits.maxSizeSearchedParts;
  return leavesOf(structure).flatMap((part) => {
    if (!part.range || !part.type.startsWith('text/')) return [];
    const range = { start: part.range.start, end: Math.min(part.range.end, part.range.start + unread) };
    unread -= range.end - range.start;
    return range.end > range.start ? [{ part, range }] : [];
  });
};

/**
 * The texts of the parts, as a reader sees them, one after the other: `maxSizeSearchedText` octets together.
 * @param bytes reads a range of the raw message.
 */
export function* bodyTexts(
  parts: readonly SearchedPart[], bytes: (range: SearchedPart['range']) => Buffer,
): Generator<string, void, undefined> {
  let unused: number = searchLimits.maxSizeSearchedText;
  for (const { part, range } of parts) {
    const { value } = bodyValue(bytes(range), part);
    const text = cutToOctets(isHtml(part) ? htmlToText(value, unused) : value, unused);
    unused -= Buffer.byteLength(text);
    yield text;
    if (unused <= 0) return;
  }
}

/**
 * The searchable texts of a parsed message. `docs/specification.md#search` has the rules and limits.
 * @param raw the whole message; undefined leaves the body empty.
 */
export const searchableText = (email: ParsedEmail, raw: Buffer | undefined): SearchableText => {
  const { bodyStructure } = email;
  return {
    from: addressTexts(email.from),
    to: addressTexts(email.to),
    cc: addressTexts(email.cc),
    bcc: addressTexts(email.bcc),
    subject: email.subject === undefined ? [] : [email.subject],
    body: raw ? [...bodyTexts(searchedParts(bodyStructure), ({ start, end }) => raw.subarray(start, end))] : [],
    attachmentNames: leavesOf(bodyStructure).flatMap(({ name }) => (name === undefined ? [] : [name])),
  };
};

/** The decoded value of a header field. `name` is in lower case. */
export type HeaderText = { readonly name: string; readonly text: string };

/** The texts of all fields in the first `maxSizeSearchedHeaders` octets of a header block, for the condition `header`. */
export const headerTexts = (headerBlock: Buffer): HeaderText[] =>
  parseHeaderFields(headerBlock.subarray(0, searchLimits.maxSizeSearchedHeaders))
    .map((field) => ({ name: field.name.toLowerCase(), text: asText(field) }));
