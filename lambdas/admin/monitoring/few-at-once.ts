/** Does something with each item, with at most `limit` under way; the answers come in the order of the items. The first failure ends it. */
export const fewAtOnce = async <Item, Answer>(limit: number, items: readonly Item[], act: (item: Item) => Promise<Answer>): Promise<Answer[]> => {
  const answers: Answer[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) answers[index] = await act(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return answers;
};
