import { filesBelow, importsOf } from './sources.ts';

/** Folders of `lambdas/` that Lambdas share; every other folder there is a Lambda. */
const sharedRooms = ['platform', 'store', 'providers', 'message'];

/** Where a file stands, for the rules below: `bin`, `lib`, `contract`, `lambdas/platform`, `lambdas/store`, …, or `room:<name>`. */
const placeOf = (path: string): string => {
  const [top, second] = path.split('/');
  if (top !== 'lambdas') return top!;
  return sharedRooms.includes(second!) ? `lambdas/${second}` : `room:${second}`;
};

/** What each place may import besides itself. Arrows point one way. */
const mayImport: Record<string, readonly string[]> = {
  bin: ['lib', 'contract'],
  cli: ['contract'],
  lib: ['contract'],
  contract: [],
  'lambdas/platform': ['contract'],
  'lambdas/store': ['lambdas/platform', 'contract'],
  'lambdas/providers': ['lambdas/platform', 'contract'],
  'lambdas/message': ['lambdas/platform', 'contract'],
  room: ['lambdas/store', 'lambdas/providers', 'lambdas/message', 'lambdas/platform', 'contract'],
};

/** The records are the vocabulary that reading a message and storing it have in common. */
const sharedVocabulary = 'lambdas/store/mail/records.ts';

const isAllowed = (from: string, to: string): boolean => {
  const [here, there] = [placeOf(from), placeOf(to)];
  if (here === there || to === sharedVocabulary) return true;
  return (mayImport[here.startsWith('room:') ? 'room' : here] ?? []).includes(there);
};

const product = ['bin', 'cli', 'lib', 'contract', 'lambdas'].flatMap((folder) => filesBelow(folder));

describe('the direction of imports', () => {
  test('finds the product’s files and their imports', () => {
    expect(product.length).toBeGreaterThan(50);
    expect(product.flatMap(importsOf).length).toBeGreaterThan(100);
  });

  test('bin → lib → contract ← rooms → store, providers, message → platform → contract, and rooms do not know each other', () => {
    const wrong = product.flatMap((from) => importsOf(from).filter((to) => !isAllowed(from, to)).map((to) => `${from} → ${to}`));
    expect(wrong).toEqual([]);
  });

  test('a room that imports another room is noticed', () => {
    expect(isAllowed('lambdas/users/methods.ts', 'lambdas/accounts/methods.ts')).toBe(false);
    expect(isAllowed('lambdas/platform/http.ts', 'lambdas/store/table.ts')).toBe(false);
    expect(isAllowed('lib/storage.ts', 'lambdas/store/table.ts')).toBe(false);
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
