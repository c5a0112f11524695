import { filesBelow, importsOf } from './sources.ts';

/** The floors of `core/`; every other folder below `lambdas/` is one Lambda. */
const floors = ['aws', 'directory', 'dns', 'mail', 'mime', 'push', 'rpc', 'runtime', 'sending', 'storage'] as const;

/** The place of a file for the rules below: `bin`, `lib`, `contract`, `core/mail`, …, or `lambda:<folder>`. */
const placeOf = (path: string): string => {
  const [top, second, third] = path.split('/');
  if (top === 'core') return `core/${second}`;
  if (top !== 'lambdas') return top!;
  return second === 'admin' || second === 'deploy-hooks' ? `lambda:${second}/${third}` : `lambda:${second}`;
};

/** What each place may import besides itself. Arrows point one way. */
const mayImport: Record<string, readonly string[]> = {
  bin: ['lib', 'contract'],
  cli: ['contract'],
  lib: ['contract'],
  contract: [],
  'core/runtime': ['contract'],
  'core/storage': ['core/runtime', 'contract'],
  'core/mime': ['core/runtime', 'contract'],
  'core/aws': ['core/runtime', 'contract'],
  'core/dns': ['core/runtime', 'contract'],
  'core/mail': ['core/mime', 'core/storage', 'core/runtime', 'contract'],
  'core/directory': ['core/mail', 'core/storage', 'core/runtime', 'contract'],
  'core/sending': ['core/mail', 'core/storage', 'core/runtime', 'contract'],
  'core/push': ['core/mail', 'core/storage', 'core/runtime', 'contract'],
  'core/rpc': ['core/directory', 'core/sending', 'core/push', 'core/mail', 'core/storage', 'core/aws', 'core/runtime', 'contract'],
  lambda: [...floors.map((floor) => `core/${floor}`), 'contract'],
};

const isAllowed = (from: string, to: string): boolean => {
  const [here, there] = [placeOf(from), placeOf(to)];
  return here === there || (mayImport[here.startsWith('lambda:') ? 'lambda' : here] ?? []).includes(there);
};

const product = ['bin', 'cli', 'lib', 'contract', 'core', 'lambdas'].flatMap((folder) => filesBelow(folder));

describe('the direction of imports', () => {
  test('finds the product’s files and their imports', () => {
    expect(product.length).toBeGreaterThan(50);
    expect(product.flatMap(importsOf).length).toBeGreaterThan(100);
  });

  test('bin → lib → contract ← core ← lambdas, the floors of core/ downwards only, and no Lambda imports another', () => {
    const wrong = product.flatMap((from) => importsOf(from).filter((to) => !isAllowed(from, to)).map((to) => `${from} → ${to}`));
    expect(wrong).toEqual([]);
  });

  test('an import of another Lambda, or upwards, is noticed', () => {
    expect(isAllowed('lambdas/admin/users/users-service.ts', 'lambdas/admin/accounts/accounts-service.ts')).toBe(false);
    expect(isAllowed('core/directory/users.ts', 'core/rpc/rpc-error.ts')).toBe(false);
    expect(isAllowed('core/runtime/http.ts', 'core/storage/table.ts')).toBe(false);
    expect(isAllowed('core/mail/commit.ts', 'lambdas/jmap/index.ts')).toBe(false);
    expect(isAllowed('lib/storage.ts', 'core/storage/table.ts')).toBe(false);
    expect(isAllowed('contract/rpc.ts', 'lib/storage.ts')).toBe(false);
  });

  test('no file imports itself in a circle', () => {
    const circles: string[] = [];
    const done = new Set<string>();
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) circles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
      if (done.has(path) || trail.includes(path) || !product.includes(path)) return;
      for (const next of importsOf(path)) visit(next, [...trail, path]);
      done.add(path);
    };
    for (const path of product) visit(path, []);
    expect(circles).toEqual([]);
  });
});
