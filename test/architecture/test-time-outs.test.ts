import { readFileSync } from 'node:fs';
import { filesBelow } from './sources.ts';

/**
 * Minimum milliseconds of a test's time-out. It is only for tests that hang, because on a slow machine a test may take
 * long.
 */
const shortest = 60_000;

/** The time-outs of tests and hooks in a test file. */
const timeOutsIn = (text: string): number[] =>
  [...text.matchAll(/^\}, ([\d_]+)\);$|^ {2}\}, ([\d_]+)\);$|jest\.setTimeout\(([\d_]+)\)/gm)]
    .map((match) => Number((match[1] ?? match[2] ?? match[3] ?? '').replaceAll('_', '')));

test('no test has its own time-out below a minute', () => {
  const files = filesBelow('test').filter((path) => path.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(200);
  const short = files.flatMap((path) => timeOutsIn(readFileSync(path, 'utf8')).filter((each) => each < shortest).map((each) => `${path}: ${each}`));
  expect(short).toEqual([]);
});

test('the check finds a short time-out', () => {
  expect(timeOutsIn('  test(\'a\', () => {\n  }, 30_000);\n')).toEqual([30_000]);
});
