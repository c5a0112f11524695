/** Things that are under way at a time, at most. */
const atATime = 50;

/**
 * Does something for each, all of them even when some fail, {@link atATime} at a time at most.
 * @throws what the first that failed threw, once all have ended.
 */
export const sideBySide = async <T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> => {
  const failures: unknown[] = [];
  const waiting = items.values();
  const work = async (): Promise<void> => {
    for (const item of waiting) await act(item).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: Math.min(atATime, items.length) }, work));
  if (failures.length > 0) throw failures[0];
};
