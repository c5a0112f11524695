import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, type BundleProject } from '../../../lib/lambda/lambda-bundles.ts';

let root: string;
const write = (path: string, text: string) => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
};
const project = (): BundleProject => ({
  root,
  entries: { greet: 'lambdas/greet/index.ts', part: 'lambdas/greet/part.ts' },
  sources: ['lambdas'],
  cache: '.bundles',
});

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bundles-'));
  write('lambdas/greet/words.ts', 'export const greeting: string = "hello";');
  write(
    'lambdas/greet/index.ts',
    'import { greeting } from "./words.ts"; export const handler = async (event: { name: string }): Promise<string> => `${greeting} ${event.name}`;',
  );
  write('lambdas/greet/part.ts', 'export const handler = async (): Promise<void> => { throw new Error("on purpose"); };');
});
afterEach(() => rmSync(root, { recursive: true }));

const run = (file: string, event: unknown): string =>
  execFileSync(
    process.execPath,
    ['--enable-source-maps', '-e', `require(${JSON.stringify(file)}).handler(${JSON.stringify(event)}).then(console.log, (error) => console.log(error.stack))`],
    { encoding: 'utf8' },
  );

describe('bundling', () => {
  test('writes one CommonJS file with all dependencies and a source map for each Lambda', () => {
    const directory = bundle(project());
    expect(run(join(directory, 'greet', 'index.js'), { name: 'Ada' })).toBe('hello Ada\n');
    expect(readdirSync(join(directory, 'greet')).sort()).toEqual(['index.js', 'index.js.map']);
    expect(readFileSync(join(directory, 'greet', 'index.js'), 'utf8')).not.toContain('words.ts');
  });

  test('maps stack traces to the file and line of the source', () => {
    expect(run(join(bundle(project()), 'part', 'index.js'), {})).toMatch(/lambdas\/greet\/part\.ts:1:/);
  });

  test('uses the cache until a source changes', () => {
    const first = bundle(project());
    const made = statSync(join(first, 'greet', 'index.js')).mtimeMs;
    expect(bundle(project())).toBe(first);
    expect(statSync(join(first, 'greet', 'index.js')).mtimeMs).toBe(made);
    write('lambdas/greet/words.ts', 'export const greeting: string = "good day";');
    const second = bundle(project());
    expect(second).not.toBe(first);
    expect(run(join(second, 'greet', 'index.js'), { name: 'Ada' })).toBe('good day Ada\n');
  });

  test('writes the same bytes for the same sources in any directory', () => {
    const first = bundle(project());
    const [name] = readdirSync(join(root, '.bundles'));
    const bytes = ['index.js', 'index.js.map'].map((file) => readFileSync(join(first, 'greet', file), 'utf8'));
    const elsewhere = mkdtempSync(join(tmpdir(), 'bundles-elsewhere-'));
    try {
      for (const file of ['words.ts', 'index.ts', 'part.ts']) {
        mkdirSync(join(elsewhere, 'lambdas/greet'), { recursive: true });
        writeFileSync(join(elsewhere, 'lambdas/greet', file), readFileSync(join(root, 'lambdas/greet', file)));
      }
      const second = bundle({ ...project(), root: elsewhere });
      expect(readdirSync(join(elsewhere, '.bundles'))).toEqual([name]);
      expect(['index.js', 'index.js.map'].map((file) => readFileSync(join(second, 'greet', file), 'utf8'))).toEqual(bytes);
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  test('deletes cached bundles that were not used for a day, and no others', () => {
    const first = bundle(project());
    write('lambdas/greet/words.ts', 'export const greeting: string = "good day";');
    const second = bundle(project());
    const twoDaysAgo = new Date(Date.now() - 172_800_000);
    utimesSync(first, twoDaysAgo, twoDaysAgo);
    utimesSync(second, twoDaysAgo, twoDaysAgo);
    expect(bundle(project())).toBe(second);
    expect(existsSync(first)).toBe(false);
    expect(existsSync(second)).toBe(true);
  });

  test('names every Lambda whose entry file is missing', () => {
    rmSync(join(root, 'lambdas/greet/part.ts'));
    expect(() => bundle(project())).toThrow('the file that exports their handler is missing: lambdas/greet/part.ts');
  });

  test('leaves no partial bundle when a source has an error, and reports the error’s place', () => {
    write('lambdas/greet/words.ts', 'export const greeting = ;');
    expect(() => bundle(project())).toThrow(/lambdas\/greet\/words\.ts:1:24/);
    expect(readdirSync(join(root, '.bundles'))).toEqual([]);
  });
});
