import { printable, printableLines } from '../../contract/values/printable.ts';
import type { CliContext } from './cli-context.ts';
import { table } from './table.ts';

type Row = { readonly [name: string]: unknown };

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The same functions, with printing that lets no control character of a name or an answer reach the terminal. */
export const printingSafely = <Context extends Pick<CliContext, 'print' | 'printMessage'>>(context: Context): Context => ({
  ...context,
  print: (text) => context.print(printableLines(text)),
  printMessage: (text) => context.printMessage(printableLines(text)),
});

/**
 * A value as JSON for a terminal. Control characters above ASCII are also escaped, which JSON.stringify does not do.
 */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(
    /[\u007f-\u009f]|\p{Bidi_Control}/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );

const isNested = (value: unknown): boolean => isRow(value) || (Array.isArray(value) && value.some((item) => typeof item === 'object'));

/** Whether a message fits in one cell: it has no messages inside it. */
const isFlat = (value: unknown): value is Row => isRow(value) && !Object.values(value).some(isNested);

/** A value as text for one cell. A list of texts is joined by commas, and the values of a flat message by spaces. */
const cell = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  if (isFlat(value))
    return Object.values(value)
      .map(cell)
      .filter((text) => text !== '')
      .join(' ');
  if (Array.isArray(value)) return value.map(cell).join(', ');
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
};

/**
 * A table with a row for each message. Fields that do not fit in a cell have no column; a line below the table names them.
 */
const listTable = (rows: readonly Row[]): string => {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const nested = names.filter((name) => rows.some((row) => isNested(row[name]) && !isFlat(row[name])));
  const columns = names.filter((name) => !nested.includes(name));
  const shown = table([columns.map((name) => name.toUpperCase()), ...rows.map((row) => columns.map((name) => cell(row[name])))]);
  return nested.length > 0 ? `${shown}\n\nnot shown: ${nested.join(', ')} (without --table they are)` : shown;
};

/** The fields of a message. Fields of a message inside it have a dotted name. */
const fieldsOf = (row: Row, prefix = ''): [string, string][] =>
  Object.entries(row).flatMap(([name, value]): [string, string][] => {
    if (isRow(value)) return fieldsOf(value, `${prefix}${name}.`);
    if (Array.isArray(value) && isNested(value)) {
      return value.flatMap((item, index) => (isRow(item) ? fieldsOf(item, `${prefix}${name}.${index}.`) : [[`${prefix}${name}.${index}`, cell(item)]]));
    }
    return [[`${prefix}${name}`, cell(value)]];
  });

/** The flat messages inside a message, each with its dotted name. */
const flatMessages = (value: unknown, name: string): [string, Row][] => {
  if (name !== '' && isFlat(value)) return Object.keys(value).length > 0 ? [[name, value]] : [];
  const inner = isRow(value) ? Object.entries(value) : Array.isArray(value) ? [...value.entries()] : [];
  return inner.flatMap(([key, each]) => flatMessages(each, name === '' ? String(key) : `${name}.${key}`));
};

const hasFieldsOf = (row: Row, other: Row): boolean => Object.keys(other).every((name) => name in row);

/** Flat messages that seem to be of one type: one has the fields of the first of them, or the first has its fields. */
const alike = (messages: readonly (readonly [string, Row])[]): (readonly [string, Row])[][] => {
  const groups: (readonly [string, Row])[][] = [];
  for (const message of messages) {
    const group = groups.find(([[, first] = ['', {}]]) => hasFieldsOf(first, message[1]) || hasFieldsOf(message[1], first));
    if (group) group.push(message);
    else groups.push([message]);
  }
  return groups.filter(({ length }) => length > 1);
};

/** A line for each field, and below a table for messages that seem to be of one type, such as the DNS records of a domain. */
const fieldTable = (row: Row): string => {
  const groups = alike(flatMessages(row, ''));
  const named = new Set(groups.flat().map(([name]) => name));
  const fields = fieldsOf(row).filter(([name]) => !named.has(name.slice(0, name.lastIndexOf('.'))));
  const tables = groups.map((group) => {
    const rows: Row[] = group.map(([name, message]) => ({ '': name, ...message }));
    const filled = [...new Set(rows.flatMap((each) => Object.keys(each)))].filter((name) => rows.some((each) => cell(each[name]) !== ''));
    return listTable(rows.map((each) => Object.fromEntries(filled.map((name) => [name, each[name]]))));
  });
  return [...(fields.length > 0 ? [table(fields)] : []), ...tables].join('\n\n');
};

/**
 * A response as text for people: a table for each list, and a line for each other field. A response that contains one
 * message is shown as that message.
 */
export const responseTable = (response: unknown): string => {
  if (!isRow(response)) return cell(response);
  const entries = Object.entries(response).filter(([name, value]) => !(name === 'next_page_token' && value === ''));
  const [only] = entries;
  if (entries.length === 1 && only && isRow(only[1])) return fieldTable(only[1]);
  const lists = entries.filter((entry): entry is [string, Row[]] => Array.isArray(entry[1]) && entry[1].every(isRow));
  const rest = entries.filter((entry) => !lists.some(([name]) => name === entry[0]));
  return [
    ...lists.map(([name, rows]) => [lists.length > 1 ? `${name}:` : '', rows.length > 0 ? listTable(rows) : `no ${name}`].filter(Boolean).join('\n')),
    ...(rest.length > 0 ? [fieldTable(Object.fromEntries(rest))] : []),
  ].join('\n\n');
};
