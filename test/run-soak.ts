import { parseArgs } from 'node:util';
import { endProcess, startProcess } from '../sandbox/process/child-processes.ts';
import { allEnded, integrationStages, interruptSignal } from './test-stages.ts';

const usage = `npm run test:soak -- [options]

Runs the integration tests several times, each on a new sandbox, while other processes keep the machine busy. Prints each
test that failed at least once, with how often, and ends with exit code 1 when there is one.

  --times N   how often the tests run (default 5)
  --load L    how many busy processes run meanwhile (default 4)`;

const { values } = parseArgs({
  options: { times: { type: 'string', default: '5' }, load: { type: 'string', default: '4' }, help: { type: 'boolean', short: 'h' } },
});
const [times, load] = [Number(values.times), Number(values.load)];
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const soak = async (signal: AbortSignal): Promise<number> => {
  const failures = new Map<string, number>();
  const busy = Array.from({ length: load }, () => startProcess(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }));
  try {
    for (let run = 1; run <= times; run++) {
      const startedAt = performance.now();
      const outcomes = await allEnded(integrationStages.map((stage) => stage.run(signal, () => undefined)));
      const found = outcomes.flatMap(({ failed, failures: failing = [], flaky = [], output }) => {
        if (failed + flaky.length > 0) say(output.join('\n'));
        return failed > 0 && failing.length === 0 ? ['the run itself', ...flaky] : [...failing, ...flaky];
      });
      for (const test of found) failures.set(test, (failures.get(test) ?? 0) + 1);
      const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
      say(`run ${run} of ${times}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s, ${passed} passed in the end, ${found.length} failed at first`);
    }
  } finally {
    await Promise.all(busy.map((child) => endProcess(child)));
  }
  for (const [test, count] of [...failures].sort(([, one], [, other]) => other - one)) say(`${count} of ${times}: ${test}`);
  say(`${failures.size} tests failed at least once`);
  return failures.size > 0 ? 1 : 0;
};

if (values.help) {
  say(usage);
} else if (!Number.isSafeInteger(times) || times < 1 || !Number.isSafeInteger(load) || load < 0) {
  process.stderr.write('--times takes a number from 1, and --load one from 0.\n');
  process.exitCode = 2;
} else {
  const signal = interruptSignal();
  process.exit(
    await soak(signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      say('Interrupted.');
      return 1;
    }),
  );
}
