import { useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import type { Id } from '../jmap/types.ts';

/**
 * Where the person is: `/mailbox/<id>/<threadId>`, or `/search?q=<text>&in=<mailboxId>&thread=<threadId>`, below
 * `/account/<id>` in another account than one's own.
 */
export type Route = {
  readonly accountId?: Id | undefined;
  /** The mailbox that is shown, or in which a search looks. */
  readonly mailboxId: Id | undefined;
  /** The text of a search. Undefined where a mailbox is shown. */
  readonly search?: string | undefined;
  readonly threadId: Id | undefined;
};

/** A person's place in a list: pixels from its top, and the active row. */
export type Place = { readonly top: number; readonly active: number };

const listeners = new Set<() => void>();
const notify = (): void => {
  for (const listener of listeners) listener();
};

const parts = (...names: readonly (string | undefined)[]): string =>
  names.flatMap((name) => (name === undefined ? [] : [`/${encodeURIComponent(name)}`])).join('');

export const pathOf = ({ accountId, mailboxId, search, threadId }: Route): string => {
  const account = accountId === undefined ? '' : parts('account', accountId);
  if (search !== undefined) {
    const values = { q: search, in: mailboxId, thread: threadId };
    const query = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]));
    return `${account}/search?${query.join('&')}`;
  }
  return mailboxId === undefined ? account || '/' : `${account}${parts('mailbox', mailboxId, threadId)}`;
};

const decoded = (part: string | undefined): string | undefined => {
  try {
    return part ? decodeURIComponent(part) : undefined;
  } catch {
    return undefined;
  }
};

export const routeOf = (path: string): Route => {
  const [way = '', query = ''] = path.split('?');
  const names = way.split('/').slice(1);
  const accountId = names[0] === 'account' ? decoded(names[1]) : undefined;
  const [kind, mailboxId, threadId] = names[0] === 'account' ? names.slice(2) : names;
  if (kind === 'search') {
    const values = new URLSearchParams(query);
    const value = (name: string): string | undefined => values.get(name) || undefined;
    return { accountId, mailboxId: value('in'), search: value('q') ?? '', threadId: value('thread') };
  }
  const isMailbox = kind === 'mailbox';
  return { accountId, mailboxId: isMailbox ? decoded(mailboxId) : undefined, threadId: isMailbox ? decoded(threadId) : undefined };
};

const current = (): string => `${location.pathname}${location.search}`;

let place: Place = { top: 0, active: 0 };

/** Keeps the place in the list that is shown, to which the browser's back button returns. */
export const keepPlace = (next: Partial<Place>): void => {
  place = { ...place, ...next };
};

/** The place in the list to which the browser's button returned; the beginning everywhere else. */
export const placeOfHistory = (): Place => {
  const state: unknown = history.state;
  const value = (name: keyof Place): number => (typeof state === 'object' && state !== null && name in state ? Number(Reflect.get(state, name)) || 0 : 0);
  return { top: value('top'), active: value('active') };
};

/** Whether a click on a link stays in the page: with other keys and buttons, the browser opens the link elsewhere. */
export const staysHere = ({ metaKey, ctrlKey, shiftKey, button }: Pick<MouseEvent, 'metaKey' | 'ctrlKey' | 'shiftKey' | 'button'>): boolean =>
  !metaKey && !ctrlKey && !shiftKey && button === 0;

/** Goes somewhere, and shows it at once, so that the next key acts on what is shown. The browser's back button returns, unless the way is replaced. */
export const go = (route: Route, isReplacing = false): void => {
  if (pathOf(route) === current()) return;
  if (isReplacing) history.replaceState(null, '', pathOf(route));
  else {
    history.replaceState(place, '');
    history.pushState(null, '', pathOf(route));
  }
  flushSync(notify);
};

window.addEventListener('popstate', notify);

export const useRoute = (): Route => {
  const path = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, current);
  return routeOf(path);
};
