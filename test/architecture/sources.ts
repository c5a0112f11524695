import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/** The project's root. */
export const root = join(import.meta.dirname, '..', '..');

/** Files below a folder, as paths from the root. */
export const filesBelow = (folder: string, endings: readonly string[] = ['.ts']): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !/(^|\/)(node_modules|__pycache__)\//.test(path));

export const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The files of the project that a file imports, as paths from the root; packages are left out. */
export const importsOf = (path: string): string[] =>
  [...textOf(path).matchAll(/(?:from|import|import\()\s*'(\.{1,2}\/[^']+)'/g)].map(([, specifier]) => normalize(join(dirname(path), specifier!)));
