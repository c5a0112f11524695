/**
 * Runs work on all items, `atOnce` of them concurrently.
 * @throws the first error, after the running work has ended.
 */
export const mapConcurrently = async <Item>(items: readonly Item[], atOnce: number, work: (item: Item) => Promise<void>): Promise<void> => {
  const errors: unknown[] = [];
  let next = 0;
  const runNext = async (): Promise<void> => {
    while (next < items.length && errors.length === 0) {
      const item = items[next++]!;
      await work(item).catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, runNext));
  if (errors.length > 0) throw errors[0];
};
