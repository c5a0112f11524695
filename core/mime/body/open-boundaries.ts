import { lineFeed } from '../lines.ts';

/**
 * The result of comparing a line: the level of the multipart that the line delimits, if any, and the position where the
 * comparison stopped.
 */
type ComparedLine = {
  /** Index of the multipart among the open ones, outermost first; undefined when the line is not a delimiter. */
  readonly level?: number;
  /** Whether this is the multipart's closing delimiter: `--boundary--`. */
  readonly isClosing: boolean;
  /** A position such that no line feed is between the start of the line and this position. */
  readonly position: number;
};

/** The changes of the trie for one boundary, so that closing the boundary can undo them. */
type OpenBoundary = {
  /** The number of nodes in the trie before the boundary was added. */
  readonly nodesBefore: number;
  /** Index in the trie of the edge to the boundary's first new node. Undefined when no node was added. */
  readonly edge?: number;
  /** The last nodes of the delimiter and of the closing delimiter, with the boundaries that previously ended there. */
  readonly ends: readonly (readonly [node: number, before: number])[];
};

const octetValues = 256;
const root = 0;
const none = 0;

const isBlank = (octet: number): boolean => octet === 0x20 || octet === 0x09 || octet === 0x0d;

/**
 * The boundaries of the open multiparts (RFC 2046 §5.1.1), as a trie over octets. A line is compared with all
 * boundaries together, in one step for each octet. The time depends neither on the number of boundaries nor on common
 * prefixes.
 */
export class OpenBoundaries {
  /** The next node for each node and octet, or 0. */
  #next = new Uint16Array(64 * octetValues);
  /** The boundary that ends at each node: {@link none}, or 2 × level + 1, plus 1 for a closing delimiter. */
  readonly #ending: number[] = [none];
  readonly #open: OpenBoundary[] = [];

  get size(): number {
    return this.#open.length;
  }

  /** Adds the boundary of a multipart within the innermost one. @returns its level. */
  push(boundary: string): number {
    const level = this.#open.length;
    const nodesBefore = this.#ending.length;
    const octets = Buffer.from(`${boundary}--`, 'latin1');
    let [node, edge, end]: [number, number | undefined, number] = [root, undefined, root];
    for (const [index, octet] of octets.entries()) {
      const from = node * octetValues + octet;
      node = this.#next[from]!;
      if (node === none) {
        node = this.#addNode();
        this.#next[from] = node;
        edge ??= from;
      }
      if (index === octets.length - 3) end = node;
    }
    const ends = [
      [end, this.#ending[end]!],
      [node, this.#ending[node]!],
    ] as const;
    this.#ending[end] = 2 * level + 1;
    this.#ending[node] = 2 * level + 2;
    this.#open.push({ nodesBefore, edge, ends });
    return level;
  }

  /** Removes the boundary of the innermost multipart. */
  pop(): void {
    const { nodesBefore, edge, ends } = this.#open.pop()!;
    if (edge !== undefined) this.#next[edge] = none;
    for (const [node, before] of ends) this.#ending[node] = before;
    this.#next.fill(none, nodesBefore * octetValues, this.#ending.length * octetValues);
    this.#ending.length = nodesBefore;
  }

  /**
   * Compares a line that begins with `--`. Blanks at the end of the line are ignored. If several multiparts have the
   * same delimiter, the innermost one is found.
   */
  compare(message: Buffer, lineStart: number): ComparedLine {
    let [node, lastNode, position] = [root, root, lineStart + 2];
    for (let isInTrie = true; position < message.length; position += 1) {
      const octet = message[position]!;
      if (octet === lineFeed) break;
      const next: number = isInTrie ? this.#next[node * octetValues + octet]! : none;
      if (!isBlank(octet)) {
        if (next === none) return { isClosing: false, position };
        lastNode = next;
      }
      isInTrie = next !== none;
      node = next;
    }
    const ending = this.#ending[lastNode]!;
    if (ending === none) return { isClosing: false, position };
    return { level: (ending - 1) >> 1, isClosing: ending % 2 === 0, position };
  }

  #addNode(): number {
    const node = this.#ending.push(none) - 1;
    if (this.#next.length < (node + 1) * octetValues) {
      const larger = new Uint16Array(this.#next.length * 2);
      larger.set(this.#next);
      this.#next = larger;
    }
    return node;
  }
}
