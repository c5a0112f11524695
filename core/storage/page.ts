import type { Item, Table } from './table.ts';

/**
 * A page of a list, in the order of the sort keys. `next` is the position of the page's end, from which the next page
 * continues; undefined for the last page.
 */
export type Page<T> = { readonly items: readonly T[]; readonly next: string | undefined };

/**
 * The page of the first `size` items. The caller has read `size + 1` items, to find out whether another page exists.
 */
export const pageOf = <T>(found: readonly Item[], size: number, read: (item: Item) => T): Page<T> => {
  const items = found.slice(0, size);
  return { items: items.map(read), next: found.length > size ? items.at(-1)?.sk : undefined };
};

/**
 * Reads the page of a partition after a position, in one query. Writes between two reads do not move items to another
 * page.
 */
export const readPage = async <T>(table: Table, pk: string, after: string | undefined, size: number, read: (item: Item) => T): Promise<Page<T>> =>
  pageOf(await table.query({ pk, after, limit: size + 1 }), size, read);

/** Maximum items of a page that {@link readAllPages} reads. */
const largestPage = 1000;

/** Reads a whole list, page by page. */
export const readAllPages = async <T>(list: (after: string | undefined, size: number) => Promise<Page<T>>): Promise<T[]> => {
  const items: T[] = [];
  let after: string | undefined;
  do {
    const page = await list(after, largestPage);
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return items;
};
