import { problemKinds, problemNames, type ProblemName, type ProblemReference } from '../../contract/admin/problems.ts';
import { waitingMail } from '../../contract/deployment/waiting-mail.ts';
import { keysOf } from '../../contract/values/typed-entries.ts';
import { problemKey } from '../../core/directory/problems/problem-changes.ts';
import type { ProblemWrites, StoredProblem } from '../../core/directory/problems/problems.ts';
import type { Log } from '../../core/runtime/log.ts';
import { readSources } from '../../core/runtime/read-sources.ts';
import { notifyChanges, type NotifyDependencies } from './notify-changes.ts';
import { problemRules } from './problem-rules.ts';
import { readers, type Facts, type SourceDependencies, type SourceName, type Sources } from './sources.ts';

export type WatchDependencies = SourceDependencies & NotifyDependencies & { readonly problems: ProblemWrites; readonly log: Log };

/** The event of a run. `everything`: sources that are due once an hour are read too. */
export type WatchEvent = { readonly everything?: boolean };

/** Milliseconds between two scheduled runs. */
export const runInterval = 5 * 60_000;
const runsPerHour = 12;

const sourceNames = keysOf(readers);
const needs = (name: ProblemName): readonly SourceName[] => (name === 'SOURCE_UNAVAILABLE' ? [] : problemRules[name].needs);

/** Sources that are read once an hour, unless a stored problem depends on them: its end is then found at once. */
const isDue = (source: SourceName, stored: readonly StoredProblem[], now: Date): boolean =>
  readers[source].every === 'run' ||
  Math.floor(now.getTime() / runInterval) % runsPerHour === 0 ||
  stored.some(({ name, subject }) => needs(name).includes(source) || (name === 'SOURCE_UNAVAILABLE' && subject === source));

type Reading = { readonly facts: Facts; readonly failed: readonly string[]; readonly read: readonly string[] };

const readFacts = async (dependencies: WatchDependencies, stored: readonly StoredProblem[], now: Date, everything: boolean): Promise<Reading> => {
  const { log, quotaDefaults } = dependencies;
  const readAll = async (sources: readonly SourceName[]) => {
    const { values, failed } = await readSources(Object.fromEntries(sources.map((source) => [source, () => readers[source].read(dependencies)])), 'watch', log);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.fromEntries() has no type of the names
    return { values: values as Partial<Sources>, failed };
  };
  const due = sourceNames.filter((source) => everything || isDue(source, stored, now));
  const first = await readAll(due);
  const { queues } = first.values;
  // Only full accounts make received mail wait, so they are read when messages are delayed.
  const isMailDelayed = (queues?.get(waitingMail.queue)?.delayed ?? 0) > 0;
  const late = await readAll(isMailDelayed && !due.includes('accounts') ? ['accounts'] : []);
  const values = { ...first.values, ...late.values };
  return { facts: { ...values, now, quotaDefaults }, failed: [...first.failed, ...late.failed], read: Object.keys(values) };
};

/**
 * The problems of a kind that a run found. `isKnown` tells whether the run can say that a stored problem of the kind
 * has ended.
 */
type Findings = { readonly found: readonly ProblemReference[]; readonly isKnown: (problem: StoredProblem) => boolean };

const hasSources = <Needed extends SourceName>(facts: Facts, needed: readonly Needed[]): facts is Facts & Pick<Sources, Needed> =>
  needed.every((source) => facts[source] !== undefined);

const findProblems = (name: ProblemName, stored: readonly StoredProblem[], { facts, failed, read }: Reading): Findings => {
  if (name === 'SOURCE_UNAVAILABLE') {
    return { found: failed.map((subject) => ({ name, subject })), isKnown: ({ subject = '' }) => read.includes(subject) };
  }
  const rule = problemRules[name];
  const isOpen = (subject?: string): boolean => stored.some((problem) => problem.name === name && problem.subject === subject);
  const subjects = hasSources(facts, rule.needs) ? rule.find(facts, isOpen, facts) : undefined;
  const isOfAccount = problemKinds[name].subject === 'account';
  const nameOf = (subject: string | undefined): string | undefined => (isOfAccount ? facts.accounts?.get(subject ?? '')?.name : undefined);
  return { found: subjects?.map((subject) => ({ name, subject, subject_name: nameOf(subject) })) ?? [], isKnown: () => subjects !== undefined };
};

const runsToOpen = (name: ProblemName): number => (name === 'SOURCE_UNAVAILABLE' ? 2 : (problemRules[name].runs ?? 1));

/**
 * Looks at what the deployment knows about itself, and brings the list of its problems up to date. A problem that is
 * already stored is not written again. At the end, people are notified of the changes, including those of an earlier
 * run that was stopped. Another run may change the list at the same time: one of the two makes each change.
 */
export const runWatch = async (dependencies: WatchDependencies, { everything = false }: WatchEvent = {}): Promise<void> => {
  const { problems, clock, log } = dependencies;
  const now = clock();
  const at = now.toISOString();
  const stored = await problems.listAll();
  const reading = await readFacts(dependencies, stored, now, everything);
  const counts = { opened: 0, ended: 0 };
  for (const name of problemNames) {
    const { found, isKnown } = findProblems(name, stored, reading);
    const foundKeys = new Set(found.map(problemKey));
    for (const problem of found) {
      const before = stored.find((each) => problemKey(each) === problemKey(problem));
      if (before?.state === 'open') continue;
      if (!before && runsToOpen(name) > 1) await problems.suspect(problem, at);
      else counts.opened += Number(await problems.open(problem, before?.since ?? at, at));
    }
    for (const problem of stored.filter((each) => each.name === name && isKnown(each) && !foundKeys.has(problemKey(each)))) {
      counts.ended += Number((await problems.end(problem, at)) && problem.state === 'open');
    }
  }
  const mailed = await notifyChanges(dependencies);
  await problems.recordRun(at);
  log.info('deployment watched', { ...counts, mailed, failed_sources: reading.failed });
};
