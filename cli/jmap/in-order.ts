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
