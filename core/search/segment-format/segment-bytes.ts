/** The reason why a segment or a manifest can't be used. `newer`: a newer release wrote it; `unreadable`: S3 failed. */
export type SegmentProblem = 'missing' | 'damaged' | 'outdated' | 'newer' | 'unreadable';

/** Thrown for an object of the search index that can't be used. */
export class UnusableSegment extends Error {
  override readonly name = 'UnusableSegment';
  readonly problem: SegmentProblem;
  constructor(problem: SegmentProblem, options?: ErrorOptions) {
    super(`an object of the search index is ${problem}`, options);
    this.problem = problem;
  }
}

/** The largest number that {@link ByteWriter.number} writes. */
const maxNumber = 2 ** 35 - 1;

/** Writes numbers and texts one after the other. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** A copy of the octets that were written. */
  toBuffer(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  octet(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** Writes a number from 0 to {@link maxNumber} in one to five octets of 7 bits, the lowest bits first. */
  number(value: number): void {
    this.#reserve(5);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
    this.#bytes[this.#length++] = rest;
  }

  octets(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Writes the length of a text in octets, then the text in UTF-8. */
  text(text: string): void {
    const octets = Buffer.byteLength(text);
    this.number(octets);
    this.#reserve(octets);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Writes the length in octets of the output of `write`, then the output. */
  counted(write: () => void): void {
    const start = this.#length;
    write();
    const octets = Buffer.from(this.#bytes.subarray(start, this.#length));
    this.#length = start;
    this.number(octets.length);
    this.octets(octets);
  }

  #reserve(octets: number): void {
    if (this.#length + octets <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + octets));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/**
 * Reads the output of a {@link ByteWriter}.
 * @throws UnusableSegment when octets are missing or a number is too large.
 */
export class ByteReader {
  readonly bytes: Buffer;
  readonly end: number;
  at: number;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    [this.bytes, this.at, this.end] = [bytes, at, end];
  }

  get isAtEnd(): boolean {
    return this.at >= this.end;
  }

  octet(): number {
    if (this.at >= this.end) throw new UnusableSegment('damaged');
    return this.bytes[this.at++]!;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const octet = this.octet();
      value += (octet & 0x7f) * factor;
      if (octet < 0x80) return value;
      if (value > maxNumber) throw new UnusableSegment('damaged');
    }
  }

  /** Skips octets. @returns the position of the first skipped one. */
  skip(octets: number): number {
    const start = this.at;
    if (octets > this.end - start) throw new UnusableSegment('damaged');
    this.at += octets;
    return start;
  }

  text(): string {
    const start = this.skip(this.number());
    return this.bytes.toString('utf8', start, this.at);
  }
}
