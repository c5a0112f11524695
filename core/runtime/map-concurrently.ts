/**
 * Calls `act` for each item, with at most `atOnce` concurrent calls. All calls are made, even when some fail.
 * @returns the results in the order of the items.
 * @throws the first failure in that order, after every call has ended.
 */
export const mapConcurrently = async <Item, Result>(
  items: readonly Item[],
  act: (item: Item, index: number) => Promise<Result>,
  { atOnce = Infinity }: { readonly atOnce?: number } = {},
): Promise<Result[]> => {
  const results: Result[] = [];
  const failures = new Map<number, unknown>();
  const remaining = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of remaining) {
      try {
        results[index] = await act(item, index);
      } catch (error) {
        failures.set(index, error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
  return results;
};

/** Waits for pending promises. @throws the first failure in their order, after all promises have settled. */
export const allSettled = async (promises: readonly Promise<unknown>[]): Promise<void> => {
  await mapConcurrently(promises, (promise) => promise);
};

/**
 * Combines the items of all calls in one turn of the event loop into one call of `act`. All callers get the same
 * outcome.
 */
export const batched = <Item, Result>(act: (items: readonly Item[]) => Promise<Result>) => {
  let pending: { readonly items: Item[]; readonly result: Promise<Result> } | undefined;
  return (items: readonly Item[]): Promise<Result> => {
    if (!pending) {
      const joined: Item[] = [];
      const turn = new Promise<void>((end) => {
        setImmediate(end);
      });
      const result = turn.then(() => {
        pending = undefined;
        return act(joined);
      });
      pending = { items: joined, result };
    }
    pending.items.push(...items);
    return pending.result;
  };
};

/**
 * {@link batched} for each key, with an outcome for each item: when `act` fails for several items, it is called again
 * for each of them. `act` must be repeatable.
 * @param onFailure receives the failure for several items.
 */
export const batchedByKey = <Item>(act: (items: readonly Item[]) => Promise<void>, onFailure: (failure: unknown) => void) => {
  const attempt = async (items: readonly Item[]): Promise<'done' | 'failed together'> => {
    try {
      await act(items);
      return 'done';
    } catch (failure) {
      if (items.length === 1) throw failure;
      onFailure(failure);
      return 'failed together';
    }
  };
  const calls = new Map<string, (items: readonly Item[]) => ReturnType<typeof attempt>>();
  return async (key: string, item: Item): Promise<void> => {
    const call = calls.get(key) ?? batched(attempt);
    calls.set(key, call);
    if ((await call([item])) === 'failed together') await act([item]);
  };
};

/** Runs tasks in the order of the calls, at most `atOnce` concurrently. */
export const concurrencyLimit = (atOnce: number) => {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  return async <T>(task: () => Promise<T>): Promise<T> => {
    // A task that ends passes its place to the next one, so that no later call takes it.
    if (underWay >= atOnce) await new Promise<void>((start) => void waiting.push(start));
    else underWay += 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else underWay -= 1;
    }
  };
};
