import { printable } from '../../../contract/values/printable.ts';
import { numberText } from '../../terminal/progress-line.ts';
import { wrappedTable } from '../../terminal/table.ts';
import type { RestoreReport } from './restore-deployment.ts';

/** Lines of a list that the report shows. The file has all. */
const shown = 5;

const some = (list: readonly string[]): string =>
  [...list.slice(0, shown), ...(list.length > shown ? [`and ${list.length - shown} more`] : [])].map(printable).join(' · ');

/** A row of the table: what, how many, and what it means or what to do. */
type Row = readonly [what: string, count: string, meaning: string];

const openRows = ({ messages, programs, withoutSignIn, withoutUser, erasures }: RestoreReport): Row[] => {
  const rows: readonly (readonly [string, readonly string[], string])[] = [
    ['missing messages', messages.missing, 'Erased, or removed more than 35 days ago. Their subjects are there, their content is not'],
    ['mail since then', messages.later, 'It arrived, or was written, after the time. No restored account has it; its raw messages are in the bucket'],
    ['mail programs', programs, 'They registered after the time. The switch removes their app clients, so that they register again'],
    ['no sign-in', withoutSignIn, 'Cognito has no sign-in of these users any more. Delete them, and invite them again'],
    ['no user', withoutUser, 'They were invited after the time. Delete the sign-in at Cognito, and invite them again'],
    ['erase again', erasures, 'The restore brought back what these calls deleted. Make them again (docs/erasure.md)'],
  ];
  return rows.map(([what, list, meaning]) => [what, numberText(list.length), list.length === 0 ? 'nothing to do' : `${meaning}: ${some(list)}`]);
};

/** The report as a table for people. @param file has the whole lists. */
export const reportText = (report: RestoreReport, file: string, columns: number): string => {
  const { tables, accounts, emails, messages, sending } = report;
  const rows: Row[] = [
    ...tables.map(({ table, source, target }): Row => [`${table} table`, '', `${source} stays as it is; ${target} is the restored one`]),
    ['accounts', numberText(accounts), 'Mail clients load them again'],
    ['messages', numberText(emails), `${numberText(messages.readable)} raw messages were readable, ${numberText(messages.repaired)} are readable again`],
    [
      'waiting mail',
      sending ? numberText(sending.released) : 'held',
      sending ? `It is sent as it was to be. ${numberText(sending.settled)} more had waited, and was sent or canceled since` : 'The switch releases it',
    ],
    ...openRows(report),
    ['all of it', '', `The whole lists, and the time of each step: ${file}`],
  ];
  return wrappedTable(rows, [16, 8], columns);
};
