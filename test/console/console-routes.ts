import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', '..', 'console');
const sources = globSync('pages/**/*-page.tsx', { cwd: folder }).map((path) => readFileSync(join(folder, path), 'utf8'));

/** A page states its path as `path: '/users/:userId'`. */
const pathsIn = (source: string): string[] => [...source.matchAll(/(?:^ {2}|PageDefinition = \{ )path: '([^']*)'/gm)].map(([, path]) => path!);

/** The paths of all pages of the console, as their definitions write them: `/domains/:domainId`. */
export const consolePaths: readonly string[] = sources.flatMap(pathsIn).sort();

/** The name of the id in a path: `domainId`; undefined for a path without an id. */
export const parameterOf = (path: string): string | undefined => /:(\w+)/.exec(path)?.[1];
