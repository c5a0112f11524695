/** Sets of strings, each stored once and numbered: an account has a few dozen sets of Mailboxes and of keywords. */
export class InternedSets {
  readonly #numbers = new Map<string, number>();
  readonly #sets: (readonly string[])[] = [];

  /** The number of distinct sets. Set numbers are below it. */
  get size(): number {
    return this.#sets.length;
  }

  /** The number of the set with these members, in any order. */
  intern(members: readonly string[]): number {
    const set = members.length < 2 ? members : [...new Set(members)].sort();
    const name = set.join(' ');
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#sets.length);
    return this.#sets.push(Object.freeze([...set])) - 1;
  }

  /** All sets by number. */
  all(): readonly (readonly string[])[] {
    return this.#sets;
  }

  /** The members in order: the same frozen array on every call. */
  members(number: number): readonly string[] {
    return this.#sets[number]!;
  }

  /** A table indexed by set number: 1 for a set that satisfies the predicate, else 0. */
  matching(predicate: (members: readonly string[]) => boolean): Uint8Array {
    return Uint8Array.from(this.#sets, (members) => Number(predicate(members)));
  }
}

/** Whether an Email with these keywords is unread (RFC 8621 §2, unreadEmails): it has neither `$seen` nor `$draft`. */
export const isUnread = (keywords: readonly string[]): boolean => !keywords.includes('$seen') && !keywords.includes('$draft');
