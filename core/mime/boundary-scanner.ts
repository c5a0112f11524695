import { parseLimits } from './parse-limits.ts';

/**
 * The end of a part's content: a delimiter line of one of the open multiparts (RFC 2046 §5.1.1), or the end of the
 * message.
 */
export type Delimiter = {
  /** Index of the multipart among the open ones, outermost first; -1 at the end of the message. */
  readonly level: number;
  /** It is the multipart's last delimiter: `--boundary--`. */
  readonly isClosing: boolean;
  /** End of the content before the delimiter. The line break before the delimiter belongs to the delimiter. */
  readonly contentEnd: number;
  /** Start of the line after the delimiter. */
  readonly nextLine: number;
};

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const dash = 0x2d;

/** Octets after a boundary that are read: `--` and the blanks that may follow it. */
const delimiterPadding = 80;

/**
 * Finds the delimiter lines of the multiparts that are open, while a message is read from start to end. The work is
 * linear: `indexOf` finds the lines, and a line is compared with at most `parseLimits.depth` boundaries.
 */
export class BoundaryScanner {
  readonly #message: Buffer;
  readonly #open: string[] = [];

  constructor(message: Buffer) {
    this.#message = message;
  }

  /** Opens a multipart within the innermost one. @returns its level. */
  open(boundary: string): number {
    return this.#open.push(boundary) - 1;
  }

  /** Closes the innermost multipart: from here on, its delimiters are text. */
  close(): void {
    this.#open.pop();
  }

  /**
   * The delimiter on the line that starts at `lineStart`, or undefined.
   * @param contentStart start of the content that the delimiter would end.
   */
  delimiterAt(lineStart: number, contentStart: number): Delimiter | undefined {
    const isCandidate = this.#message[lineStart] === dash && this.#message[lineStart + 1] === dash
      && this.#startsBoundary(this.#message[lineStart + 2]);
    if (!isCandidate) return undefined;
    const feed = this.#message.indexOf(lineFeed, lineStart);
    const lineEnd = feed < 0 ? this.#message.length : feed;
    const readEnd = Math.min(lineEnd, lineStart + parseLimits.boundary + delimiterPadding);
    const line = this.#message.toString('latin1', lineStart + 2, readEnd).trimEnd();
    const level = this.#open.findLastIndex((boundary) => line === boundary || line === `${boundary}--`);
    if (level < 0) return undefined;
    return {
      level,
      isClosing: line !== this.#open[level],
      contentEnd: this.#withoutLineBreak(lineStart, contentStart),
      nextLine: Math.min(lineEnd + 1, this.#message.length),
    };
  }

  /** The first delimiter at or after `start`, which is the start of a line. */
  nextDelimiter(start: number): Delimiter {
    const endOfMessage: Delimiter = { level: -1, isClosing: true, contentEnd: this.#message.length, nextLine: this.#message.length };
    if (this.#open.length === 0) return endOfMessage;
    const first = this.delimiterAt(start, start);
    if (first) return first;
    for (let feed = this.#message.indexOf('\n--', start); feed >= 0; feed = this.#message.indexOf('\n--', feed + 1)) {
      const delimiter = this.delimiterAt(feed + 1, start);
      if (delimiter) return delimiter;
    }
    return endOfMessage;
  }

  /** A cheap test that excludes most lines before they are converted to text. */
  #startsBoundary(octet: number | undefined): boolean {
    return this.#open.some((boundary) => boundary.charCodeAt(0) === octet);
  }

  /** Where the content ends that a delimiter line at `lineStart` follows. */
  #withoutLineBreak(lineStart: number, contentStart: number): number {
    let end = lineStart;
    if (end > contentStart && this.#message[end - 1] === lineFeed) end -= 1;
    if (end > contentStart && end < lineStart && this.#message[end - 1] === carriageReturn) end -= 1;
    return end;
  }
}
