import { useEffect } from 'react';
import type { Id } from '../jmap/types.ts';
import type { ListQuery } from '../store/list-query.ts';
import type { MailStore } from '../store/mail-store.ts';

/** Milliseconds for which the list rests before the snippets of its rows are read. */
const restAfter = 100;

/** Reads the snippets of search results that are visible. */
export const useSnippets = (store: MailStore, query: ListQuery, emailIds: readonly (Id | undefined)[]): void => {
  const key = emailIds.join(' ');
  useEffect(() => {
    if (!query.isSearch) return undefined;
    // Without a snippet a row shows the beginning of its message.
    const timer = setTimeout(() => void store.snippets.load(query, key.split(' ').filter(Boolean)).catch(() => undefined), restAfter);
    return () => clearTimeout(timer);
  }, [store, query, key]);
};
