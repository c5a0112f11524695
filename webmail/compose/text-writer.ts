/** Maximum characters of a text, quote marks and columns of indentation of a line, and kept blanks in a row. */
const limits = { text: 1_000_000, depth: 20, indent: 40, spaces: 40 } as const;

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
  /** Blanks before the next text, or tabs between cells. */
  #gap = '';
  #endsInBlank = false;
  /** Kept blanks at the beginning of a line that has no text yet. */
  #lead = '';
  /** The mark of a list item, before its first text. */
  #marker = '';
  #isCellStart = false;
  /** Whether the line has text of several cells. */
  #isRow = false;
  /** Line breaks at the end of a cell, which are those after its row if no other cell has text. */
  #cellBreaks = 0;
  readonly #maxBreaks: number;

  /** @param maxBreaks how many line breaks may be in a row. */
  constructor(maxBreaks: number) {
    this.#maxBreaks = maxBreaks;
  }

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
    const lead = this.#lead;
    if (this.#isLineStart) this.#startLine();
    if (this.#gap.includes('\t')) this.#isRow = true;
    this.#put(lead + this.#gap + word);
    this.#line = (this.#line + this.#gap + word.slice(0, 4)).slice(0, 4);
    [this.#gap, this.#endsInBlank, this.#isCellStart, this.#cellBreaks] = ['', false, false, 0];
  }

  blank(): void {
    if (!this.#hasText || this.#breaks > 0 || this.#endsInBlank || this.#gap.endsWith('\t')) return;
    this.#gap += ' ';
    this.#endsInBlank = true;
  }

  /** Writes blanks that are kept between texts. Those that are a line or a cell of their own are an empty one. */
  spaces(given: string): void {
    if (this.#isCellStart) return;
    const blanks = given.slice(0, limits.spaces);
    if (this.#isLineStart) this.#lead = (this.#lead + blanks).slice(0, limits.spaces);
    else if (this.#gap.length < limits.spaces) {
      this.#gap += blanks;
      this.#endsInBlank = false;
    }
  }

  /** Ends the line, so that the next text has at least this many line breaks before it. */
  breakLine(count: number): void {
    if (count === 0 || this.#isCellStart) return;
    this.#endLine();
    this.#breaks = Math.max(this.#breaks, count, this.#cellBreaks);
    this.#cellBreaks = 0;
  }

  breakOnce(): void {
    if (this.#marker !== '') this.text('');
    const isEmptyLine = this.#lead !== '';
    this.#endLine();
    if (!isEmptyLine) this.#breaks = Math.min(this.#breaks + 1, this.#maxBreaks);
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

  /** Begins a table, also one that begins a row of another one. */
  openTable(): void {
    if (this.#isCellStart && this.#breaks > 0) this.#breaks = Math.max(this.#breaks, Math.min(2, this.#maxBreaks));
  }

  closeTable(): void {
    this.#isRow = false;
  }

  closeCell(): void {
    if (!this.#isCellStart && !this.#isRow) this.#cellBreaks = this.#breaks;
    if (this.#breaks === 0 || !this.#isCellStart) {
      this.#gap = `${this.#isCellStart ? this.#gap : ''}\t`;
      this.#breaks = 0;
    }
    this.#lead = '';
    this.#isCellStart = false;
  }

  get #isLineStart(): boolean {
    return !this.#hasText || this.#breaks > 0 || this.#marker !== '';
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
    this.#isRow = false;
    this.#breaks = 0;
    [this.#line, this.#lead, this.#gap, this.#marker] = ['', '', '', ''];
  }

  #endLine(): void {
    // The line before a signature ends with a blank (RFC 3676 §4.3), which HTML does not show.
    if (this.#gap === ' ' && this.#line === '--') this.#put(' ');
    if (this.#lead !== '') this.#breaks = Math.max(this.#breaks, Math.min(2, this.#maxBreaks));
    [this.#lead, this.#gap, this.#endsInBlank] = ['', '', false];
  }
}
