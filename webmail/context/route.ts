import { useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import type { Id } from '../jmap/types.ts';

/** Where the person is: a mailbox, and a conversation that is open. `/mailbox/<id>/<threadId>` */
export type Route = { readonly mailboxId: Id | undefined; readonly threadId: Id | undefined };

const listeners = new Set<() => void>();
const notify = (): void => {
  for (const listener of listeners) listener();
};

export const pathOf = ({ mailboxId, threadId }: Route): string =>
  mailboxId === undefined ? '/' : ['/mailbox', encodeURIComponent(mailboxId), ...(threadId === undefined ? [] : [encodeURIComponent(threadId)])].join('/');

const decoded = (part: string | undefined): string | undefined => {
  try {
    return part ? decodeURIComponent(part) : undefined;
  } catch {
    return undefined;
  }
};

export const routeOf = (path: string): Route => {
  const [, kind, mailboxId, threadId] = path.split('/');
  return kind === 'mailbox' ? { mailboxId: decoded(mailboxId), threadId: decoded(threadId) } : { mailboxId: undefined, threadId: undefined };
};

/** Goes somewhere, and shows it at once, so that the next key acts on what is shown. The browser's back button returns, unless the way is replaced. */
export const go = (route: Route, isReplacing = false): void => {
  if (pathOf(route) === location.pathname) return;
  history[isReplacing ? 'replaceState' : 'pushState'](null, '', pathOf(route));
  flushSync(notify);
};

window.addEventListener('popstate', notify);

export const useRoute = (): Route => {
  const path = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => location.pathname,
  );
  return routeOf(path);
};
