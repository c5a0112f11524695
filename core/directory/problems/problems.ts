import { describeProblem, type Problem, type ProblemReference } from '../../../contract/admin/problems.ts';
import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { readPage, type Page } from '../../storage/page.ts';
import { tryWrite } from '../../storage/retry-on-conflict.ts';
import { itemOf, rowOf, type Item, type Table } from '../../storage/table.ts';
import { problemChangeWrite, problemKey } from './problem-changes.ts';

/** A stored problem. A problem is `suspected` while only one run of the watch has found it, and more are needed. */
export type StoredProblem = ProblemReference & { readonly state: 'open' | 'suspected'; readonly since: string };

/**
 * The problems that the watch found. The item `problem`/name subject is an open problem, `suspected-problem`/name
 * subject one that is not open yet, and `watch`/`run` has the time of the last complete run.
 */
export type Problems = {
  /** The open problems, ordered by name and subject. */
  list(after: string | undefined, size: number): Promise<Page<Problem>>;
  /** The end of the last complete run of the watch (RFC 3339). Undefined before the first. */
  lastRun(): Promise<string | undefined>;
};

/** The writes of the watch. Each returns false when another run was faster. */
export type ProblemWrites = {
  listAll(): Promise<StoredProblem[]>;
  suspect(problem: ProblemReference, since: string): Promise<boolean>;
  /** Opens a problem, and stores that it began. */
  open(problem: ProblemReference, since: string, at: string): Promise<boolean>;
  /** Ends an open or suspected problem, and stores that an open one ended. */
  end(problem: StoredProblem, at: string): Promise<boolean>;
  recordRun(at: string): Promise<void>;
};

const partitions = { open: directoryPartitions.problems, suspected: directoryPartitions.suspectedProblems };
const runKey = directoryKeys.watchRun;

const keysOf = { open: directoryKeys.problem, suspected: directoryKeys.suspectedProblem };
const keyIn = (state: StoredProblem['state'], problem: ProblemReference) => keysOf[state](problemKey(problem));

type ProblemRow = Omit<StoredProblem, 'state'>;

const problemRow = rowOf<ProblemRow>;
const runRow = rowOf<{ readonly at: string }>;

const storedProblemOf = (item: Item): StoredProblem => {
  const { name, subject, subject_name, since } = problemRow(item);
  return { name, subject, subject_name, since, state: item.pk === partitions.open ? 'open' : 'suspected' };
};

const problemOf = (item: Item): Problem => {
  const problem = storedProblemOf(item);
  return describeProblem(problem, problem.since);
};

export const problemsIn = (table: Table): Problems & ProblemWrites => {
  const itemIn = (state: StoredProblem['state'], { name, subject, subject_name }: ProblemReference, since: string): Item =>
    itemOf(keyIn(state, { name, subject }), { name, subject, subject_name, since } satisfies ProblemRow);
  return {
    async list(after, size) {
      return readPage(table, partitions.open, after, size, problemOf);
    },
    async lastRun() {
      const item = await table.get(runKey);
      return item && runRow(item).at;
    },
    async listAll() {
      const items = await Promise.all(Object.values(partitions).map((pk) => table.query({ pk })));
      return items.flat().map(storedProblemOf);
    },
    suspect: (problem, since) => tryWrite(table, [{ put: itemIn('suspected', problem, since), if: { absent: true } }]),
    open: (problem, since, at) =>
      tryWrite(table, [
        { put: itemIn('open', problem, since), if: { absent: true } },
        { delete: keyIn('suspected', problem) },
        problemChangeWrite({ ...problem, change: 'begun', since, at }),
      ]),
    end: (problem, at) =>
      tryWrite(table, [
        { delete: keyIn(problem.state, problem), if: { present: true } },
        ...(problem.state === 'open' ? [problemChangeWrite({ ...problem, change: 'ended', at })] : []),
      ]),
    async recordRun(at) {
      await table.write([{ put: { ...runKey, at } }]);
    },
  };
};
