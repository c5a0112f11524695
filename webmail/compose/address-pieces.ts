/** Characters between two addresses. `fold` is the break of a line that goes on in the next one (RFC 5322 §2.2.3); `next` is nothing at all. */
export type Separator = 'comma' | 'semicolon' | 'tab' | 'fold' | 'line' | 'next';

/** A part of a text between separators. */
export type Piece = {
  readonly start: number;
  readonly end: number;
  /** The text without comments and angle brackets, as it is, and with quoted text as what it means. */
  readonly bare: string;
  readonly words: string;
  readonly comment: string;
  /** The text in angle brackets. */
  readonly angle: string | undefined;
  readonly isUrl: boolean;
  /** The beginnings of what follows the name of a group (RFC 5322 §3.4), in `bare` and in `words`. */
  readonly afterGroup: { readonly bare: number; readonly words: number } | undefined;
  /** Undefined where the text ends. */
  readonly separator: Separator | undefined;
};

const isSpace = (character: string | undefined): boolean => character === ' ' || character === '\u00a0';

const separatorAt = (text: string, at: number): Separator | undefined => {
  const character = text[at];
  if (character === ',') return 'comma';
  if (character === ';') return 'semicolon';
  if (character === '\t') return 'tab';
  if (character !== '\n') return undefined;
  return text[at + 1] === ' ' || text[at + 1] === '\t' ? 'fold' : 'line';
};

const unescaped = (text: string): string => text.replaceAll(/\\([^])/g, '$1');

/**
 * Finds where quotes, comments and angle brackets end, in a time that grows with the text only: a search that failed says
 * for all that it passed that they do not end.
 */
const createEnds = (text: string) => {
  const isEnd = (at: number): boolean => at >= text.length || separatorAt(text, at) === 'line';
  const isEscape = (at: number): boolean => text[at] === '\\' && !isEnd(at + 1);
  const closings = new Map<number, number>();
  let [noQuoteBefore, noCommentBefore] = [0, 0];

  /** The end of a quote. A quote that ends before a letter is one that somebody forgot to end. */
  const quote = (start: number): number | undefined => {
    if (start < noQuoteBefore) return undefined;
    let at = start + 1;
    for (; !isEnd(at) && text[at] !== '"'; at += 1) if (isEscape(at)) at += 1;
    if (!isEnd(at) && !/[\p{L}\p{N}]/u.test(text[at + 1] ?? '')) return at;
    noQuoteBefore = at;
    return undefined;
  };

  const comment = (start: number): number | undefined => {
    if (closings.has(start) || start < noCommentBefore) return closings.get(start);
    const open: number[] = [];
    let at = start;
    for (; !isEnd(at); at += 1) {
      if (isEscape(at)) at += 1;
      else if (text[at] === '(') open.push(at);
      else if (text[at] === ')') closings.set(open.pop() ?? start, at);
      if (open.length === 0) return closings.get(start);
    }
    noCommentBefore = at;
    return undefined;
  };

  const angle = (start: number): number | undefined => {
    for (let at = start + 1; at < text.length && text[at] !== '<' && separatorAt(text, at) === undefined; at += 1) {
      if (text[at] === '>') return at;
      if (text[at] === '"') at = quote(at) ?? at;
    }
    return undefined;
  };

  /** The end of a URL. Commas and semicolons belong to it. */
  const url = (start: number): number => {
    let at = start;
    while (at < text.length && !/[\s<>"]/.test(text[at]!)) at += 1;
    return at;
  };
  return { quote, comment, angle, url };
};

type Mutable = { -readonly [Key in keyof Piece]: Piece[Key] };

const newPiece = (start: number): Mutable => ({
  start,
  end: start,
  bare: '',
  words: '',
  comment: '',
  angle: undefined,
  isUrl: false,
  afterGroup: undefined,
  separator: undefined,
});

/** Divides a text at its separators, in one pass. Line ends are `\n`. */
export const addressPieces = (text: string): readonly Piece[] => {
  const ends = createEnds(text);
  const pieces: Piece[] = [];
  let piece = newPiece(0);
  // Not read from the texts, which would take longer the longer they are.
  let [isBlank, hasAt] = [true, false];
  const finish = (separator: Separator | undefined, end: number, next: number): number => {
    pieces.push({ ...piece, separator, end });
    piece = newPiece(next);
    [isBlank, hasAt] = [true, false];
    return next;
  };
  /** Adds a character that stands for itself. A colon after a name ends the name of a group. */
  const addText = (at: number): void => {
    const character = text[at]!;
    piece.bare += character;
    if (character !== '"') piece.words += character;
    isBlank &&= /\s/.test(character);
    hasAt ||= character === '@';
    if (character !== ':' || piece.afterGroup || hasAt || at === piece.start || /\s/.test(text[at - 1]!)) return;
    piece.afterGroup = { bare: piece.bare.length, words: piece.words.length };
  };
  /** Reads what is at a place that is no separator. Returns the place after it. */
  const read = (at: number): number => {
    const character = text[at]!;
    const closed = character === '(' ? ends.comment(at) : undefined;
    if (closed !== undefined) {
      piece.comment += ` ${unescaped(text.slice(at + 1, closed))}`;
      return closed + 1;
    }
    if (piece.angle !== undefined && !isSpace(character)) return finish('next', at, at);
    if (isBlank && piece.angle === undefined && /^mailto:$/i.test(text.slice(at, at + 7))) {
      const end = ends.url(at);
      piece.bare = text.slice(at, end);
      piece.isUrl = true;
      return end === text.length ? end : finish('next', end, end);
    }
    const angle = character === '<' ? ends.angle(at) : undefined;
    if (angle !== undefined) {
      piece.angle = text.slice(at + 1, angle);
      return angle + 1;
    }
    const quote = character === '"' ? ends.quote(at) : undefined;
    if (quote !== undefined) {
      piece.bare += text.slice(at, quote + 1);
      piece.words += unescaped(text.slice(at + 1, quote));
      isBlank = false;
      return quote + 1;
    }
    addText(at);
    return at + 1;
  };
  let at = 0;
  while (at < text.length) {
    const separator = separatorAt(text, at);
    at = separator ? finish(separator, at, at + 1) : read(at);
  }
  finish(undefined, at, at);
  return pieces;
};
