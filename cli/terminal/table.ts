import { printable } from '../../contract/values/printable.ts';

/** The width of text on a terminal: East Asian wide characters and emoji take two columns, combining marks none. */
const width = (text: string): number =>
  Array.from(text).reduce((sum, character) => {
    if (/\p{M}/u.test(character)) return sum;
    return (
      sum + (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(character) ? 2 : 1)
    );
  }, 0);

/** Adds spaces up to a width in columns. */
const pad = (text: string, to: number): string => text + ' '.repeat(Math.max(0, to - width(text)));

/** A table whose columns are as wide as their widest cell. @param indent before each row. */
export const table = (rows: readonly (readonly string[])[], indent = ''): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => width(row[column] ?? ''))));
  return rows.map((row) => `${indent}${row.map((text, column) => pad(text, widths[column] ?? 0)).join('  ')}`.trimEnd()).join('\n');
};

/** The lines of a text, broken between words. A longer word has a line of its own. */
const wrap = (text: string, columns: number): string[] => {
  const lines: string[] = [''];
  for (const word of printable(text).split(' ')) {
    const last = lines.at(-1)!;
    if (last === '') lines[lines.length - 1] = word;
    else if (width(last) + 1 + width(word) <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
};

/**
 * A table whose cells are wrapped over several lines. The last column gets the remaining width.
 * @param widths of all columns but the last.
 * @param columns of the terminal.
 */
export const wrappedTable = (rows: readonly (readonly string[])[], widths: readonly number[], columns: number): string => {
  const all = [...widths, Math.max(20, columns - widths.reduce((sum, each) => sum + each + 2, 0))];
  return rows
    .flatMap((row) => {
      const cells = row.map((text, column) => wrap(text, all[column]!));
      const height = Math.max(...cells.map(({ length }) => length));
      return Array.from({ length: height }, (_, place) =>
        cells
          .map((lines, column) => pad(lines[place] ?? '', all[column]!))
          .join('  ')
          .trimEnd(),
      );
    })
    .join('\n');
};
