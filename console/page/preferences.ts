import { applyDensity, applyMode, Density, Mode } from '@cloudscape-design/global-styles';
import { useSyncExternalStore } from 'react';

/** A person's choices for this browser, without data of the deployment. */
type Preferences = {
  readonly appearance: 'light' | 'dark' | 'system';
  readonly isCompact: boolean;
  readonly timeZone: 'local' | 'UTC';
  /** Where the details of a list's row are shown. */
  readonly panelPosition: 'bottom' | 'side';
  /** Size in pixels; undefined until a person resizes the panel. */
  readonly panelSize: number | undefined;
  /** For each list: rows on a page, and visible columns. */
  readonly lists: { readonly [list: string]: ListPreferences };
};

export type ListPreferences = {
  readonly pageSize: number;
  readonly wrapLines: boolean;
  /** Ids of the visible columns; undefined: those that the list shows by default. */
  readonly visibleColumns: readonly string[] | undefined;
};

const defaultListPreferences: ListPreferences = { pageSize: 25, wrapLines: false, visibleColumns: undefined };

const storageKey = 'postrider-console-preferences';
const defaults: Preferences = { appearance: 'system', isCompact: false, timeZone: 'local', panelPosition: 'bottom', panelSize: undefined, lists: {} };

const read = (): Preferences => {
  try {
    const stored: Partial<Preferences> = JSON.parse(localStorage.getItem(storageKey) ?? '{}');
    return { ...defaults, ...stored };
  } catch {
    return defaults;
  }
};

const darkSystem = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();
let current = read();

const apply = (): void => {
  const isDark = current.appearance === 'dark' || (current.appearance === 'system' && darkSystem.matches);
  applyMode(isDark ? Mode.Dark : Mode.Light);
  applyDensity(current.isCompact ? Density.Compact : Density.Comfortable);
};
darkSystem.addEventListener('change', apply);
apply();

export const setPreferences = (change: Partial<Preferences>): void => {
  current = { ...current, ...change };
  try {
    localStorage.setItem(storageKey, JSON.stringify(current));
  } catch {
    // A browser without storage keeps the preferences until the page is closed.
  }
  apply();
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, () => current);

export const useListPreferences = (list: string): [ListPreferences, (change: ListPreferences) => void] => {
  const { lists } = usePreferences();
  return [{ ...defaultListPreferences, ...lists[list] }, (change) => setPreferences({ lists: { ...current.lists, [list]: change } })];
};
