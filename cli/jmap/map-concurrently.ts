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

/** The results for items, in the order of the items. At most `atOnce` results are computed before they are consumed. */
export const inOrder = async function* <Item, Result>(items: Iterable<Item>, atOnce: number, work: (item: Item) => Promise<Result>): AsyncGenerator<Result> {
  const pending: Promise<Result>[] = [];
  for (const item of items) {
    const result = work(item);
    // The consumer gets the error together with this result.
    result.catch(() => undefined);
    pending.push(result);
    if (pending.length >= atOnce) yield await pending.shift()!;
  }
  while (pending.length > 0) yield await pending.shift()!;
};
