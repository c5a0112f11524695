import type { Item, Key } from './table.ts';

/** Finds an item among those that were read together. @returns undefined when it was not there. */
export type FindItem = (key: Key) => Item | undefined;

/** A {@link FindItem} in items of one read, such as a BatchGet. */
export const findItemIn = (items: readonly Item[]): FindItem => {
  const byKey = new Map(items.map((item) => [`${item.pk} ${item.sk}`, item]));
  return ({ pk, sk }) => byKey.get(`${pk} ${sk}`);
};
