import { parse } from 'csv-parse/sync';
import { AccountRole } from '../contract/admin/accounts.ts';
import { users } from '../contract/admin/users.ts';
import { decodeRequest, InvalidMessage } from '../contract/rpc/decode.ts';
import { emailAddressRequirement } from '../contract/values/fields.ts';
import { parseEmailAddress } from '../contract/values/mail-address.ts';
import { messageOf } from '../contract/values/thrown.ts';

const roles = AccountRole.out.options;

/** Thrown for a file that is no table of people. */
export class InvalidPeopleFile extends Error {
  override readonly name = 'InvalidPeopleFile';
}

/** A shared mailbox that a person gets. */
export type SharedMailbox = { readonly email: string; readonly role: AccountRole };

/** A person as a line of the file describes them. An absent value leaves what is there. */
export type PersonRow = {
  readonly line: number;
  /** The sign-in address. */
  readonly email: string;
  readonly display_name: string | undefined;
  /** The address of the person's own mailbox. */
  readonly mail_address: string | undefined;
  readonly aliases: readonly string[];
  readonly is_admin: boolean | undefined;
  readonly shared_mailboxes: readonly SharedMailbox[];
  /** The addresses of groups whose mail the person's own mailbox gets. */
  readonly groups: readonly string[];
  /** A private address to which the invitation is mailed. */
  readonly invitation_email: string | undefined;
};

/** A problem of the file, with its line. */
export type RowProblem = { readonly line: number; readonly text: string };

/** The columns of the file, each with what it has. Only `email` is required. */
export const peopleColumns = {
  email: 'the sign-in address',
  display_name: 'the name, which is also the name of the mailbox',
  mail_address: 'the address of the person’s own mailbox',
  aliases: 'further addresses of that mailbox, separated by spaces',
  is_admin: 'yes or no',
  shared_mailboxes: `addresses of shared mailboxes, separated by spaces; the role after a colon, as in sales@example.com:READ (${roles.join(', ')}; default WRITE)`,
  groups: 'addresses of groups whose mail the person’s own mailbox gets, separated by spaces',
  invitation_email: 'a private address to which the invitation is mailed',
} as const;
type Column = keyof typeof peopleColumns;

const isColumn = (name: string): name is Column => Object.hasOwn(peopleColumns, name);

/** The separator of the columns: spreadsheets write semicolons where the comma is the decimal sign. */
const delimiterOf = (text: string): string => {
  const [header = ''] = text.split(/\r\n|\r|\n/, 1);
  const count = (delimiter: string): number => header.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best));
};

type Record = { readonly record: readonly string[]; readonly info: { readonly lines: number } };

const recordsOf = (text: string): readonly Record[] => {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of csv-parse do not follow its option info
    return parse(text, {
      delimiter: delimiterOf(text),
      bom: true,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as Record[];
  } catch (error) {
    throw new InvalidPeopleFile(`the file is not CSV: ${messageOf(error)}`);
  }
};

/** The column at each place of the header. @throws InvalidPeopleFile for an unknown, missing or doubled column. */
const columnsOf = ({ record }: Record): readonly Column[] => {
  const names = record.map((name) => name.toLowerCase().replaceAll(/[\s-]+/g, '_'));
  const known = Object.entries(peopleColumns)
    .map(([name, meaning]) => `  ${name}: ${meaning}`)
    .join('\n');
  if (!names.every(isColumn)) {
    const unknown = names.find((name) => !isColumn(name));
    throw new InvalidPeopleFile(`line 1: there is no column '${unknown}'. The columns are:\n${known}`);
  }
  if (!names.includes('email')) throw new InvalidPeopleFile(`line 1: the column email is missing. The columns are:\n${known}`);
  const doubled = names.find((name, index) => names.indexOf(name) !== index);
  if (doubled !== undefined) throw new InvalidPeopleFile(`line 1: the column ${doubled} is there twice`);
  return names;
};

const yesOrNo = new Map(Object.entries({ yes: true, true: true, 1: true, no: false, false: false, 0: false }));

const wordsOf = (cell: string): string[] => cell.split(/[\s,;|]+/).filter(Boolean);

/** Reads one line. Problems go to `complain`. */
const personOf = (cells: { readonly [Name in Column]?: string }, line: number, complain: (text: string) => void): PersonRow => {
  const address = (column: Column, text: string): string => {
    const parsed = parseEmailAddress(text);
    if (parsed === undefined) complain(`${column} '${text}' ${emailAddressRequirement}`);
    return parsed ?? text;
  };
  const shared = (word: string): SharedMailbox => {
    const [email = '', role = 'WRITE'] = word.split(':');
    const parsed = AccountRole.safeParse(role.toUpperCase());
    if (!parsed.success) complain(`the role '${role}' of ${email} must be one of ${roles.join(', ')}`);
    return { email: address('shared_mailboxes', email), role: parsed.data ?? 'WRITE' };
  };
  const isAdmin = cells.is_admin ? yesOrNo.get(cells.is_admin.toLowerCase()) : undefined;
  if (cells.is_admin && isAdmin === undefined) complain(`is_admin '${cells.is_admin}' must be yes or no`);
  const { email = '', display_name: displayName, invitation_email: invitationEmail } = cells;
  const given = { email, ...(displayName && { display_name: displayName }), ...(invitationEmail && { invitation_email: invitationEmail }) };
  try {
    decodeRequest(users.methods.CreateUser, given);
  } catch (error) {
    if (!(error instanceof InvalidMessage)) throw error;
    complain(error.message);
  }
  return {
    line,
    email: parseEmailAddress(email) ?? email,
    display_name: displayName || undefined,
    mail_address: cells.mail_address ? address('mail_address', cells.mail_address) : undefined,
    aliases: wordsOf(cells.aliases ?? '').map((word) => address('aliases', word)),
    is_admin: isAdmin,
    shared_mailboxes: wordsOf(cells.shared_mailboxes ?? '').map(shared),
    groups: wordsOf(cells.groups ?? '').map((word) => address('groups', word)),
    invitation_email: parseEmailAddress(invitationEmail ?? ''),
  };
};

/** The lines that give an address that an earlier line, or the same one, gives too. */
const doubledProblems = (rows: readonly PersonRow[]): RowProblem[] => {
  const problems: RowProblem[] = [];
  const [people, addresses] = [new Map<string, PersonRow>(), new Map<string, PersonRow>()];
  for (const row of rows) {
    const same = people.get(row.email);
    if (same && row.email !== '') {
      problems.push({ line: row.line, text: `${row.email} is in line ${same.line} already` });
      continue;
    }
    people.set(row.email, row);
    for (const address of [row.mail_address, ...row.aliases].filter((each) => each !== undefined)) {
      const owner = addresses.get(address);
      const place = owner === row ? 'there twice' : `an address of ${owner?.email} (line ${owner?.line})`;
      if (owner) problems.push({ line: row.line, text: `${address} is ${place}` });
      else addresses.set(address, row);
    }
  }
  const ofAnother = rows.flatMap(({ line, email }) => {
    const owner = addresses.get(email);
    return owner && owner.email !== email ? [{ line, text: `${email} is a mail address of ${owner.email} (line ${owner.line})` }] : [];
  });
  return [...problems, ...ofAnother];
};

/**
 * Reads a CSV file of people: with commas, semicolons or tabs. @returns the people, and the problems of single lines.
 * @throws InvalidPeopleFile for a file that is no such table.
 */
export const readPeople = (text: string): { readonly rows: readonly PersonRow[]; readonly problems: readonly RowProblem[] } => {
  const [header, ...records] = recordsOf(text);
  if (!header) throw new InvalidPeopleFile('the file is empty');
  const columns = columnsOf(header);
  const problems: RowProblem[] = [];
  const rows = records
    .filter(({ record }) => record.some(Boolean))
    .map(({ record, info: { lines: line } }) => {
      const complain = (problem: string): void => void problems.push({ line, text: problem });
      if (record.length > columns.length) {
        complain(`it has ${record.length} cells, but the header has ${columns.length}; a cell with the separator needs quotes`);
      }
      return personOf(Object.fromEntries(columns.map((column, index) => [column, record[index]])), line, complain);
    });
  if (rows.length === 0) throw new InvalidPeopleFile('the file has a header, but no people');
  return { rows, problems: [...problems, ...doubledProblems(rows)] };
};
