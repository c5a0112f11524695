import { wrappedTable } from '../cli/terminal/table.ts';
import type { Check, Line, State } from './check.ts';
import { accessChecks } from './checks/access.ts';
import { concurrencyCheck } from './checks/concurrency.ts';
import { dnsChecks } from './checks/dns.ts';
import { existingChecks } from './checks/existing.ts';
import { mailChecks } from './checks/mail.ts';
import { planCheck } from './checks/plan.ts';
import type { Facts } from './facts.ts';

export type Group = { readonly title: string; readonly lines: readonly Line[] };

/** All checks, in the order in which a person deploys. */
const checks: { readonly [title: string]: readonly Check[] } = {
  Account: accessChecks,
  Mail: mailChecks,
  Lambda: [concurrencyCheck],
  DNS: dnsChecks,
  Names: existingChecks,
  'What will be made': [planCheck],
};

export const checkAll = (facts: Facts): Group[] => Object.entries(checks).map(([title, each]) => ({ title, lines: each.flatMap((check) => check(facts)) }));

const countOf = (groups: readonly Group[], state: State): number => groups.flatMap(({ lines }) => lines).filter((each) => each.state === state).length;

/** Whether a deployment would fail. */
export const wouldFail = (groups: readonly Group[]): boolean => countOf(groups, 'fail') > 0;

/** The report as a table: state, subject, finding, next step. @param columns of the terminal. */
export const reportText = (groups: readonly Group[], columns: number): string => {
  const found = Math.max(30, Math.floor((columns - 9 - 24 - 6) / 2));
  const tables = groups.map(({ title, lines }) =>
    [
      title,
      wrappedTable(
        lines.map(({ state, subject, found: text, action }) => [state, subject, text, action ?? '-']),
        [9, 24, found],
        columns,
      ),
    ].join('\n'),
  );
  const head = wrappedTable([['STATE', 'CHECK', 'FOUND', 'WHAT TO DO']], [9, 24, found], columns);
  const counts = (['fail', 'attention', 'unknown', 'ok'] as const).map((state) => `${countOf(groups, state)} ${state}`).join(', ');
  const verdict = wouldFail(groups) ? 'A deployment would fail: do first what the lines with "fail" say.' : 'A deployment can begin.';
  return `${head}\n\n${tables.join('\n\n')}\n\n${counts}. ${verdict}`;
};
