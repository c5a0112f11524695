/** Beginnings of a cell that a spreadsheet takes for a formula. */
const formula = /^[=+\-@\t\r]/;

/** A cell. A text of others is no formula in a spreadsheet: an apostrophe before it says that it is text. */
const cell = (text: string): string => `"${(formula.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

type CsvColumn<Item> = { readonly header: string; readonly text?: (item: Item) => string };

/** A list as CSV (RFC 4180): the columns that have a text, with their headings. The mark at the start says to Excel that it is UTF-8. */
export const listCsv = <Item>(columns: readonly CsvColumn<Item>[], items: readonly Item[]): string => {
  const written = columns.flatMap(({ header, text }) => (text ? [{ header, text }] : []));
  const lines = [written.map(({ header }) => header), ...items.map((item) => written.map(({ text }) => text(item)))];
  return `\ufeff${lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('')}`;
};
