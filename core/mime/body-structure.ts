import type { BodyPart } from './parsed-email.ts';
import { BoundaryScanner, type Delimiter } from './boundary-scanner.ts';
import { parseContentField, type ContentField } from './content-field.ts';
import { decodedSize, parseTransferEncoding } from './transfer-encoding.ts';
import { parseHeaderFields, lastField, type HeaderField } from './header-fields.ts';
import { parseLimits } from './parse-limits.ts';
import { parsePartProperties, TextBudget } from './part-properties.ts';

/** The MIME structure of a message, and the header fields of the message itself. */
export type MessageStructure = { readonly root: BodyPart; readonly fields: readonly HeaderField[] };

/** A header block: its fields, where it is, and where the body begins. */
type Header = { readonly fields: readonly HeaderField[]; readonly start: number; readonly end: number; readonly bodyStart: number; /** The part ended within its header. */ readonly cutBy?: Delimiter };

/** A part and the delimiter that ended it. */
type Read = { readonly part: BodyPart; readonly endedBy: Delimiter };

/**
 * Reads the structure of a message in one pass (RFC 2045, RFC 2046). Total: whatever the octets are, each of them belongs to the message and every
 * range lies within it. A message/rfc822 part is one part (RFC 8621 §4.1.4), so forwarded mail within forwarded mail costs nothing.
 */
export const parseStructure = (message: Buffer): MessageStructure => {
  const reader = new Reader(message);
  return reader.readMessage();
};

class Reader {
  readonly #message: Buffer;
  readonly #boundaries: BoundaryScanner;
  readonly #texts = new TextBudget();
  #parts = 0;
  #leaves = 0;

  constructor(message: Buffer) {
    this.#message = message;
    this.#boundaries = new BoundaryScanner(message);
  }

  readMessage(): MessageStructure {
    const header = this.#readHeader(0);
    return { root: this.#readBody(header, 0, 'text/plain').part, fields: header.fields };
  }

  /** A block in which no line is a field is no header: the body starts where the part does. */
  #readHeader(start: number): Header {
    const [end, bodyStart, cutBy] = this.#endOfHeader(start);
    const fields = parseHeaderFields(this.#message.subarray(start, end));
    if (fields.length === 0 && end > start) return { fields, start, end: start, bodyStart: start };
    return { fields, start, end, bodyStart, cutBy };
  }

  /** A header ends at an empty line, or where the part does. */
  #endOfHeader(start: number): readonly [end: number, bodyStart: number, cutBy?: Delimiter] {
    for (let at = start; at < this.#message.length;) {
      if (this.#message[at] === 0x0a) return [at, at + 1];
      if (this.#message[at] === 0x0d && this.#message[at + 1] === 0x0a) return [at, at + 2];
      const delimiter = this.#boundaries.delimiterAt(at, start);
      if (delimiter) return [at, at, delimiter];
      const feed = this.#message.indexOf(0x0a, at);
      at = feed < 0 ? this.#message.length : feed + 1;
    }
    return [this.#message.length, this.#message.length];
  }

  #readBody(header: Header, depth: number, implicitType: string): Read {
    this.#parts += 1;
    const contentType = parseContentField(lastField(header.fields, 'content-type'));
    const properties = parsePartProperties(header.fields, contentType, implicitType, this.#texts);
    if (!properties.type.startsWith('multipart/')) return this.#readLeaf(header, properties);
    if (depth >= parseLimits.depth) return this.#readLeaf(header, { ...properties, type: 'application/octet-stream' });
    return this.#readMultipart(header, contentType, properties, depth) ?? this.#readLeaf(header, { ...properties, type: 'text/plain', charset: 'us-ascii' });
  }

  #readLeaf(header: Header, properties: PartDescription): Read {
    const endedBy = header.cutBy ?? this.#boundaries.nextDelimiter(header.bodyStart);
    const encoding = parseTransferEncoding(lastField(header.fields, 'content-transfer-encoding')?.value.toString('latin1'));
    const range = { start: header.bodyStart, end: Math.max(header.bodyStart, endedBy.before) };
    const size = decodedSize(this.#message.subarray(range.start, range.end), encoding);
    this.#leaves += 1;
    return { part: { partId: String(this.#leaves), range, encoding, headers: { start: header.start, end: header.end }, size, ...properties }, endedBy };
  }

  /** Undefined when it has no boundary or no part: then it is text, so that whoever gets it can see what is there. */
  #readMultipart(header: Header, contentType: ContentField | undefined, properties: PartDescription, depth: number): Read | undefined {
    const boundary = contentType?.parameters.get('boundary')?.trimEnd() ?? '';
    if (header.cutBy || boundary === '' || boundary.length > parseLimits.boundary) return undefined;
    const level = this.#boundaries.open(boundary);
    const subParts: BodyPart[] = [];
    let delimiter = this.#boundaries.nextDelimiter(header.bodyStart);
    while (delimiter.level === level && !delimiter.isClosing) {
      if (this.#parts >= parseLimits.parts) {
        this.#boundaries.close();
        const rest = this.#readRest(delimiter.after);
        return { part: this.#multipart(header, properties, [...subParts, rest.part]), endedBy: rest.endedBy };
      }
      const read = this.#readBody(this.#readHeader(delimiter.after), depth + 1, properties.type === 'multipart/digest' ? 'message/rfc822' : 'text/plain');
      subParts.push(read.part);
      delimiter = read.endedBy;
    }
    this.#boundaries.close();
    if (subParts.length === 0) return undefined;
    // What follows the last delimiter is an epilogue that nobody shows (RFC 2046 §5.1.1).
    const endedBy = delimiter.level === level ? this.#boundaries.nextDelimiter(delimiter.after) : delimiter;
    return { part: this.#multipart(header, properties, subParts), endedBy };
  }

  #multipart(header: Header, properties: PartDescription, subParts: readonly BodyPart[]): BodyPart {
    return { headers: { start: header.start, end: header.end }, size: 0, ...properties, subParts };
  }

  /** Everything up to the end of the multipart, unread: there were too many parts. */
  #readRest(start: number): Read {
    return this.#readLeaf({ fields: [], start, end: start, bodyStart: start }, { type: 'application/octet-stream' });
  }
}

type PartDescription = ReturnType<typeof parsePartProperties>;
