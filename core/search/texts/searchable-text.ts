import { searchLimits } from '../../../contract/jmap/core.ts';
import { bodyLists } from '../../mime/body/body-lists.ts';
import { bodyValue } from '../../mime/body/body-value.ts';
import { parseHeaderFields } from '../../mime/header/header-fields.ts';
import { asText } from '../../mime/header/header-forms.ts';
import { presentedTexts } from '../../mime/text/html-attributes.ts';
import { htmlToText } from '../../mime/text/html-to-text.ts';
import { parseMessage } from '../../mime/parse-message.ts';
import type { Range } from '../../blobs/raw-message.ts';
import type { BodyPart, EmailAddress, ParsedEmail } from '../../mime/parsed-email.ts';
import { cutToOctets } from '../../mime/text-limits.ts';
import { decodeTransferEncoding } from '../../mime/encoding/transfer-encoding.ts';

/** The texts of an Email that are searched. A phrase is found within one of them, never across two. */
type SearchableText = {
  /** One text an address: the name and the address. */
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: readonly string[];
  /**
   * One text for each part of a `text/…` or `message/…` type, attachments included, as a reader sees it. In HTML, each
   * different `alt` and `title` is one more text. An attached message is several texts: its subject, each of its
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

/** The parts that are shown, then the attachments. */
const leavesOf = (structure: BodyPart): readonly BodyPart[] => {
  const { textBody, htmlBody, attachments } = bodyLists(structure);
  return [...new Set([...textBody, ...htmlBody, ...attachments])];
};

/** Whether the content is a message with a header (RFC 2046 §5.2.1, RFC 6532 §3.7). Other `message/…` types are text. */
const isMessage = ({ type }: BodyPart): boolean => type === 'message/rfc822' || type === 'message/global';

/** A searched part, and the octets of the raw message that are searched for it. */
type SearchedPart = { readonly part: BodyPart; readonly range: Range };

/** The parts with the ranges that are searched. Together they have at most this many octets. */
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
 * The parts of a `text/…` or `message/…` type with the ranges that are searched: `maxSizeSearchedParts` octets of text
 * parts, and after them `maxSizeSearchedMessages` octets of attached messages.
 */
export const searchedParts = (structure: BodyPart): readonly SearchedPart[] => {
  const searched = leavesOf(structure).filter(({ type }) => /^(?:text|message)\//.test(type));
  return [
    ...cutParts(searched.filter((part) => !isMessage(part)), searchLimits.maxSizeSearchedParts),
    ...cutParts(searched.filter(isMessage), searchLimits.maxSizeSearchedMessages),
  ];
};

/** The rest of an Email's allowance: octets of text, attached messages, and texts of HTML attributes. */
type Room = { octets: number; messages: number; attributes: number };

/** Texts as long as there is room for them. The last one may be cut. */
function* cutTexts(texts: readonly string[], room: Room): Generator<string, void, undefined> {
  for (const whole of texts) {
    if (room.octets <= 0) return;
    const text = cutToOctets(whole, room.octets);
    room.octets -= Buffer.byteLength(text);
    yield text;
  }
}

/** The visible text of HTML, followed by its attributes, so that attributes do not divide a phrase of the text. */
const htmlTexts = (html: string, room: Room): readonly string[] => {
  const attributes = new Set<string>();
  const visible = htmlToText(html, room.octets, (tag, name) => {
    if (attributes.size >= room.attributes) return;
    for (const text of presentedTexts(tag, name)) attributes.add(text);
  });
  const searched = [...attributes].slice(0, room.attributes);
  room.attributes -= searched.length;
  return [visible, ...searched];
};

/** @param depth levels of attached messages that are still searched. */
function* partTexts(
  parts: readonly SearchedPart[], bytes: (range: Range) => Buffer, room: Room, depth: number,
): Generator<string, void, undefined> {
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
 * The texts of the parts in the order of display: `maxSizeSearchedText` octets together.
 * @param bytes reads a range of the raw message.
 */
export const bodyTexts = (
  parts: readonly SearchedPart[], bytes: (range: Range) => Buffer,
): Generator<string, void, undefined> => {
  const {
    maxSizeSearchedText: octets, maxSearchedMessages: messages, maxSearchedAttributes: attributes, maxDepthSearchedMessages,
  } = searchLimits;
  return partTexts(parts, bytes, { octets, messages, attributes }, maxDepthSearchedMessages);
};

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
type HeaderText = { readonly name: string; readonly text: string };

/** The texts of all fields in the first `maxSizeSearchedHeaders` octets of a header block, for the condition `header`. */
export const headerTexts = (headerBlock: Buffer): HeaderText[] =>
  parseHeaderFields(headerBlock.subarray(0, searchLimits.maxSizeSearchedHeaders))
    .map((field) => ({ name: field.name.toLowerCase(), text: asText(field) }));
