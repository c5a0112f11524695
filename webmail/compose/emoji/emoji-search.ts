export type Emoji = { readonly emoji: string; readonly name: string };

/** A group of Unicode's emoji, in its order. */
export type EmojiGroup = { readonly name: string; readonly emojis: readonly Emoji[] };

/** Emoji in a row of the picker, and thus those that were used recently. */
export const columns = 9;

/** Rows of a search's result. Who finds more types more. */
const maxRows = 12;

const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Ranks a name by the words of a search: whole, from its beginning, or in any order. Undefined where a word is missing. */
const rankOf = (name: string, wanted: readonly string[]): number | undefined => {
  const words = wordsOf(name);
  if (!wanted.every((each) => words.some((word) => word.startsWith(each)))) return undefined;
  if (words.join(' ') === wanted.join(' ')) return 0;
  return words[0]!.startsWith(wanted[0]!) ? 1 : 2;
};

/** Finds emoji by the beginnings of words of their names: those that were used recently first. */
export const searchEmoji = (groups: readonly EmojiGroup[], text: string, recent: readonly string[]): readonly Emoji[] => {
  const wanted = wordsOf(text);
  if (wanted.length === 0) return [];
  return groups
    .flatMap(({ emojis }) => emojis)
    .flatMap((each) => {
      const rank = rankOf(each.name, wanted);
      return rank === undefined ? [] : [{ each, rank: recent.includes(each.emoji) ? -1 : rank }];
    })
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, maxRows * columns)
    .map(({ each }) => each);
};

/** Divides emoji into rows. */
export const rowsOf = (emojis: readonly Emoji[]): readonly (readonly Emoji[])[] =>
  Array.from({ length: Math.ceil(emojis.length / columns) }, (_, row) => emojis.slice(row * columns, (row + 1) * columns));

export type Place = { readonly row: number; readonly column: number };

/** The place to which an arrow key leads in rows of these lengths. Undefined for another key, and above the first row. */
export const placeAfter = (lengths: readonly number[], { row, column }: Place, key: string): Place | undefined => {
  const last = lengths.length - 1;
  const inRow = (to: number): Place => ({ row: to, column: Math.min(column, lengths[to]! - 1) });
  switch (key) {
    case 'ArrowLeft':
      if (column > 0) return { row, column: column - 1 };
      return row > 0 ? { row: row - 1, column: lengths[row - 1]! - 1 } : { row, column };
    case 'ArrowRight':
      if (column < lengths[row]! - 1) return { row, column: column + 1 };
      return row < last ? { row: row + 1, column: 0 } : { row, column };
    case 'ArrowUp':
      return row > 0 ? inRow(row - 1) : undefined;
    case 'ArrowDown':
      return inRow(Math.min(row + 1, last));
    case 'Home':
      return { row, column: 0 };
    case 'End':
      return { row, column: lengths[row]! - 1 };
    default:
      return undefined;
  }
};
