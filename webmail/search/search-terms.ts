/** The operators that a person types before a colon. */
export const searchOperators = ['from', 'to', 'cc', 'subject', 'body', 'has', 'is', 'in', 'label', 'before', 'after', 'larger', 'smaller'] as const;
export type SearchOperator = (typeof searchOperators)[number];

/** A part of a search. The operator `text` stands for words and phrases without an operator. */
export type SearchTerm = { readonly operator: SearchOperator | 'text'; readonly value: string; readonly isNegated: boolean };

/** A term and its place in the text. Its value is blank while a person has typed the operator alone. */
export type PlacedTerm = SearchTerm & {
  readonly start: number;
  /** Position of the value, which is that of its quotation mark if it has one. */
  readonly valueStart: number;
  readonly end: number;
  /** Whether the value has a quotation mark at its beginning and none at its end. */
  readonly isUnclosed: boolean;
};

const byName: ReadonlyMap<string, SearchOperator> = new Map(searchOperators.map((operator) => [operator, operator]));
const longestName = Math.max(...searchOperators.map(({ length }) => length));

/** Marks that end a phrase, by the one that begins it. Phones write curly ones. */
const closingMarks: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['“', '”“'],
  ['„', '”“'],
  ['”', '”'],
]);

const isBlank = (character: string): boolean => /\s/.test(character);

type Value = { readonly value: string; readonly end: number; readonly isUnclosed: boolean };

/** The phrase whose quotation mark is at the position. Without a closing mark it ends with the text. */
const phraseAt = (text: string, start: number, closing: string): Value => {
  const pieces: string[] = [];
  let pieceStart = start + 1;
  for (let at = pieceStart; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === '\\' && (text[at + 1] === '"' || text[at + 1] === '\\')) {
      pieces.push(text.slice(pieceStart, at));
      pieceStart = at + 1;
      at += 1;
    } else if (closing.includes(character)) {
      return { value: [...pieces, text.slice(pieceStart, at)].join(''), end: at + 1, isUnclosed: false };
    }
  }
  return { value: [...pieces, text.slice(pieceStart)].join(''), end: text.length, isUnclosed: true };
};

const valueAt = (text: string, start: number): Value => {
  const closing = closingMarks.get(text[start]!);
  if (closing) return phraseAt(text, start, closing);
  let end = start;
  while (end < text.length && !isBlank(text[end]!)) end += 1;
  return { value: text.slice(start, end), end, isUnclosed: false };
};

const operatorAt = (text: string, start: number): SearchOperator | undefined => {
  const name = text.slice(start, start + longestName + 1).toLowerCase();
  const colon = name.indexOf(':');
  return colon < 0 ? undefined : byName.get(name.slice(0, colon));
};

/** The terms of a text and their places, in order. It reads each character a bounded number of times. */
export function* placedTerms(text: string): Generator<PlacedTerm, void, undefined> {
  let position = 0;
  while (position < text.length) {
    if (isBlank(text[position]!)) {
      position += 1;
      continue;
    }
    const start = position;
    const isNegated = text[start] === '-' && start + 1 < text.length && !isBlank(text[start + 1]!);
    const wordStart = start + (isNegated ? 1 : 0);
    const operator = operatorAt(text, wordStart);
    const valueStart = operator ? wordStart + operator.length + 1 : wordStart;
    const { value, end, isUnclosed } = valueStart < text.length ? valueAt(text, valueStart) : { value: '', end: valueStart, isUnclosed: false };
    yield { operator: operator ?? 'text', value: value.trim(), isNegated, start, valueStart, end, isUnclosed };
    position = end;
  }
}

/** The terms of a search that a person typed. An operator without a value is no term. */
export const parseSearch = (text: string): SearchTerm[] => {
  const terms: SearchTerm[] = [];
  for (const { operator, value, isNegated } of placedTerms(text)) if (value !== '') terms.push({ operator, value, isNegated });
  return terms;
};

export const isSameTerm = (one: SearchTerm, other: SearchTerm): boolean =>
  one.operator === other.operator && one.value === other.value && one.isNegated === other.isNegated;

const textOfTerm = (term: SearchTerm): string => {
  const prefix = `${term.isNegated ? '-' : ''}${term.operator === 'text' ? '' : `${term.operator}:`}`;
  const bare = parseSearch(prefix + term.value);
  return bare.length === 1 && isSameTerm(bare[0]!, term) ? prefix + term.value : `${prefix}"${term.value.replaceAll(/["\\]/g, '\\$&')}"`;
};

/** The text of a search, from which {@link parseSearch} reads the same terms. Values have quotation marks where they need them. */
export const textOf = (terms: readonly SearchTerm[]): string => terms.map(textOfTerm).join(' ');
