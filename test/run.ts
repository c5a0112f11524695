import type { Outcome } from './jest-run.ts';
import { browserStage, integrationStage, interruptSignal, jestStage, programStage, type Stage } from './test-stages.ts';

/** `npm test`: all stages, the fastest first. The last lines of output have the flaky tests and the totals. */
const stages: readonly Stage[] = [
  browserStage,
  programStage('types', ['typescript', 'bin', 'tsc'], ['--noEmit']),
  programStage('types of the console', ['typescript', 'bin', 'tsc'], ['--noEmit', '--project', 'console']),
  programStage('lint', ['oxlint', 'bin', 'oxlint'], ['--type-aware', '--deny-warnings']),
  jestStage('unit and template', ['unit', 'template']),
  jestStage('sandbox and adapters', ['sandbox']),
  integrationStage({ enforceIam: true }),
];

const print = (text: string): void => { process.stdout.write(`${text}\n`); };
const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

const signal = interruptSignal();

const runStage = async (stage: Stage): Promise<Outcome> => {
  const startedAt = performance.now();
  print(`· ${stage.title} …`);
  const outcome = await stage.run(signal, () => undefined);
  const { passed, failed, skipped, flaky = [], output } = outcome;
  if (failed > 0 || flaky.length > 0) print(output.join('\n'));
  print(`${failed > 0 ? '✗' : '✓'} ${stage.title.padEnd(24)} ${seconds(startedAt).padStart(8)}  ${passed} passed, ${failed} failed${skipped > 0
    ? `, ${skipped} skipped`
    : ''}`);
  for (const reason of outcome.reasons ?? []) print(`  ${reason}`);
  for (const test of flaky) print(`flaky: ${test}`);
  return outcome;
};

const outcomes: Outcome[] = [];
try {
  for (const stage of stages) {
    const outcome = await runStage(stage);
    outcomes.push(outcome);
    if (stage.isRequired && outcome.failed > 0) break;
  }
} catch (error) {
  if (!signal.aborted) throw error;
  print('Interrupted.');
}
const total = (count: (outcome: Outcome) => number): number => outcomes.reduce((sum, outcome) => sum + count(outcome), 0);
const failed = total((outcome) => outcome.failed) + (signal.aborted ? 1 : 0);
for (const test of outcomes.flatMap(({ flaky = [] }) => flaky)) print(`flaky: ${test}`);
print(`${total((outcome) => outcome.passed)} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
