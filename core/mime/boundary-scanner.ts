import { parseLimits } from './parse-limits.ts';

/** Where the content of a part ended: at a delimiter line of one of the open multiparts, or at the end of the message. */
export type Delimiter = {
  /** Index of the multipart among those that are open, outermost first; -1 at the end of the message. */
  readonly level: number;
  /** It was the multipart's last delimiter. */
  readonly isClosing: boolean;
  /** Where the content before it ends: the line break belongs to the delimiter (RFC 2046 §5.1.1). */
  readonly before: number;
  /** Where the line after it starts. */
  readonly after: number;
};

const lineFeed = 0x0a;
const dash = 0x2d;

/**
 * The delimiter lines of the multiparts that are open, while a message is read from its beginning to its end. Each octet is looked at a fixed
 * number of times: lines are found by the search of the platform, and a line is compared with no more than `limits.depth` boundaries.
 */
export class BoundaryScanner {
  readonly #message: Buffer;
  readonly #open: string[] = [];

  constructor(message: Buffer) {
    this.#message = message;
  }

  /** @returns the level of the multipart that was opened. */
  open(boundary: string): number {
    return this.#open.push(boundary) - 1;
  }

  /** Closes the innermost multipart: its delimiters are text from here on. */
  close(): void {
    this.#open.pop();
  }

  /** The delimiter on the line that starts at `start`, if it is one. `contentStart`: where the content before it began. */
  delimiterAt(start: number, contentStart: number): Delimiter | undefined {
    if (this.#message[start] !== dash || this.#message[start + 1] !== dash || !this.#mayBegin(this.#message[start + 2])) return undefined;
    const found = this.#message.indexOf(lineFeed, start);
    const feed = found < 0 ? this.#message.length : found;
    const line = this.#message.toString('latin1', start + 2, Math.min(feed, start + parseLimits.boundary + 80)).trimEnd();
    const level = this.#open.findLastIndex((boundary) => line === boundary || line === `${boundary}--`);
    if (level < 0) return undefined;
    return { level, isClosing: line !== this.#open[level], before: this.#lineBreakBefore(start, contentStart), after: Math.min(feed + 1, this.#message.length) };
  }

  /** The first delimiter from `start` on, which is the start of a line. */
  nextDelimiter(start: number): Delimiter {
    const end: Delimiter = { level: -1, isClosing: true, before: this.#message.length, after: this.#message.length };
    if (this.#open.length === 0) return end;
    const here = this.delimiterAt(start, start);
    if (here) return here;
    for (let at = this.#message.indexOf('\n--', start); at >= 0; at = this.#message.indexOf('\n--', at + 1)) {
      const delimiter = this.delimiterAt(at + 1, start);
      if (delimiter) return delimiter;
    }
    return end;
  }

  /** Turns most lines away before they are made into text. */
  #mayBegin(octet: number | undefined): boolean {
    return this.#open.some((boundary) => boundary.charCodeAt(0) === octet);
  }

  #lineBreakBefore(start: number, contentStart: number): number {
    let end = start;
    if (end > contentStart && this.#message[end - 1] === lineFeed) end -= 1;
    if (end > contentStart && end < start && this.#message[end - 1] === 0x0d) end -= 1;
    return end;
  }
}
