import { execFileSync } from 'node:child_process';
import { projectDirectory } from '../sandbox/state/state-directory.ts';
import { browserStage, jestStage, programStage, runStages } from './test-stages.ts';

/**
 * `npm run test:nightly`: what takes too long for `npm test`. Random inputs are ten times as many as there, and others each
 * day; `POSTRIDER_TEST_SEED` repeats them.
 */
const environment = process.env as { POSTRIDER_TEST_SEED?: string; POSTRIDER_TEST_RUNS?: string };
environment.POSTRIDER_TEST_SEED ??= String(Math.floor(Date.now() / 86_400_000));
environment.POSTRIDER_TEST_RUNS ??= '10';
process.stdout.write(`POSTRIDER_TEST_SEED=${environment.POSTRIDER_TEST_SEED} POSTRIDER_TEST_RUNS=${environment.POSTRIDER_TEST_RUNS}\n`);

const [newestRelease] = execFileSync('git', ['tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname'], {
  cwd: projectDirectory,
  encoding: 'utf8',
}).split('\n');

await runStages([
  browserStage,
  jestStage({ title: 'unit', projects: ['unit', 'isolated'], maxWorkers: 2 }),
  programStage('histories', 'test/histories/run.ts', ['--histories', '200']),
  programStage('integration', 'test/run-integration.ts'),
  programStage('restore', 'test/restore/run.ts'),
  programStage('rollback', 'test/upgrade/rollback.ts'),
  programStage('two deployments', 'test/upgrade/two-deployments.ts'),
  programStage('failed deployments', 'test/upgrade/failed-deployment.ts'),
  ...(newestRelease ? [programStage(`upgrade from ${newestRelease}`, 'test/upgrade/run.ts', ['--from', newestRelease])] : []),
]);
