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

/**
 * The texts of the text parts, within `maxSizeSearchedParts` octets of the raw message and `maxSizeSearchedText` octets
 * of text.
 */
const bodyTexts = (raw: Buffer, parts: readonly BodyPart[]): string[] => {
  const texts: string[] = [];
  let unread: number = searchLimits.maxSizeSearchedParts;
  let unused: number = searchLimits.maxSizeSearchedText;
  for (const part of parts) {
    if (!part.range || !part.type.startsWith('text/')) continue;
    const octets = raw.subarray(part.range.start, Math.min(part.range.end, part.range.start + unread));
    if (octets.length === 0 || unused <= 0) continue;
    unread -= octets.length;
    const { value } = bodyValue(octets, part);
    const text = cutToOctets(isHtml(part) ? htmlToText(value, unused) : value, unused);
    unused -= Buffer.byteLength(text);
    texts.push(text);
  }
  return texts;
};

/**
 * The searchable texts of a parsed message. `docs/specification.md#search` has the rules and limits.
 * @param raw the whole message; undefined leaves the body empty.
 */
export const searchableText = (email: ParsedEmail, raw: Buffer | undefined): SearchableText => {
  const parts = leavesOf(email.bodyStructure);
  return {
    from: addressTexts(email.from),
    to: addressTexts(email.to),
    cc: addressTexts(email.cc),
    bcc: addressTexts(email.bcc),
    subject: email.subject === undefined ? [] : [email.subject],
    body: raw ? bodyTexts(raw, parts) : [],
    attachmentNames: parts.flatMap(({ name }) => (name === undefined ? [] : [name])),
  };
};

/** The decoded value of a header field. `name` is in lower case. */
export type HeaderText = { readonly name: string; readonly text: string };

/** The texts of all fields of a message's header block, for the condition `header`, within `maxSizeSearchedHeaders` octets. */
export const headerTexts = (headerBlock: Buffer): HeaderText[] =>
  parseHeaderFields(headerBlock.subarray(0, searchLimits.maxSizeSearchedHeaders))
    .map((field) => ({ name: field.name.toLowerCase(), text: asText(field) }));
