import { printable } from '../../contract/values/printable.ts';
import { pad, width } from './response-table.ts';

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
  return rows.flatMap((row) => {
    const cells = row.map((text, column) => wrap(text, all[column]!));
    const height = Math.max(...cells.map(({ length }) => length));
    return Array.from({ length: height }, (_, place) =>
      cells.map((lines, column) => pad(lines[place] ?? '', all[column]!)).join('  ').trimEnd());
  }).join('\n');
};
