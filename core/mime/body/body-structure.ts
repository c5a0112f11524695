import { ContentFieldReader, transferEncodingOf } from '../content-type.ts';
import { decodedSize } from '../encoding/transfer-encoding.ts';
import { parseLastFields, type LastFields } from '../header-fields.ts';
import { parseLimits } from '../parse-limits.ts';
import type { BodyPart } from '../parsed-email.ts';
import { OctetBudget } from '../text-limits.ts';
import { BoundaryScanner, type Delimiter, type HeaderEnd } from './boundary-scanner.ts';
import { contentFieldsOf, parsePartProperties, withoutBrackets, type ContentFields, type PartProperties } from './part-properties.ts';

/** The MIME structure of a message, and the header fields of the message itself. */
type MessageStructure = { readonly root: BodyPart; readonly fields: LastFields };

/** The header block of a part. */
type HeaderBlock = HeaderEnd & {
  readonly fields: LastFields;
  readonly start: number;
  /** Start of the first line that may be a delimiter. There is no delimiter between `bodyStart` and this line. */
  readonly searchFrom: number;
};

/** The header block of a part without header fields. */
const noHeader = (start: number): HeaderBlock => ({ fields: parseLastFields(Buffer.alloc(0)), start, end: start, bodyStart: start, searchFrom: start });

/** Octets in which the first delimiter of a multipart is searched whose boundary has single quotes. */
const maxPreamble = 16 * 1024;

const blankOctets: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'));

/** A part and the delimiter that ends it. */
type DelimitedPart = { readonly part: BodyPart; readonly delimiter: Delimiter };

/** Parses the structure of any octets in one pass (RFC 2045, RFC 2046). A message/rfc822 part is not divided. */
export const parseStructure = (message: Buffer): MessageStructure => new StructureParser(message).parse();

class StructureParser {
  readonly #message: Buffer;
  readonly #boundaries: BoundaryScanner;
  readonly #contentFields = new ContentFieldReader();
  readonly #textBudget = new OctetBudget(parseLimits.allPartTexts);
  #partCount = 0;
  #leafCount = 0;

  constructor(message: Buffer) {
    this.#message = message;
    this.#boundaries = new BoundaryScanner(message, this.#contentFields);
  }

  parse(): MessageStructure {
    const header = this.#parseHeaderBlock(0);
    return { root: this.#parsePart(header, 0, 'text/plain').part, fields: header.fields };
  }

  #parseHeaderBlock(start: number): HeaderBlock {
    const header = this.#boundaries.headerEnd(start);
    return { ...header, start, searchFrom: header.bodyStart };
  }

  /** Parses a part. @param implicitType the media type of a part without Content-Type. */
  #parsePart(header: HeaderBlock, depth: number, implicitType: string): DelimitedPart {
    this.#partCount += 1;
    const fields = contentFieldsOf(header.fields, this.#contentFields);
    const properties = parsePartProperties(fields, implicitType, this.#textBudget);
    if (!properties.type.startsWith('multipart/')) return this.#parseLeaf(header, fields, properties);
    if (depth >= parseLimits.depth) return this.#parseLeaf(header, fields, { ...properties, type: 'application/octet-stream' });
    return this.#parseMultipart(header, fields, properties, depth);
  }

  #parseLeaf(header: HeaderBlock, fields: ContentFields, properties: PartProperties): DelimitedPart {
    const delimiter = header.delimiter ?? this.#boundaries.nextDelimiter(header.searchFrom, header.bodyStart);
    const encoding = transferEncodingOf(fields.parsed('content-transfer-encoding'));
    const range = { start: header.bodyStart, end: Math.max(header.bodyStart, delimiter.contentEnd) };
    const size = decodedSize(this.#message.subarray(range.start, range.end), encoding);
    this.#leafCount += 1;
    const headers = { start: header.start, end: header.end };
    return { part: { partId: String(this.#leafCount), range, encoding, headers, size, ...properties }, delimiter };
  }

  /**
   * Parses a multipart. A multipart without a usable boundary becomes a text part, and so does one without parts that has
   * a text before its end, so that its content is shown.
   */
  #parseMultipart(header: HeaderBlock, fields: ContentFields, properties: PartProperties, depth: number): DelimitedPart {
    const asText = (searched: Partial<HeaderBlock>): DelimitedPart =>
      this.#parseLeaf({ ...header, ...searched }, fields, { ...properties, type: 'text/plain', charset: 'us-ascii' });
    const boundary = this.#usedBoundary(fields.parsed('content-type')?.parameters.get('boundary')?.trimEnd() ?? '', header.bodyStart);
    if (header.delimiter || boundary === '' || boundary.length > parseLimits.boundary) return asText({});
    const level = this.#boundaries.open(boundary);
    const first = this.#boundaries.nextDelimiter(header.searchFrom, header.bodyStart);
    if (first.level !== level || first.isClosing) {
      this.#boundaries.close();
      const delimiter = first.level === level ? this.#boundaries.nextDelimiter(first.nextLine, first.nextLine) : first;
      if (!this.#isBlank(header.bodyStart, first.contentEnd)) return { ...asText({ delimiter: first }), delimiter };
      return { part: multipart(header, properties, []), delimiter };
    }
    const { subParts, delimiter } = this.#parseSubParts(first, properties.type === 'multipart/digest' ? 'message/rfc822' : 'text/plain', depth);
    const start = properties.type === 'multipart/related' ? fields.parsed('content-type')?.parameters.get('start') : undefined;
    const rootId = withoutBrackets(start);
    const root = rootId === undefined ? -1 : subParts.findIndex(({ cid }) => cid === rootId);
    return { part: { ...multipart(header, properties, subParts), ...(root >= 0 && { root }) }, delimiter };
  }

  #isBlank(start: number, end: number): boolean {
    for (let at = start; at < end; at += 1) if (!blankOctets.has(this.#message[at]!)) return false;
    return true;
  }

  /** The boundary, without the single quotes around it that are no quotes in RFC 2045 §5.1 and that its delimiters lack. */
  #usedBoundary(boundary: string, bodyStart: number): string {
    const inner = /^'(.+)'$/.exec(boundary)?.[1];
    if (inner === undefined) return boundary;
    const beginning = this.#message.toString('latin1', bodyStart, bodyStart + maxPreamble);
    return beginning.includes(`--${boundary}`) || !beginning.includes(`--${inner}`) ? boundary : inner;
  }

  /** Parses the parts of the innermost multipart, beginning with its first delimiter, and closes the multipart. */
  #parseSubParts(first: Delimiter, implicitType: string, depth: number): { readonly subParts: BodyPart[]; readonly delimiter: Delimiter } {
    const subParts: BodyPart[] = [];
    let delimiter = first;
    while (delimiter.level === first.level && !delimiter.isClosing) {
      if (this.#partCount >= parseLimits.parts) {
        this.#boundaries.close();
        const rest = this.#restAsLeaf(delimiter.nextLine);
        return { subParts: [...subParts, rest.part], delimiter: rest.delimiter };
      }
      const subPart = this.#parsePart(this.#parseHeaderBlock(delimiter.nextLine), depth + 1, implicitType);
      subParts.push(subPart.part);
      delimiter = subPart.delimiter;
    }
    this.#boundaries.close();
    if (delimiter.level < first.level) return { subParts, delimiter };
    // Text between the closing delimiter and the next delimiter is an epilogue, which is not shown (RFC 2046 §5.1.1).
    return { subParts, delimiter: this.#boundaries.nextDelimiter(delimiter.nextLine, delimiter.nextLine) };
  }

  /** Makes one part of the remaining content of the multipart, because the message has too many parts. */
  #restAsLeaf(start: number): DelimitedPart {
    const header = noHeader(start);
    return this.#parseLeaf(header, contentFieldsOf(header.fields, this.#contentFields), { type: 'application/octet-stream' });
  }
}

const multipart = (header: HeaderBlock, properties: PartProperties, subParts: readonly BodyPart[]): BodyPart => ({
  headers: { start: header.start, end: header.end },
  size: 0,
  ...properties,
  subParts,
});
