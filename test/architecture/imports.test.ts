import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, importsOf, root, textOf } from './sources.ts';

/** The folders of `core/`. */
const coreFolders = [
  'account-index',
  'account-log',
  'aws',
  'blobs',
  'directory',
  'mail',
  'mime',
  'push',
  'rpc',
  'runtime',
  'search',
  'sending',
  'storage',
] as const;

/** The layer of a file: `bin`, `lib`, `contract`, `core/search`, …, or `lambda:<folder>` for each Lambda. */
const layerOf = (path: string): string => {
  const [top, second, third] = path.split('/');
  if (top === 'core') return `core/${second}`;
  if (top !== 'lambdas') return top!;
  return second === 'admin' || second === 'deploy-hooks' ? `lambda:${second}/${third}` : `lambda:${second}`;
};

/** The other layers that each layer may import. */
const allowedImports: Record<string, readonly string[]> = {
  bin: ['lib', 'contract'],
  // The command line reads messages too, and restores what the tables have.
  cli: ['core/mime', 'core/account-log', 'core/mail', 'core/storage', 'people', 'contract'],
  // The preflight of a deployment reads its settings and asks AWS by the product's adapters.
  preflight: ['cli', 'lib', 'core/aws', 'core/storage', 'core/runtime', 'contract'],
  lib: ['contract'],
  contract: [],
  // The file of people, its plan and its application, which the command line and the console share.
  people: ['contract'],
  // What the console and the web mail share.
  site: ['contract'],
  'core/runtime': ['contract'],
  'core/aws': ['core/runtime', 'contract'],
  'core/storage': ['core/runtime', 'contract'],
  'core/mime': ['core/runtime', 'contract'],
  'core/account-log': ['core/storage', 'core/mime', 'core/runtime', 'contract'],
  'core/account-index': ['core/account-log', 'core/storage', 'core/mime', 'core/runtime', 'contract'],
  'core/mail': ['core/account-index', 'core/account-log', 'core/storage', 'core/mime', 'core/runtime', 'contract'],
  'core/blobs': ['core/mail', 'core/account-index', 'core/account-log', 'core/storage', 'core/mime', 'core/runtime', 'contract'],
  'core/search': ['core/blobs', 'core/mail', 'core/account-index', 'core/account-log', 'core/storage', 'core/mime', 'core/runtime', 'contract'],
  'core/directory': ['core/search', 'core/mail', 'core/account-log', 'core/storage', 'core/runtime', 'contract'],
  'core/sending': ['core/blobs', 'core/mail', 'core/account-log', 'core/mime', 'core/storage', 'core/runtime', 'contract'],
  'core/push': ['core/mail', 'core/account-log', 'core/storage', 'core/aws', 'core/runtime', 'contract'],
  'core/rpc': ['core/directory', 'core/storage', 'core/aws', 'core/runtime', 'contract'],
  lambda: [...coreFolders.map((folder) => `core/${folder}`), 'contract'],
  // The bench measures what is deployed, on real adapters: it knows nothing of the tests and their fakes.
  bench: [...coreFolders.map((folder) => `core/${folder}`), 'contract', 'lib', 'sandbox'],
};

const isAllowed = (from: string, to: string): boolean => {
  const [fromLayer, toLayer] = [layerOf(from), layerOf(to)];
  return fromLayer === toLayer || (allowedImports[fromLayer.startsWith('lambda:') ? 'lambda' : fromLayer] ?? []).includes(toLayer);
};

const product = ['bin', 'cli', 'preflight', 'lib', 'contract', 'people', 'site', 'core', 'lambdas'].flatMap((folder) => filesBelow(folder));

describe('the direction of imports', () => {
  test('the check finds the product’s files and their imports', () => {
    expect(product.length).toBeGreaterThan(50);
    expect(product.flatMap(importsOf).length).toBeGreaterThan(100);
  });

  test('every import follows bin → lib → contract ← core ← lambdas, site → contract, cli → some folders of core and the order of core/, and no Lambda imports another', () => {
    const wrong = [...product, ...filesBelow('bench')].flatMap((from) =>
      importsOf(from)
        .filter((to) => !isAllowed(from, to))
        .map((to) => `${from} → ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  test('the check finds an import of another Lambda and an import of a higher layer', () => {
    expect(isAllowed('lambdas/admin/users/users-service.ts', 'lambdas/admin/accounts/accounts-service.ts')).toBe(false);
    expect(isAllowed('core/directory/users/users.ts', 'core/rpc/rpc-error.ts')).toBe(false);
    expect(isAllowed('core/runtime/http/http.ts', 'core/storage/table.ts')).toBe(false);
    expect(isAllowed('core/account-index/commit.ts', 'lambdas/jmap/index.ts')).toBe(false);
    expect(isAllowed('lib/state/imported-storage.ts', 'core/storage/table.ts')).toBe(false);
    expect(isAllowed('contract/rpc/rpc.ts', 'lib/state/imported-storage.ts')).toBe(false);
    expect(isAllowed('bench/process.ts', 'test/fakes/memory-table.ts')).toBe(false);
    expect(isAllowed('preflight/checks/plan.ts', 'test/bench/cost/cost-model.ts')).toBe(false);
  });

  test('core/ has the folders of this order, and nothing else', () => {
    expect(readdirSync(join(root, 'core')).sort()).toEqual(coreFolders);
  });

  test('no imports form a cycle, including imports of types, also in the console, the sandbox, the benches and the tests', () => {
    const files = new Set([...product, ...['console', 'webmail', 'sandbox', 'bench', 'test'].flatMap((folder) => filesBelow(folder, ['.ts', '.tsx']))]);
    const cycles: string[] = [];
    const done = new Set<string>();
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
      if (done.has(path) || trail.includes(path) || !files.has(path)) return;
      for (const next of importsOf(path)) visit(next, [...trail, path]);
      done.add(path);
    };
    for (const path of files) visit(path, []);
    expect(cycles).toEqual([]);
  });
});

describe('the head of an account', () => {
  const withCode = product.map((path) => ({ path, text: textOf(path) }));
  const filesWith = (pattern: RegExp) => withCode.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

  test('is written in one file', () => {
    expect(filesWith(/\b(?:put|update):\s*(?:headKey|mailKeys\.head|encodeHead)\(/)).toEqual(['core/account-log/head-writes.ts']);
    expect(filesWith(/\bheadAttributes\(next/)).toEqual(['core/account-log/head-writes.ts']);
  });

  test('is changed by a commit or a removal of references through appendCommit only', () => {
    const writers = filesWith(/import \{[^}]*\b(?:createHead|replaceHead|announceReferenceRemoval)\b/);
    expect(writers).toEqual(['core/account-log/append-commit.ts']);
  });

  /** The lines that use the key of a head for anything but reading. */
  const otherUsesOfKey = (text: string): string[] =>
    text
      .split('\n')
      .filter(
        (line) => /\b(?:headKey\(|mailKeys\.head\b)/.test(line) && !/\b(?:get|batchGet|find|found|heads|has)\(\[?headKey\(|\bheadKey\(\w+\)\.pk\b/.test(line),
      );

  test('is only read by its key in other files', () => {
    const others = withCode.filter(({ path }) => !/^core\/account-log\/(?:keys|head|head-writes)\.ts$/.test(path));
    expect(others.flatMap(({ path, text }) => otherUsesOfKey(text).map((line) => `${path}: ${line.trim()}`))).toEqual([]);
  });

  test('the check finds a write of a head, and a key that a write could use', () => {
    expect(/\b(?:put|update):\s*(?:headKey|encodeHead)\(/.test('[{ update: headKey(accountId), set }]')).toBe(true);
    expect(otherUsesOfKey('const key = headKey(accountId);\nawait table.get(headKey(accountId));')).toEqual(['const key = headKey(accountId);']);
    expect(otherUsesOfKey('const write = { update: mailKeys.head(accountId) };')).toHaveLength(1);
  });
});
