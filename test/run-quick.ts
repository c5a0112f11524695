import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { projectDirectory } from '../sandbox/state/state-directory.ts';
import { jestStage, runStages, sourceStages } from './test-stages.ts';

const usage = `npm run test:quick -- [options]

Checks types and lint, and runs the unit tests that depend on a file changed since a commit, committed or not.

  --since REF   the commit, by default origin/main, or HEAD~1 where there is no origin/main`;

const {
  values: { since, help },
} = parseArgs({ options: { since: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });

const exists = (ref: string): boolean => spawnSync('git', ['rev-parse', '--quiet', '--verify', `${ref}^{commit}`], { cwd: projectDirectory }).status === 0;

const commit = since ?? ['origin/main', 'HEAD~1'].find(exists) ?? 'HEAD';
if (help) {
  process.stdout.write(`${usage}\n`);
} else if (exists(commit)) {
  await runStages([
    ...sourceStages,
    jestStage({ title: `unit since ${commit}`, projects: ['unit', 'isolated'], maxWorkers: 2, choice: [`--changedSince=${commit}`] }),
  ]);
} else {
  process.stderr.write(`${commit} is no commit of this checkout. Pass one by --since REF.\n`);
  process.exitCode = 2;
}
