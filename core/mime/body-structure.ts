import { BoundaryScanner, type Delimiter } from './boundary-scanner.ts';
import { parseContentField, type ContentField } from './content-field.ts';
import { lastField, parseHeaderFields, type HeaderField } from './header-fields.ts';
import { parseLimits } from './parse-limits.ts';
import type { BodyPart } from './parsed-email.ts';
import { parsePartProperties, type PartProperties } from './part-properties.ts';
import { OctetBudget } from './text-limits.ts';
import { decodedSize, parseTransferEncoding } from './transfer-encoding.ts';

/** The MIME structure of a message, and the header fields of the message itself. */
export type MessageStructure = { readonly root: BodyPart; readonly fields: readonly HeaderField[] };

/** The header block of a part. */
type HeaderBlock = {
  readonly fields: readonly HeaderField[];
  readonly start: number;
  readonly end: number;
  readonly bodyStart: number;
  /** Set when the part ends within its header block and so has no body. */
  readonly delimiter?: Delimiter;
};

/** A part and the delimiter that ends it. */
type DelimitedPart = { readonly part: BodyPart; readonly delimiter: Delimiter };

/**
 * Parses the structure of a message in one pass (RFC 2045, RFC 2046). Accepts any octets: every range lies within the
 * message. A message/rfc822 part is one part (RFC 8621 §4.1.4), so a forwarded message is not parsed.
 */
export const parseStructure = (message: Buffer): MessageStructure => new StructureParser(message).parse();

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

class StructureParser {
  readonly #message: Buffer;
  readonly #boundaries: BoundaryScanner;
  readonly #textBudget = new OctetBudget(parseLimits.allPartTexts);
  #partCount = 0;
  #leafCount = 0;

  constructor(message: Buffer) {
    this.#message = message;
    this.#boundaries = new BoundaryScanner(message);
  }

  parse(): MessageStructure {
    const header = this.#parseHeaderBlock(0);
    return { root: this.#parsePart(header, 0, 'text/plain').part, fields: header.fields };
  }

  /** A block without a single field is not a header block: the body then starts where the part does. */
  #parseHeaderBlock(start: number): HeaderBlock {
    const block = this.#findHeaderBlock(start);
    const fields = parseHeaderFields(this.#message.subarray(start, block.end));
    if (fields.length === 0 && block.end > start) return { fields, start, end: start, bodyStart: start };
    return { fields, ...block };
  }

  /** A header block ends at an empty line, or where its part ends. */
  #findHeaderBlock(start: number): Omit<HeaderBlock, 'fields'> {
    for (let line = start; line < this.#message.length;) {
      if (this.#message[line] === lineFeed) return { start, end: line, bodyStart: line + 1 };
      if (this.#message[line] === carriageReturn && this.#message[line + 1] === lineFeed) return { start, end: line, bodyStart: line + 2 };
      const delimiter = this.#boundaries.delimiterAt(line, start);
      if (delimiter) return { start, end: line, bodyStart: line, delimiter };
      const feed = this.#message.indexOf(lineFeed, line);
      line = feed < 0 ? this.#message.length : feed + 1;
    }
    return { start, end: this.#message.length, bodyStart: this.#message.length };
  }

  /** @param implicitType the media type of a part without Content-Type. */
  #parsePart(header: HeaderBlock, depth: number, implicitType: string): DelimitedPart {
    this.#partCount += 1;
    const contentType = parseContentField(lastField(header.fields, 'content-type'));
    const properties = parsePartProperties(header.fields, contentType, implicitType, this.#textBudget);
    if (!properties.type.startsWith('multipart/')) return this.#parseLeaf(header, properties);
    if (depth >= parseLimits.depth) return this.#parseLeaf(header, { ...properties, type: 'application/octet-stream' });
    return this.#parseMultipart(header, contentType, properties, depth)
      ?? this.#parseLeaf(header, { ...properties, type: 'text/plain', charset: 'us-ascii' });
  }

  #parseLeaf(header: HeaderBlock, properties: PartProperties): DelimitedPart {
    const delimiter = header.delimiter ?? this.#boundaries.nextDelimiter(header.bodyStart);
    const encoding = parseTransferEncoding(lastField(header.fields, 'content-transfer-encoding')?.value.toString('latin1'));
    const range = { start: header.bodyStart, end: Math.max(header.bodyStart, delimiter.contentEnd) };
    const size = decodedSize(this.#message.subarray(range.start, range.end), encoding);
    this.#leafCount += 1;
    const headers = { start: header.start, end: header.end };
    return { part: { partId: String(this.#leafCount), range, encoding, headers, size, ...properties }, delimiter };
  }

  /**
   * @returns undefined for a multipart without a usable boundary or without parts. Such a multipart is read as text, so
   * that a reader sees its content.
   */
  #parseMultipart(
    header: HeaderBlock, contentType: ContentField | undefined, properties: PartProperties, depth: number,
  ): DelimitedPart | undefined {
    const boundary = contentType?.parameters.get('boundary')?.trimEnd() ?? '';
    if (header.delimiter || boundary === '' || boundary.length > parseLimits.boundary) return undefined;
    const implicitType = properties.type === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
    const level = this.#boundaries.open(boundary);
    const subParts: BodyPart[] = [];
    let delimiter = this.#boundaries.nextDelimiter(header.bodyStart);
    while (delimiter.level === level && !delimiter.isClosing) {
      if (this.#partCount >= parseLimits.parts) {
        this.#boundaries.close();
        const rest = this.#restAsLeaf(delimiter.nextLine);
        return { part: multipart(header, properties, [...subParts, rest.part]), delimiter: rest.delimiter };
      }
      const subPart = this.#parsePart(this.#parseHeaderBlock(delimiter.nextLine), depth + 1, implicitType);
      subParts.push(subPart.part);
      delimiter = subPart.delimiter;
    }
    this.#boundaries.close();
    if (subParts.length === 0) return undefined;
    // Text between the closing delimiter and the next delimiter is an epilogue, which is not shown (RFC 2046 §5.1.1).
    if (delimiter.level === level) delimiter = this.#boundaries.nextDelimiter(delimiter.nextLine);
    return { part: multipart(header, properties, subParts), delimiter };
  }

  /** Everything up to the end of the multipart as one part, because the message has too many parts. */
  #restAsLeaf(start: number): DelimitedPart {
    return this.#parseLeaf({ fields: [], start, end: start, bodyStart: start }, { type: 'application/octet-stream' });
  }
}

const multipart = (header: HeaderBlock, properties: PartProperties, subParts: readonly BodyPart[]): BodyPart =>
  ({ headers: { start: header.start, end: header.end }, size: 0, ...properties, subParts });
