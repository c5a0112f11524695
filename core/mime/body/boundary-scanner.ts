import { ContentFieldReader } from '../content-type.ts';
import { headerStart, readHeader } from '../header-end.ts';
import type { LastFields } from '../header-fields.ts';
import { carriageReturn, lineFeed, nextLine } from '../lines.ts';
import { OpenBoundaries } from './open-boundaries.ts';

/** The end of a part's content: a delimiter line of an open multipart (RFC 2046 §5.1.1), or of the message. */
export type Delimiter = {
  /** Index of the multipart among the open ones, outermost first; -1 at the end of the message. */
  readonly level: number;
  /** Whether this is the multipart's closing delimiter: `--boundary--`. */
  readonly isClosing: boolean;
  /** End of the content before the delimiter. The line break before a delimiter belongs to it. */
  readonly contentEnd: number;
  /** Start of the line with the delimiter, and of the line after it. */
  readonly line: number;
  readonly nextLine: number;
};

/** The end of a header block. */
export type HeaderEnd = {
  /** End of the block (exclusive), and start of the body. */
  readonly end: number;
  readonly bodyStart: number;
  /** Present when the part ends within its header block, so that the part has no body. */
  readonly delimiter?: Delimiter;
};

const dash = 0x2d;

/** Finds the delimiter lines of open multiparts between two positions. It reads each octet once. */
export class BoundaryScanner {
  readonly #message: Buffer;
  readonly #contentFields: ContentFieldReader;
  readonly #boundaries = new OpenBoundaries();

  constructor(message: Buffer, contentFields = new ContentFieldReader()) {
    this.#message = message;
    this.#contentFields = contentFields;
  }

  /** Opens a multipart within the innermost one. @returns its level. */
  open(boundary: string): number {
    return this.#boundaries.push(boundary);
  }

  /** Closes the innermost multipart. From here on, its delimiters are text. */
  close(): void {
    this.#boundaries.pop();
  }

  /**
   * The first delimiter at or after `start`, which is the start of a line. @param contentStart the start of the content
   * that it ends.
   */
  nextDelimiter(start: number, contentStart: number): Delimiter {
    for (let line = this.#dashLineFrom(start); line >= 0;) {
      const { level, isClosing, position } = this.#boundaries.compare(this.#message, line);
      if (level !== undefined) return this.#delimiter(level, isClosing, line, position, contentStart);
      line = this.#nextDashLine(position);
    }
    const end = this.#message.length;
    return { level: -1, isClosing: true, contentEnd: end, line: end, nextLine: end };
  }

  /** The end of the header block that starts at `start`: an empty line, the end of the part, or a line of the body. */
  headerEnd(start: number): HeaderEnd & { readonly fields: LastFields } {
    const limit = this.#headerLimit(start);
    const { fields, body } = readHeader(this.#message.subarray(start, limit.end), start > 0, this.#contentFields);
    return body === undefined ? { ...limit, fields } : { end: start + body, bodyStart: start + body, fields };
  }

  #headerLimit(start: number): HeaderEnd {
    const message = this.#message;
    for (let line = start > 0 ? start : headerStart(message); line < message.length;) {
      if (message[line] === lineFeed) return { end: line, bodyStart: line + 1 };
      if (message[line] === carriageReturn && message[line + 1] === lineFeed) return { end: line, bodyStart: line + 2 };
      let searched = line;
      if (this.#isDashLine(line)) {
        const { level, isClosing, position } = this.#boundaries.compare(message, line);
        if (level !== undefined) {
          return { end: line, bodyStart: line, delimiter: this.#delimiter(level, isClosing, line, position, start) };
        }
        searched = position;
      }
      line = nextLine(message, searched);
    }
    return { end: message.length, bodyStart: message.length };
  }

  #isDashLine(line: number): boolean {
    return this.#boundaries.size > 0 && this.#message[line] === dash && this.#message[line + 1] === dash;
  }

  /** The first line at or after `start` that begins with `--`; -1 if there is none. */
  #dashLineFrom(start: number): number {
    if (this.#boundaries.size === 0) return -1;
    return this.#isDashLine(start) ? start : this.#nextDashLine(start);
  }

  /**
   * The start of the next line that begins with `--`; -1 if there is none. The last octet is compared first, which
   * excludes most positions.
   */
  #nextDashLine(from: number): number {
    const message = this.#message;
    for (let position = from + 2; position < message.length;) {
      const octet = message[position];
      if (octet === lineFeed) position += 2;
      else if (octet !== dash) position += 3;
      else if (message[position - 1] === dash && message[position - 2] === lineFeed) return position - 1;
      else position += 1;
    }
    return -1;
  }

  #delimiter(level: number, isClosing: boolean, line: number, lineEnd: number, contentStart: number): Delimiter {
    return { level, isClosing, contentEnd: this.#withoutLineBreak(line, contentStart), line, nextLine: Math.min(lineEnd + 1, this.#message.length) };
  }

  /**
   * The end of the content before the delimiter at `lineStart`: the line break before a delimiter belongs to the
   * delimiter.
   */
  #withoutLineBreak(lineStart: number, contentStart: number): number {
    let end = lineStart;
    if (end > contentStart && this.#message[end - 1] === lineFeed) end -= 1;
    if (end > contentStart && end < lineStart && this.#message[end - 1] === carriageReturn) end -= 1;
    return end;
  }
}
