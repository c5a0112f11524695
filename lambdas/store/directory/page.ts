import type { Item, Table } from '../table.ts';

/** Part of a list in the lasting order of its ids. `next` is the position after which more begins; undefined when there is no more. */
export type Page<T> = { readonly items: readonly T[]; readonly next: string | undefined };

/** The page of a partition after a position: one read of one item more than is wanted. Writes in between move nothing that was there before. */
export const readPage = async <T>(table: Table, pk: string, after: string | undefined, size: number, read: (item: Item) => T): Promise<Page<T>> => {
  const found = await table.query({ pk, after, limit: size + 1 });
  const items = found.slice(0, size);
  return { items: items.map(read), next: found.length > size ? items.at(-1)?.sk : undefined };
};
