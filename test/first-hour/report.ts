import { wrappedTable } from '../../cli/terminal/table.ts';
import type { Observation } from '../integration/observation.ts';
import type { TestResult } from '../jest-run.ts';
import type { Assumption } from './assumptions.ts';

/** `not tried`: the deployment lacks what the test needs. */
export type State = 'ok' | 'FAILED' | 'not tried';

/** An assumption, and what AWS did. */
export type Line = { readonly state: State; readonly assumption: Assumption; readonly found: string };

const escape = String.fromCodePoint(27);
const colours = new RegExp(`${escape}\\[[\\d;]*m`, 'g');

/** The message of a failed test without its stack, its source and what may be private: addresses, tokens, account ids. */
const reasonOf = (message: string): string =>
  message
    .replaceAll(colours, '')
    .split(/\n\s+at /)[0]!
    .replaceAll(/\beyJ[\w.-]+/g, '<token>')
    .replaceAll(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '<address>')
    .replaceAll(/\b\d{12}\b/g, '<account>')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 400);

const neededBy = ({ groups }: TestResult): string | undefined =>
  groups.map((title) => /\[skipped: (.*)\]$/.exec(title)?.[1]).find((reason) => reason !== undefined);

const lineOf = (assumption: Assumption, results: readonly TestResult[], observations: readonly Observation[]): Line => {
  const ofIt = results.filter(({ file, title }) => file === assumption.file && title === assumption.title);
  const failed = ofIt.find(({ status }) => status === 'failed');
  if (failed) return { state: 'FAILED', assumption, found: `${reasonOf(failed.failureMessages[0] ?? '')} Then: ${assumption.ifWrong}` };
  if (ofIt.length > 0 && ofIt.every(({ status }) => status === 'passed')) {
    const names = ofIt.map(({ groups, title }) => [...groups, title].join(' '));
    return {
      state: 'ok',
      assumption,
      found:
        observations
          .filter(({ test }) => names.includes(test))
          .map(({ seen }) => seen)
          .join('; ') || '-',
    };
  }
  return { state: 'not tried', assumption, found: ofIt.map(neededBy).find((reason) => reason !== undefined) ?? 'the test did not run' };
};

/** Jest's pattern of the names of these tests. */
export const namePattern = (assumptions: readonly Assumption[]): string =>
  `(?:${assumptions.map(({ title }) => title.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join('|')})$`;

/** The lines of all assumptions, in their order. */
export const linesOf = (assumptions: readonly Assumption[], results: readonly TestResult[], observations: readonly Observation[]): Line[] =>
  assumptions.map((assumption) => lineOf(assumption, results, observations));

/** The table of the lines, and their counts. @param columns of the terminal. */
export const reportText = (title: string, lines: readonly Line[], columns: number): string => {
  const widths = [9, Math.max(30, Math.floor((columns - 9 - 4) / 2))];
  const counts = (['ok', 'FAILED', 'not tried'] as const).map((state) => `${lines.filter((line) => line.state === state).length} ${state}`);
  return [
    title,
    '',
    wrappedTable([['STATE', 'ASSUMPTION', 'FOUND'], ...lines.map(({ state, assumption, found }) => [state, assumption.text, found])], widths, columns),
    '',
    `${counts.join(', ')}.`,
  ].join('\n');
};
