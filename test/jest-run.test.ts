import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { jestOutcome, jestOutcomeWithSecondTry, type JestOptions } from './jest-run.ts';

let directory: string;
let options: JestOptions;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jest-run-'));
  options = { args: ['--rootDir', directory, '--config', '{"transform":{}}', '--runInBand'], signal: new AbortController().signal, onLine: () => undefined };
});
afterEach(() => rm(directory, { recursive: true }));

/** Writes a test file whose first `failures` runs fail, beside a test that passes. */
const writeTest = (name: string, failures: number): Promise<void> =>
  writeFile(
    join(directory, `${name}.test.js`),
    `
  const { appendFileSync, readFileSync } = require('node:fs');
  const runs = ${JSON.stringify(join(directory, `${name}.runs`))};
  appendFileSync(runs, '.');
  describe('a group', () => {
    test('fails ${failures} times', () => { if (readFileSync(runs).length <= ${failures}) throw new Error('Not yet'); });
    test('passes', () => undefined);
  });
`,
  );

const flakyOf = ({ flaky = [] }: { readonly flaky?: readonly string[] }): string[] => flaky.map((line) => basename(line)).sort();

test('a file that fails once and then passes alone counts as passed, and is named as flaky', async () => {
  await Promise.all([writeTest('steady', 0), writeTest('unlucky', 1)]);
  const outcome = await jestOutcomeWithSecondTry(options);
  expect(outcome).toMatchObject({ passed: 4, failed: 0 });
  expect(flakyOf(outcome)).toEqual(['unlucky.test.js › a group › fails 1 times']);
});

test('a file that fails twice fails the run, and no other file runs a second time', async () => {
  await Promise.all([writeTest('steady', 0), writeTest('broken', 2)]);
  const outcome = await jestOutcomeWithSecondTry({ ...options, args: [...options.args, 'steady', 'broken'] });
  expect(outcome).toMatchObject({ passed: 3, failed: 1, flaky: [] });
  expect(outcome.output.filter((line) => line.startsWith('PASS'))).toHaveLength(1);
});

test('more than three files that fail are not run again', async () => {
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => writeTest(name, 1)));
  expect(await jestOutcomeWithSecondTry(options)).toMatchObject({ passed: 4, failed: 4 });
});

test('a file that cannot be loaded counts as one failed test', async () => {
  await Promise.all([writeTest('steady', 0), writeFile(join(directory, 'unreadable.test.js'), '}')]);
  expect(await jestOutcome(options)).toMatchObject({ passed: 2, failed: 1 });
});

test('a run in which a test hangs ends, fails, and says which files had ended', async () => {
  await Promise.all([
    writeTest('a-steady', 0),
    writeFile(join(directory, 'hanging.test.js'), 'test("hangs", () => new Promise(() => { setInterval(() => undefined, 1000); }));'),
  ]);
  const outcome = await jestOutcome({ ...options, args: [...options.args, '--testTimeout=600000'], longestSilence: 4_000 });
  expect(outcome).toMatchObject({ passed: 0, failed: 1 });
  expect(outcome.output.join('\n')).toMatch(/PASS .*a-steady[^]*A test hangs: no file of tests ended for 4 s/);
});

test('a run without a test fails', async () => {
  expect(await jestOutcome(options)).toMatchObject({ passed: 0, failed: 1 });
});

test('what tests leave in the folder for temporary files is removed, also when the run is interrupted', async () => {
  const left = join(directory, 'left');
  await writeFile(
    join(directory, 'leaves.test.js'),
    `
    const { mkdtempSync, writeFileSync } = require('node:fs');
    test('leaves a folder', async () => {
      writeFileSync(${JSON.stringify(left)}, mkdtempSync(require('node:path').join(require('node:os').tmpdir(), 'left-')));
      if (process.env.HANGS) await new Promise((resolve) => setTimeout(resolve, 600000));
    }, 600000);
  `,
  );
  await jestOutcome(options);
  const first = await readFile(left, 'utf8');
  expect(existsSync(first)).toBe(false);
  await rm(left);
  const controller = new AbortController();
  const hanging = jestOutcome({ ...options, environment: { HANGS: '1' }, signal: controller.signal });
  while (!existsSync(left)) await delay(50);
  controller.abort(new Error('Interrupted'));
  await expect(hanging).rejects.toThrow('Interrupted');
  expect(await readFile(left, 'utf8')).not.toBe(first);
  expect(existsSync(await readFile(left, 'utf8'))).toBe(false);
});
