import { searchLimits } from '../../contract/jmap/core.ts';
import type { Range } from '../blobs/raw-message.ts';
import { bodyLists } from '../mime/body/body-lists.ts';
import { bodyValue } from '../mime/body/body-value.ts';
import { decodeTransferEncoding } from '../mime/encoding/transfer-encoding.ts';
import { parseHeaderFields } from '../mime/header-fields.ts';
import { asText } from '../mime/header-forms.ts';
import { htmlToText } from '../mime/html-to-text.ts';
import { parseMessage } from '../mime/parse-message.ts';
import type { BodyPart, EmailAddress, ParsedEmail } from '../mime/parsed-email.ts';
import { cutToOctets } from '../mime/text-limits.ts';

/** The texts of an Email that are searched. A phrase must be within one text. */
type SearchableText = {
  /** Senders: one text for each address, with the name and the address. */
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: readonly string[];
  /**
   * One text for each part of a `text/…` or `message/…` type, including attachments, as a reader sees it. In HTML, each
   * different `alt` and `title` is a further text. An attached message is several texts: its subject, each of its
   * addresses, and its own body.
   */
  readonly body: readonly string[];
  /** One text for each file name. */
  readonly attachmentNames: readonly string[];
};
export type SearchableField = keyof SearchableText;

const addressTexts = (addresses: readonly EmailAddress[] | null | undefined): string[] =>
  (addresses ?? []).map(({ name, email }) => (name === null ? email : `${name} <${email}>`));

const isHtml = (part: BodyPart): boolean => part.type === 'text/html' || part.type === 'text/x-amp-html';

/** The leaves of a body structure: first displayed parts, then attachments. */
const leavesOf = (structure: BodyPart): readonly BodyPart[] => {
  const { textBody, htmlBody, attachments } = bodyLists(structure);
  return [...new Set([...textBody, ...htmlBody, ...attachments])];
};

/** Whether the content is a message with a header (RFC 2046 §5.2.1, RFC 6532 §3.7). Other `message/…` types are text. */
const isMessage = ({ type }: BodyPart): boolean => type === 'message/rfc822' || type === 'message/global';

/** A searched part, with the range of the raw message that is searched. */
type SearchedPart = { readonly part: BodyPart; readonly range: Range };

/** Selects parts, and the range of each that is searched. The ranges have at most `octets` octets together. */
const cutParts = (parts: readonly BodyPart[], octets: number): readonly SearchedPart[] => {
  let unread = octets;
  return parts.flatMap((part) => {
    if (!part.range) return [];
    const range = { start: part.range.start, end: Math.min(part.range.end, part.range.start + unread) };
    unread -= range.end - range.start;
    return range.end > range.start ? [{ part, range }] : [];
  });
};

/**
 * The searched parts: up to `maxSizeSearchedParts` octets of text, then up to `maxSizeSearchedMessages` octets of
 * attached messages.
 */
export const searchedParts = (structure: BodyPart): readonly SearchedPart[] => {
  const searched = leavesOf(structure).filter(({ type }) => /^(?:text|message)\//.test(type));
  return [
    ...cutParts(
      searched.filter((part) => !isMessage(part)),
      searchLimits.maxSizeSearchedParts,
    ),
    ...cutParts(searched.filter(isMessage), searchLimits.maxSizeSearchedMessages),
  ];
};

/** The remaining limits of an Email's texts: octets of text, attached messages, and texts of HTML attributes. */
type Room = { octets: number; messages: number; attributes: number };

/** The texts within the remaining limit. The last one may be truncated. */
function* cutTexts(texts: readonly string[], room: Room): Generator<string, void, undefined> {
  for (const whole of texts) {
    if (room.octets <= 0) return;
    const text = cutToOctets(whole, room.octets);
    room.octets -= Buffer.byteLength(text);
    yield text;
  }
}

/** The visible text of HTML, followed by its attributes, so that attributes do not interrupt a phrase of the text. */
const htmlTexts = (html: string, room: Room): readonly string[] => {
  const attributes = new Set<string>();
  const visible = htmlToText(html, room.octets, (text) => {
    if (attributes.size < room.attributes) attributes.add(text);
  });
  room.attributes -= attributes.size;
  return [visible, ...attributes];
};

/** The texts of one part. @param depth remaining nesting levels of attached messages that are searched. */
function* partTexts(parts: readonly SearchedPart[], bytes: (range: Range) => Buffer, room: Room, depth: number): Generator<string, void, undefined> {
  for (const { part, range } of parts) {
    if (room.octets <= 0) return;
    if (!isMessage(part)) {
      const { value } = bodyValue(bytes(range), part);
      yield* cutTexts(isHtml(part) ? htmlTexts(value, room) : [value], room);
    } else if (depth > 0 && room.messages-- > 0) {
      yield* messageTexts(decodeTransferEncoding(bytes(range), part.encoding), room, depth - 1);
    }
  }
}

/** The texts of an attached message. */
function* messageTexts(raw: Buffer, room: Room, depth: number): Generator<string, void, undefined> {
  const { subject, from, to, cc, bcc, bodyStructure } = parseMessage(raw).email;
  yield* cutTexts([...(subject === undefined ? [] : [subject]), ...[from, to, cc, bcc].flatMap(addressTexts)], room);
  yield* partTexts(searchedParts(bodyStructure), ({ start, end }) => raw.subarray(start, end), room, depth);
}

/**
 * The texts of the parts in order, at most `maxSizeSearchedText` octets. @param bytes reads a range of the raw message.
 */
export const bodyTexts = (parts: readonly SearchedPart[], bytes: (range: Range) => Buffer): Generator<string, void, undefined> => {
  const { maxSizeSearchedText: octets, maxSearchedMessages: messages, maxSearchedAttributes: attributes, maxDepthSearchedMessages } = searchLimits;
  return partTexts(parts, bytes, { octets, messages, attributes }, maxDepthSearchedMessages);
};

/**
 * The searchable texts of an Email (`docs/specification.md#search`). @param raw the message. Undefined: the body is
 * empty.
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
type HeaderText = { readonly name: string; readonly text: string };

/** The texts of all fields in the first `maxSizeSearchedHeaders` octets of a header block, for the condition `header`. */
export const headerTexts = (headerBlock: Buffer): HeaderText[] =>
  parseHeaderFields(headerBlock.subarray(0, searchLimits.maxSizeSearchedHeaders)).map((field) => ({ name: field.name.toLowerCase(), text: asText(field) }));
