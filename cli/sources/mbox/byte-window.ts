/** A window on a stream of octets. Octets are added at its end and consumed at its beginning. */
export class ByteWindow {
  readonly #chunks: AsyncIterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  #offset = 0;
  #isComplete = false;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The octets of the window. They are valid until the next call of another method. */
  get octets(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  get length(): number {
    return this.#end - this.#start;
  }

  /** The offset of the window within the stream. */
  get offset(): number {
    return this.#offset;
  }

  /** Reads one more chunk. @returns false at the end of the stream. */
  async grow(): Promise<boolean> {
    if (this.#isComplete) return false;
    const next = await this.#chunks.next();
    if (next.done) this.#isComplete = true;
    else this.#append(next.value);
    return !next.done;
  }

  /**
   * Reads until the window has `length` octets, or to the end of the stream. @returns whether the window has that many.
   */
  async growTo(length: number): Promise<boolean> {
    while (this.length < length) if (!(await this.grow())) return false;
    return true;
  }

  /** Removes octets from the beginning. */
  consume(length: number): void {
    this.#start += length;
    this.#offset += length;
  }

  #append(chunk: Buffer): void {
    if (this.#end + chunk.length > this.#buffer.length) {
      const needed = this.length + chunk.length;
      const larger = Buffer.allocUnsafe(Math.max(needed * 2, 65_536));
      const kept = this.#buffer.copy(larger, 0, this.#start, this.#end);
      [this.#buffer, this.#start, this.#end] = [larger, 0, kept];
    }
    chunk.copy(this.#buffer, this.#end);
    this.#end += chunk.length;
  }
}
