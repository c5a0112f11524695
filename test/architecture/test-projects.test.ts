import { spawnSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { filesBelow } from './sources.ts';

/** The test files that a run of Jest finds in the folders of its projects. */
const runByJest = (): string[] => {
  const root = join(import.meta.dirname, '..', '..');
  const { stdout } = spawnSync(process.execPath, [join(root, 'node_modules', 'jest', 'bin', 'jest.js'), '--listTests', '--json'], { cwd: root, encoding: 'utf8' });
  return (JSON.parse(stdout) as string[]).map((path) => relative(root, path));
};

test('every test file belongs to a project of Jest, so that npm test runs it', () => {
  const written = filesBelow('test').filter((path) => path.endsWith('.test.ts'));
  expect(written.length).toBeGreaterThan(200);
  const run = new Set(runByJest());
  expect(written.filter((path) => !run.has(path))).toEqual([]);
});
