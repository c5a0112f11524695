import type { EmailColumns } from './email-columns.ts';

/**
 * A boolean property of Emails: 1 or 0 for each value of a column, for example for each set of keywords or each Thread.
 */
export type ColumnTest = { readonly column: Uint32Array; readonly table: Uint8Array };

const some = 1;
const lacking = 2;

/**
 * For each Thread, the keywords that all, some or none of its Emails have. Each keyword is counted once. Valid for one
 * query.
 */
export class ThreadKeywords {
  readonly #columns: EmailColumns;
  /**
   * Flags for each keyword in lower case, indexed by Thread slot: whether some of the Thread's Emails have the keyword,
   * and whether some lack it.
   */
  readonly #flags = new Map<string, Uint8Array>();

  constructor(columns: EmailColumns) {
    this.#columns = columns;
  }

  /** Whether all Emails in the Thread of an Email have the keyword. */
  all(keyword: string): ColumnTest {
    return this.#test(keyword, (flags) => (flags & lacking) === 0);
  }

  /** Whether some Email in the Thread of an Email has the keyword. */
  some(keyword: string): ColumnTest {
    return this.#test(keyword, (flags) => (flags & some) !== 0);
  }

  /** Whether no Email in the Thread of an Email has the keyword. */
  none(keyword: string): ColumnTest {
    return this.#test(keyword, (flags) => (flags & some) === 0);
  }

  #test(keyword: string, holds: (flags: number) => boolean): ColumnTest {
    return { column: this.#columns.thread, table: this.#flagsOf(keyword.toLowerCase()).map((flags) => Number(holds(flags))) };
  }

  #flagsOf(keyword: string): Uint8Array {
    const known = this.#flags.get(keyword);
    if (known) return known;
    const { thread, threads, keywordSet, keywordSets, ids } = this.#columns;
    const ofSet = keywordSets.matching((keywords) => keywords.includes(keyword)).map((has) => (has ? some : lacking));
    const flags = new Uint8Array(threads.capacity);
    for (const slot of ids.slots()) flags[thread[slot]!]! |= ofSet[keywordSet[slot]!]!;
    this.#flags.set(keyword, flags);
    return flags;
  }
}
