/**
 * Calls `act` for each item, with at most `atOnce` calls under way; all of them are made, even when some fail.
 * @returns the results in the order of the items.
 * @throws the first failure in that order, once every call has ended: nothing is under way any more.
 */
export const sideBySide = async <Item, Result>(
  items: readonly Item[], act: (item: Item) => Promise<Result>, { atOnce = Infinity }: { readonly atOnce?: number } = {},
): Promise<Result[]> => {
  const results: Result[] = [];
  const failures = new Map<number, unknown>();
  const remaining = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of remaining) {
      try {
        results[index] = await act(item);
      } catch (error) {
        failures.set(index, error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
  return results;
};

/**
 * Waits for promises that are pending already.
 * @throws the first failure in their order, once every one has settled.
 */
export const allSettled = async (promises: readonly Promise<unknown>[]): Promise<void> => {
  await sideBySide(promises, (promise) => promise);
};
