import type { ComponentType } from 'react';
import { matchRoutes } from 'react-router';
import { keysOf } from '../../contract/values/typed-entries.ts';
import { methodTitle } from '../words/methods.ts';
import { words } from '../words/words.ts';
import type { PageDefinition } from './page-definition.ts';

export type ConsolePage = PageDefinition & { readonly title: string; readonly load: () => Promise<ComponentType> };

// `?page` keeps the definition alone (console/vite.config.ts), so that a page is loaded when it is opened first.
const definitions = import.meta.glob<PageDefinition>('../pages/**/*-page.tsx', { eager: true, query: '?page', import: 'page' });
const modules = import.meta.glob<Record<string, ComponentType>>('../pages/**/*-page.tsx');

/** `…/user-page.tsx` → `UserPage`. */
const componentName = (file: string): string =>
  file.slice(file.lastIndexOf('/') + 1, -'.tsx'.length).replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());

const titleOf = ({ title, methods = {} }: PageDefinition): string => title ?? methodTitle(Object.values(methods).flat()[0] ?? '');

export const pages: readonly ConsolePage[] = Object.entries(definitions).map(([file, definition]) => ({
  ...definition,
  title: titleOf(definition),
  load: async () => (await modules[file]!())[componentName(file)]!,
}));

/** The page at a path of the browser; undefined where there is none. */
export const pageAt = (path: string): ConsolePage | undefined =>
  matchRoutes(
    pages.map((page) => ({ path: page.path, handle: page })),
    path,
  )?.at(-1)?.route.handle;

/** A page and those above it, the topmost first. */
export const pagesAbove = (page: ConsolePage): readonly ConsolePage[] => {
  const parent = pages.find(({ path }) => path === page.parent);
  return parent ? [...pagesAbove(parent), page] : [page];
};

type NavigationGroup = {
  /** Undefined for a page without a parent. */
  readonly title: string | undefined;
  readonly pages: readonly ConsolePage[];
};

const groupNames = keysOf(words.groups);

export const navigation: readonly NavigationGroup[] = [
  { title: undefined, pages: pages.filter(({ path }) => path === '/') },
  ...groupNames.map((group) => ({
    title: words.groups[group],
    pages: pages.filter((page) => page.navigation?.group === group).toSorted((one, other) => one.navigation!.position - other.navigation!.position),
  })),
];

/** The page of a match of the router. */
export const pageOf = (match: { readonly handle: unknown } | undefined): ConsolePage | undefined =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the routes have the pages as their handles
  match?.handle as ConsolePage | undefined;
