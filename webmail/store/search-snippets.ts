import type { Id, SearchSnippet } from '../jmap/types.ts';
import { keyOf, type ListQuery } from './list-query.ts';

/** The snippets of the last search, by Email. */
export type SearchSnippets = {
  get(query: ListQuery, emailId: Id): SearchSnippet | undefined;
  /** Reads the snippets that are not there. */
  load(query: ListQuery, emailIds: readonly Id[]): Promise<void>;
};

export const createSearchSnippets = (
  read: (query: ListQuery, emailIds: readonly Id[]) => Promise<readonly SearchSnippet[]>,
  changed: () => void,
): SearchSnippets => {
  let ofKey = '';
  /** Undefined while a snippet is read, and where there is none. */
  let snippets = new Map<Id, SearchSnippet | undefined>();
  return {
    get: (query, emailId) => (keyOf(query) === ofKey ? snippets.get(emailId) : undefined),
    async load(query, emailIds) {
      if (keyOf(query) !== ofKey) {
        ofKey = keyOf(query);
        snippets = new Map();
      }
      const current = snippets;
      const missing = emailIds.filter((id) => !current.has(id));
      if (missing.length === 0) return;
      for (const id of missing) current.set(id, undefined);
      try {
        for (const snippet of await read(query, missing)) current.set(snippet.emailId, snippet);
      } catch (error) {
        for (const id of missing) current.delete(id);
        throw error;
      }
      if (current === snippets) changed();
    },
  };
};
