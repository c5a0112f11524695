import { filesBelow, importsOf, textOf } from './sources.ts';

/** The folders of `core/`. */
const coreFolders = [
  'account-index', 'account-log', 'aws', 'blobs', 'directory', 'mail-types', 'mime', 'push', 'rpc', 'runtime', 'search', 'sending', 'storage',
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
  // The command line reads messages too.
  cli: ['core/mime', 'contract'],
  lib: ['contract'],
  contract: [],
  'core/runtime': ['contract'],
  'core/aws': ['core/runtime', 'contract'],
  'core/storage': ['core/runtime', 'contract'],
  'core/mime': ['core/runtime', 'contract'],
  'core/account-log': ['core/storage', 'core/mime', 'core/runtime', 'contract'],
  'core/account-index': ['core/account-log', 'core/storage', 'core/mime', 'core/runtime', 'contract'],
  'core/mail-types': ['core/account-index', 'core/account-log', 'core/storage', 'core/mime', 'core/runtime', 'contract'],
  'core/blobs': ['core/mail-types', 'core/account-index', 'core/account-log', 'core/storage', 'core/mime', 'core/runtime', 'contract'],
  'core/search': ['core/blobs', 'core/mail-types', 'core/account-index', 'core/account-log', 'core/storage', 'core/mime', 'core/runtime', 'contract'],
  'core/directory': ['core/mail-types', 'core/account-log', 'core/storage', 'core/runtime', 'contract'],
  'core/sending': ['core/blobs', 'core/mail-types', 'core/account-log', 'core/mime', 'core/storage', 'core/runtime', 'contract'],
  'core/push': ['core/mail-types', 'core/account-log', 'core/storage', 'core/aws', 'core/runtime', 'contract'],
  'core/rpc': ['core/directory', 'core/storage', 'core/aws', 'core/runtime', 'contract'],
  lambda: [...coreFolders.map((folder) => `core/${folder}`), 'contract'],
};

const isAllowed = (from: string, to: string): boolean => {
  const [fromLayer, toLayer] = [layerOf(from), layerOf(to)];
  return fromLayer === toLayer || (allowedImports[fromLayer.startsWith('lambda:') ? 'lambda' : fromLayer] ?? []).includes(toLayer);
};

const product = ['bin', 'cli', 'lib', 'contract', 'core', 'lambdas'].flatMap((folder) => filesBelow(folder));

describe('the direction of imports', () => {
  test('the check finds the product’s files and their imports', () => {
    expect(product.length).toBeGreaterThan(50);
    expect(product.flatMap(importsOf).length).toBeGreaterThan(100);
  });

  test('every import follows bin → lib → contract ← core ← lambdas, cli → core/mime and the order of core/, and no Lambda imports another', () => {
    const wrong = product.flatMap((from) => importsOf(from).filter((to) => !isAllowed(from, to)).map((to) => `${from} → ${to}`));
    expect(wrong).toEqual([]);
  });

  test('the check finds an import of another Lambda and an import of a higher layer', () => {
    expect(isAllowed('lambdas/admin/users/users-service.ts', 'lambdas/admin/accounts/accounts-service.ts')).toBe(false);
    expect(isAllowed('core/directory/users/users.ts', 'core/rpc/rpc-error.ts')).toBe(false);
    expect(isAllowed('core/runtime/http/http.ts', 'core/storage/table.ts')).toBe(false);
    expect(isAllowed('core/account-index/commit.ts', 'lambdas/jmap/index.ts')).toBe(false);
    expect(isAllowed('lib/state/storage.ts', 'core/storage/table.ts')).toBe(false);
    expect(isAllowed('contract/rpc/rpc.ts', 'lib/state/storage.ts')).toBe(false);
  });

  test('no imports form a cycle, in the console and of types included', () => {
    const files = new Set([...product, ...filesBelow('console', ['.ts', '.tsx'])]);
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
    expect(filesWith(/\b(?:put|update):\s*(?:headKey|encodeHead)\(/)).toEqual(['core/account-log/head-writes.ts']);
    expect(filesWith(/\bheadAttributes\(next/)).toEqual(['core/account-log/head-writes.ts']);
  });

  test('is changed by a commit or a removal of references through appendCommit only', () => {
    const writers = filesWith(/import \{[^}]*\b(?:createHead|replaceHead|announceReferenceRemoval)\b/);
    expect(writers).toEqual(['core/account-log/append-commit.ts']);
  });

  test('the check finds a write of a head', () => {
    expect(/\b(?:put|update):\s*(?:headKey|encodeHead)\(/.test('[{ update: headKey(accountId), set }]')).toBe(true);
  });
});
