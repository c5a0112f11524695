import { browserStage, integrationProcessStage, interruptSignal, jestStage, programStage, type Outcome, type Stage } from './test-stages.ts';

/** Excludes integration tests by their names. */
const without = (...names: readonly string[]): string => `--testPathIgnorePatterns=integration/(${names.join('|')})\\.test`;

/**
 * The two runs of the integration tests. Nearly every test is in both. The command lines listen on a fixed port during
 * a sign-in, so they cannot sign in twice at the same time; the console's browser tests need no second run.
 */
const integration = integrationProcessStage('integration', [without('console/(?!pages|faults).*')]);
const permissions = integrationProcessStage('permissions', ['--enforce-iam', without('command-line', 'move-mail', 'console/(pages|faults)')]);

/**
 * `npm test`: all stages, the fastest first. The stages of one line run concurrently, because the integration tests
 * mostly wait for deliveries, pushes and sign-ins. The last line of output has the totals.
 */
const stages: readonly (readonly Stage[])[] = [
  [browserStage],
  [programStage('types', ['typescript', 'bin', 'tsc'], ['--noEmit'])],
  [programStage('types of the console', ['typescript', 'bin', 'tsc'], ['--noEmit', '--project', 'console'])],
  [programStage('lint', ['oxlint', 'bin', 'oxlint'], ['--type-aware', '--deny-warnings'])],
  [jestStage('unit and template', ['unit', 'template'])],
  [jestStage('sandbox and adapters', ['sandbox'])],
  [integration, permissions],
];

const print = (text: string): void => { process.stdout.write(`${text}\n`); };
const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

const signal = interruptSignal();

const runStage = async (stage: Stage): Promise<Outcome> => {
  const startedAt = performance.now();
  print(`· ${stage.title} …`);
  const outcome = await stage.run(signal, () => undefined);
  const { passed, failed, skipped, output } = outcome;
  if (failed > 0) print(output.join('\n'));
  print(`${failed > 0 ? '✗' : '✓'} ${stage.title.padEnd(24)} ${seconds(startedAt).padStart(8)}  ${passed} passed, ${failed} failed${skipped > 0
    ? `, ${skipped} skipped`
    : ''}`);
  for (const reason of outcome.reasons ?? []) print(`  ${reason}`);
  return outcome;
};

const outcomes: Outcome[] = [];
try {
  for (const together of stages) {
    const results = await Promise.all(together.map(runStage));
    outcomes.push(...results);
    if (together.some(({ isRequired }, index) => isRequired && results[index]!.failed > 0)) break;
  }
} catch (error) {
  if (!signal.aborted) throw error;
  print('Interrupted.');
}
const total = (count: (outcome: Outcome) => number): number => outcomes.reduce((sum, outcome) => sum + count(outcome), 0);
const failed = total((outcome) => outcome.failed) + (signal.aborted ? 1 : 0);
print(`${total((outcome) => outcome.passed)} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
