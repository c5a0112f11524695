/** Maximum octets in memory, unless a single item is larger, and maximum items that are handled concurrently. */
const [maxWeight, maxItems] = [8_000_000, 8];

/** The items in order, in groups that are handled one after the other. Each group fits into the Lambda's memory. */
export const weightGroups = <Item>(items: readonly Item[], weightOf: (item: Item) => number): readonly (readonly Item[])[] => {
  const groups: Item[][] = [];
  let weight = Infinity;
  for (const item of items) {
    const added = weightOf(item);
    weight += added;
    if (weight > maxWeight || groups.at(-1)!.length === maxItems) {
      groups.push([]);
      weight = added;
    }
    groups.at(-1)!.push(item);
  }
  return groups;
};
