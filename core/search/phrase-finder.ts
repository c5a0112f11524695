import type { Phrase } from '../mail/email/index/email-filter.ts';

/** A prefix at the end of a phrase: the number of the phrase, and the bit that is set while the prefix may follow. */
type LastPrefix = { readonly prefix: string; readonly bit: number };

/**
 * A state while the automaton is built: the states of beginnings that are one word longer, and the phrases that end in
 * this state.
 */
type OpenState = { readonly children: Map<number, number>; readonly ends: number[]; readonly awaited: number[] };

const openState = (): OpenState => ({ children: new Map(), ends: [], awaited: [] });

/** A set of bits, as words of 32 bits. */
const bitsOf = (bits: readonly number[], words: number): Uint32Array => {
  const set = new Uint32Array(words);
  for (const bit of bits) set[bit >>> 5]! |= 1 << (bit & 31);
  return set;
};

/**
 * Finds which of many phrases occur in a document (Aho–Corasick). Each word of the document is read once, for any
 * number of phrases. A state stands for the longest beginning of a phrase that is a suffix of the words read so far.
 * Each word has a class: 0 if no phrase contains it. Each word of a phrase, and each set of prefixes that words have,
 * has a separate class.
 */
export class PhraseFinder {
  /** The numbers of the phrases in each group. */
  readonly #groups: readonly (readonly number[])[];
  readonly #symbols = new Map<string, number>();
  /** Prefixes by their first UTF-16 unit. */
  readonly #prefixes = new Map<number, LastPrefix[]>();
  /** The number of the phrase for each bit of a prefix. */
  readonly #prefixPhrases: number[] = [];
  readonly #classes = new Map<string, number>();
  readonly #symbolOfClass: number[] = [0];
  readonly #prefixesOfClass: (Uint32Array | undefined)[] = [undefined];
  /** The next state, by state and symbol. */
  readonly #next: Uint32Array;
  readonly #ends: readonly (readonly number[])[];
  /** For each state: the longest suffix that is a whole phrase, then the next shorter one; 0 for none. */
  readonly #ending: Uint32Array;
  readonly #shorterEnding: Uint32Array;
  /** The prefixes that may follow, by state. */
  readonly #awaited: readonly Uint32Array[];
  /** The places of the document where a phrase occurs, as bits, indexed by phrase number. */
  readonly #places: Uint32Array;
  readonly #reportedIn: Uint32Array;
  #foundPrefixes: Uint32Array;
  #phraseCount = 0;
  #place = 0;
  #visit = 0;
  #foundHere = 0;
  #state = 0;

  /** @param groups the phrases of each condition. */
  constructor(groups: readonly (readonly Phrase[])[]) {
    const states = [openState()];
    const numbers = new Map<string, number>();
    this.#groups = groups.map((phrases) =>
      phrases.map((phrase) => {
        const key = `${phrase.isPrefix ? '*' : ' '}${phrase.terms.join(' ')}`;
        const known = numbers.get(key);
        if (known !== undefined) return known;
        numbers.set(key, this.#phraseCount);
        this.#add(phrase, states);
        return this.#phraseCount++;
      }),
    );
    const bitWords = Math.ceil(this.#prefixPhrases.length / 32);
    this.#ends = states.map(({ ends }) => ends);
    this.#awaited = states.map(({ awaited }) => bitsOf(awaited, bitWords));
    this.#next = new Uint32Array(states.length * (this.#symbols.size + 1));
    this.#ending = new Uint32Array(states.length);
    this.#shorterEnding = new Uint32Array(states.length);
    this.#link(states);
    this.#places = new Uint32Array(this.#phraseCount);
    this.#reportedIn = new Uint32Array(states.length);
    this.#foundPrefixes = new Uint32Array(bitWords);
  }

  /** The class of a word. */
  classOf(word: string): number {
    const symbol = this.#symbols.get(word) ?? 0;
    const prefixes = this.#prefixes.size === 0 ? [] : (this.#prefixes.get(word.charCodeAt(0)) ?? []).filter(({ prefix }) => word.startsWith(prefix));
    if (prefixes.length === 0 && symbol === 0) return 0;
    // The longest prefix determines which other prefixes the word has.
    const key = `${symbol} ${prefixes.reduce((longest, { prefix }) => (prefix.length > longest.length ? prefix : longest), '')}`;
    let number = this.#classes.get(key);
    if (number === undefined) {
      number = this.#symbolOfClass.length;
      this.#classes.set(key, number);
      this.#symbolOfClass.push(symbol);
      this.#prefixesOfClass.push(
        prefixes.length === 0
          ? undefined
          : bitsOf(
              prefixes.map(({ bit }) => bit),
              this.#foundPrefixes.length,
            ),
      );
    }
    return number;
  }

  beginDocument(): void {
    this.#places.fill(0);
  }

  /** Begins a place of the document, such as a field. @param place the number of the place, from 0 to 31. */
  beginPlace(place: number): void {
    this.#place = 1 << place;
    this.#visit++;
    this.#foundHere = 0;
    this.#foundPrefixes.fill(0);
    this.#state = 0;
  }

  /** Whether all phrases were found in this place. */
  get isComplete(): boolean {
    return this.#foundHere === this.#phraseCount;
  }

  /** Continues with the class of the next word. */
  next(wordClass: number): void {
    if (wordClass === 0) {
      this.#state = 0;
      return;
    }
    const prefixes = this.#prefixesOfClass[wordClass];
    if (prefixes) this.#reportPrefixes(prefixes);
    this.#state = this.#next[this.#state * (this.#symbols.size + 1) + this.#symbolOfClass[wordClass]!]!;
    const ending = this.#ending[this.#state]!;
    if (ending !== 0 && this.#reportedIn[ending] !== this.#visit) this.#report(ending);
  }

  /** Ends a text, because no phrase spans two texts. */
  endText(): void {
    this.#state = 0;
  }

  /**
   * Whether all phrases of a group occur in the document.
   * @param places the places where an occurrence counts, as bits.
   */
  allOccur(group: number, places: number): boolean {
    return this.#groups[group]!.every((phrase) => (this.#places[phrase]! & places) !== 0);
  }

  #add({ terms, isPrefix }: Phrase, states: OpenState[]): void {
    const last = terms.at(-1);
    // A phrase without terms occurs nowhere.
    if (last === undefined) return;
    let state = 0;
    for (const term of isPrefix ? terms.slice(0, -1) : terms) {
      const symbol = this.#symbols.get(term) ?? this.#symbols.size + 1;
      this.#symbols.set(term, symbol);
      const { children } = states[state]!;
      const child = children.get(symbol) ?? states.push(openState()) - 1;
      children.set(symbol, child);
      state = child;
    }
    if (!isPrefix) {
      states[state]!.ends.push(this.#phraseCount);
      return;
    }
    const bit = this.#prefixPhrases.push(this.#phraseCount) - 1;
    states[state]!.awaited.push(bit);
    const first = last.charCodeAt(0);
    this.#prefixes.set(first, [...(this.#prefixes.get(first) ?? []), { prefix: last, bit }]);
  }

  /** Fills the table of transitions, from shorter beginnings of phrases to longer ones. */
  #link(states: readonly OpenState[]): void {
    const width = this.#symbols.size + 1;
    const next = this.#next;
    const shorter = new Uint32Array(states.length);
    const queue = [0];
    for (const state of queue) {
      const suffix = shorter[state]!;
      this.#shorterEnding[state] = this.#ending[suffix]!;
      this.#ending[state] = this.#ends[state]!.length > 0 ? state : this.#ending[suffix]!;
      const awaited = this.#awaited[state]!;
      for (let at = 0; at < awaited.length; at++) awaited[at]! |= this.#awaited[suffix]![at]!;
      for (let symbol = 1; symbol < width; symbol++) {
        const child = states[state]!.children.get(symbol);
        const fallback = state === 0 ? 0 : next[suffix * width + symbol]!;
        next[state * width + symbol] = child ?? fallback;
        if (child === undefined) continue;
        shorter[child] = fallback;
        queue.push(child);
      }
    }
  }

  #found(phrase: number): void {
    this.#places[phrase]! |= this.#place;
    this.#foundHere++;
  }

  /**
   * Marks the phrases that end here as found. Each state is reported once for each place, together with its shorter
   * phrases.
   */
  #report(ending: number): void {
    for (let state = ending; state !== 0 && this.#reportedIn[state] !== this.#visit; state = this.#shorterEnding[state]!) {
      this.#reportedIn[state] = this.#visit;
      for (const phrase of this.#ends[state]!) this.#found(phrase);
    }
  }

  #reportPrefixes(prefixes: Uint32Array): void {
    const awaited = this.#awaited[this.#state]!;
    for (let at = 0; at < prefixes.length; at++) {
      for (let bits = prefixes[at]! & awaited[at]! & ~this.#foundPrefixes[at]!; bits !== 0; bits &= bits - 1) {
        this.#found(this.#prefixPhrases[at * 32 + (31 - Math.clz32(bits & -bits))]!);
      }
      this.#foundPrefixes[at]! |= prefixes[at]! & awaited[at]!;
    }
  }
}
