/** Sets of strings, each kept once and numbered: a mailbox of 100,000 has a few dozen different sets of mailboxes and of keywords. */
export class InternedSets {
  readonly #numbers = new Map<string, number>();
  readonly #sets: (readonly string[])[] = [];

  /** How many different sets there are; their numbers are below it. */
  get size(): number {
    return this.#sets.length;
  }

  /** The set's number; order and repetitions do not matter. */
  number(members: readonly string[]): number {
    const set = members.length < 2 ? members : [...new Set(members)].sort();
    const name = set.join(' ');
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#sets.length);
    return this.#sets.push(Object.freeze([...set])) - 1;
  }

  /** The members in order; the same frozen array each time. */
  members(number: number): readonly string[] {
    return this.#sets[number]!;
  }

  /** A table by set number: 1 where the set passes, else 0. */
  where(passes: (members: readonly string[]) => boolean): Uint8Array {
    return Uint8Array.from(this.#sets, (members) => Number(passes(members)));
  }
}

/** RFC 8621 §2: an Email with neither of these counts as unread. */
export const isUnread = (keywords: readonly string[]): boolean => !keywords.includes('$seen') && !keywords.includes('$draft');
