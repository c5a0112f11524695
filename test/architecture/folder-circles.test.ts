import { dirname } from 'node:path';
import { filesBelow, importsOf } from './sources.ts';

const files = ['bench', 'bin', 'cli', 'console', 'contract', 'core', 'lambdas', 'lib', 'people', 'preflight', 'sandbox', 'site', 'webmail'].flatMap((folder) =>
  filesBelow(folder, ['']).filter((path) => !path.includes('/.')),
);

/** Adds a value to the set of a key. */
const add = (sets: Map<string, Set<string>>, key: string, value: string) => sets.set(key, (sets.get(key) ?? new Set()).add(value));

/** The imports between the entries of each folder: for each entry, the sibling entries that its files import. */
const arrowsIn = (imports: readonly (readonly [from: string, to: string])[]): ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>> => {
  const folders = new Map<string, Map<string, Set<string>>>();
  for (const [from, to] of imports) {
    let folder = dirname(from);
    while (folder !== '.' && !to.startsWith(`${folder}/`)) folder = dirname(folder);
    const depth = folder === '.' ? 0 : folder.split('/').length;
    const [here, there] = [from.split('/')[depth]!, to.split('/')[depth]!];
    if (here === there) continue;
    const arrows = folders.get(folder) ?? new Map<string, Set<string>>();
    folders.set(folder, arrows);
    add(arrows, here, there);
  }
  return folders;
};

/** The entries that import each other, directly or indirectly. */
const inCircles = (arrows: ReadonlyMap<string, ReadonlySet<string>>): string[] =>
  [...arrows.keys()]
    .filter((start) => {
      const seen = new Set<string>();
      const next = [...arrows.get(start)!];
      while (next.length > 0) {
        const entry = next.pop()!;
        if (entry === start) return true;
        if (!seen.has(entry)) next.push(...(arrows.get(entry) ?? []));
        seen.add(entry);
      }
      return false;
    })
    .sort();

describe('the entries of a folder', () => {
  test('do not import each other in a circle, including imports of types', () => {
    const imports = files.filter((path) => /\.tsx?$/.test(path)).flatMap((from) => importsOf(from).map((to) => [from, to] as const));
    const circles = Object.fromEntries(
      [...arrowsIn(imports)].map(([folder, arrows]) => [folder, inCircles(arrows)] as const).filter(([, entries]) => entries.length > 0),
    );
    expect(circles).toEqual({});
  });

  test('the check finds a circle of folders and files', () => {
    const arrows = arrowsIn([
      ['a/b/one.ts', 'a/c/two.ts'],
      ['a/c/three.ts', 'a/d.ts'],
      ['a/d.ts', 'a/b/four.ts'],
      ['a/e.ts', 'a/d.ts'],
    ]);
    expect(inCircles(arrows.get('a')!)).toEqual(['b', 'c', 'd.ts']);
  });
});
