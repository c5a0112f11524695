import type { Item, Table } from './table.ts';

/** Part of a list in the lasting order of its ids. `next` is the position after which more begins; undefined when there is no more. */
export type Page<T> = { readonly items: readonly T[]; readonly next: string | undefined };

/** Cuts a page off what was found, where one item more than is wanted was asked for: when there is more, another page follows. */
export const pageOf = <T>(found: readonly Item[], size: number, read: (item: Item) => T): Page<T> => {
  const items = found.slice(0, size);
  return { items: items.map(read), next: found.length > size ? items.at(-1)?.sk : undefined };
};

/** The page of a partition after a position: one read of one item more than is wanted. Writes in between move nothing that was there before. */
export const readPage = async <T>(table: Table, pk: string, after: string | undefined, size: number, read: (item: Item) => T): Promise<Page<T>> =>
  pageOf(await table.query({ pk, after, limit: size + 1 }), size, read);
