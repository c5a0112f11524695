/** Maximum characters of a text, quote marks and columns of indentation of a line, and line breaks in a row. */
const limits = { text: 1_000_000, depth: 20, indent: 40, breaks: 100 } as const;

/** Writes the lines of a text whose blanks and line breaks are known only when more text follows. */
export class TextWriter {
  readonly #pieces: string[] = [];
  #length = 0;
  /** The beginning of the line. */
  #line = '';
  #hasText = false;
  #depth = 0;
  #lineDepth = 0;
  #indent = 0;
  /** Line breaks before the next text. */
  #breaks = 0;
  /** A blank before the next text, or tabs between cells. */
  #gap = '';
  /** The mark of a list item, before its first text. */
  #marker = '';
  #isCellStart = false;

  get isFull(): boolean {
    return this.#length >= limits.text;
  }

  /** Where the next text will be among the pieces that are written. */
  get position(): number {
    return this.#pieces.length;
  }

  since(position: number): string {
    return this.#pieces.slice(position).join('');
  }

  text(word: string): void {
    if (!this.#hasText || this.#breaks > 0 || this.#marker !== '') this.#startLine();
    this.#put(this.#gap + word);
    this.#line = (this.#line + this.#gap + word.slice(0, 4)).slice(0, 4);
    this.#gap = '';
    this.#isCellStart = false;
  }

  blank(): void {
    if (this.#hasText && this.#breaks === 0 && this.#gap === '') this.#gap = ' ';
  }

  /** Ends the line, so that the next text has at least this many line breaks before it. */
  breakLine(count: number): void {
    if (count === 0 || this.#isCellStart) return;
    this.#endLine();
    this.#breaks = Math.max(this.#breaks, count);
  }

  breakOnce(): void {
    if (this.#marker !== '') this.text('');
    this.#endLine();
    this.#breaks = Math.min(this.#breaks + 1, limits.breaks);
  }

  openQuote(): void {
    this.#depth += 1;
  }

  closeQuote(): void {
    this.#depth -= 1;
  }

  openItem(marker: string): void {
    this.#indent += marker.length;
    this.#marker = marker;
  }

  closeItem(marker: string): void {
    if (this.#marker !== '') this.text('');
    this.#indent -= marker.length;
  }

  /** Begins a cell of a table. What ends lines before its first text does not, so that a row is a line. */
  openCell(): void {
    this.#isCellStart = true;
  }

  closeCell(): void {
    if (this.#breaks === 0 || !this.#isCellStart) {
      this.#gap = `${this.#isCellStart ? this.#gap : ''}\t`;
      this.#breaks = 0;
    }
    this.#isCellStart = false;
  }

  #put(text: string): void {
    const kept = text.slice(0, limits.text - this.#length);
    this.#pieces.push(kept);
    this.#length += kept.length;
  }

  #startLine(): void {
    const marks = (depth: number): string => '>'.repeat(Math.min(depth, limits.depth));
    if (this.#hasText) {
      this.#put('\n');
      for (let blank = 1; blank < this.#breaks; blank += 1) this.#put(`${marks(Math.min(this.#depth, this.#lineDepth))}\n`);
    }
    this.#put(`${marks(this.#depth)}${this.#depth > 0 ? ' ' : ''}${this.#marker.padStart(Math.min(this.#indent, limits.indent))}`);
    this.#hasText = true;
    this.#lineDepth = this.#depth;
    this.#breaks = 0;
    [this.#line, this.#gap, this.#marker] = ['', '', ''];
  }

  #endLine(): void {
    // The line before a signature ends with a blank (RFC 3676 §4.3), which HTML does not show.
    if (this.#gap === ' ' && this.#line === '--') this.#put(' ');
    this.#gap = '';
  }
}
