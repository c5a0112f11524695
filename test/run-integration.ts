import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Outcome } from './jest-run.ts';
import { describeStack } from './stack-people.ts';
import { firstSandboxPort, interruptSignal, runIntegrationTests, runOnTemporarySandbox } from './test-stages.ts';

const usage = `npm run test:integration -- [options] [jest options]

  --outputs FILE   test the deployment that FILE describes: a sandbox.json, or the file that cdk deploy --outputs-file wrote.
                   It creates domains, users and accounts there. On AWS it first makes an admin and two users with mail
                   accounts through the admin API, sets their passwords with the AWS credentials of the environment,
                   and removes them at the end. Tests that need the SMTP server or the emulator are skipped there; each
                   reason is printed.
                   Without it: a temporary sandbox on free ports, which refuses calls that no IAM policy allows.
  --admin-token T  an admin's access token, for a stack on AWS without the headless client AdminHeadless. Without both, that of
                   the person who is signed in by postrider-admin login
  --without-iam    that sandbox allows every call
  --first-port N   the first port on which that sandbox may listen (default ${firstSandboxPort})
  --shard I/N      run the part I of N of the files, without those named *.nightly.test.ts
  --outcome FILE   write the counts and the names of failed tests to FILE, as JSON

A file that fails runs once more, alone, at the end. If it passes then, its failures are printed as flaky.
Other options are passed to jest: -t "a title", gate.test.ts`;

const options = {
  outputs: { type: 'string' },
  'admin-token': { type: 'string' },
  'without-iam': { type: 'boolean' },
  'first-port': { type: 'string' },
  shard: { type: 'string' },
  outcome: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const { values, tokens } = parseArgs({ options, strict: false, allowPositionals: true, tokens: true });
const ours = new Set(
  tokens
    .filter((token) => token.kind === 'option' && token.name in options)
    .flatMap((token) => (token.kind === 'option' && token.value !== undefined && !token.inlineValue ? [token.index, token.index + 1] : [token.index])),
);
const jestOptions = process.argv.slice(2).filter((_, index) => !ours.has(index));
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const signal = interruptSignal();

/** The value of an option. Options are not strict, so that jest's can be among them. */
const textOf = (name: keyof typeof options): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined);

const runTests = async (): Promise<Outcome> => {
  const chosen = { jestOptions, shard: textOf('shard') };
  const outputs = textOf('outputs');
  if (outputs !== undefined) {
    const adminToken = textOf('admin-token');
    const stack = await describeStack(resolve(outputs), { adminToken, signal, say });
    try {
      return await runIntegrationTests(stack.file, chosen, signal, say);
    } finally {
      await stack.remove();
    }
  }
  return runOnTemporarySandbox(
    { ...chosen, enforceIam: values['without-iam'] !== true, firstPort: Number(textOf('first-port') ?? firstSandboxPort) },
    signal,
    say,
  );
};

if (values.help) {
  say(usage);
} else {
  const {
    output,
    tests: _tests,
    ...outcome
  } = await runTests().catch((error: unknown): Outcome => {
    if (!signal.aborted) throw error;
    return { passed: 0, failed: 1, skipped: 0, output: ['Interrupted.'] };
  });
  const { passed, failed, skipped, reasons = [], flaky = [] } = outcome;
  if (passed === 0 && failed > 0) say(output.slice(-20).join('\n'));
  for (const reason of reasons) say(reason);
  for (const test of flaky) say(`flaky: ${test}`);
  say(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  const file = textOf('outcome');
  if (file !== undefined) await writeFile(file, JSON.stringify(outcome));
  process.exit(failed > 0 ? 1 : 0);
}
