import type { EmailColumns } from './email-columns.ts';

/** A boolean property of Emails: 1 or 0 for each value of a column, such as the set of keywords or the Thread. */
export type ColumnTest = { readonly column: Uint32Array; readonly table: Uint8Array };

const some = 1;
const lacking = 2;

/**
 * The keywords of the Emails of each Thread. The first use of a keyword takes one pass over all Emails. An instance is
 * valid for one query.
 */
export class ThreadKeywords {
  readonly #columns: EmailColumns;
  /** By keyword, in lower case: of each Thread slot, whether some of its Emails have it, and whether some lack it. */
  readonly #flags = new Map<string, Uint8Array>();

  constructor(columns: EmailColumns) {
    this.#columns = columns;
  }

  /** Whether all Emails of an Email's Thread have the keyword. */
  all(keyword: string): ColumnTest {
    return this.#test(keyword, (flags) => (flags & lacking) === 0);
  }

  /** Whether some Email of an Email's Thread has the keyword. */
  some(keyword: string): ColumnTest {
    return this.#test(keyword, (flags) => (flags & some) !== 0);
  }

  /** Whether no Email of an Email's Thread has the keyword. */
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
