import { readFileSync } from 'node:fs';
import { filesBelow } from './sources.ts';

/** Milliseconds. A time-out is for a test that hangs; on a slow machine a test may take long. */
const shortest = 60_000;

/** The time-outs that a test file gives to tests and hooks. */
const timeOutsIn = (text: string): number[] =>
  [...text.matchAll(/^\}, ([\d_]+)\);$|^ {2}\}, ([\d_]+)\);$|jest\.setTimeout\(([\d_]+)\)/gm)]
    .map((match) => Number((match[1] ?? match[2] ?? match[3] ?? '').replaceAll('_', '')));

test('no test has a time-out of its own below a minute', () => {
  const files = filesBelow('test').filter((path) => path.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(200);
  const short = files.flatMap((path) => timeOutsIn(readFileSync(path, 'utf8')).filter((each) => each < shortest).map((each) => `${path}: ${each}`));
  expect(short).toEqual([]);
});

test('Jest has the time-out, which it ignores in a project', () => {
  expect(readFileSync('jest.config.mjs', 'utf8')).toContain(`\n  testTimeout: ${shortest / 1000}_000,\n  projects: [`);
});

test('the check finds a short time-out', () => {
  expect(timeOutsIn('  test(\'a\', () => {\n  }, 30_000);\n')).toEqual([30_000]);
});
