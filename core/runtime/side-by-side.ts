/** Waits until all have ended, and fails as the first that failed: nothing of it is under way when the caller goes on. */
export const sideBySide = async (acts: readonly Promise<unknown>[]): Promise<void> => {
  const failed = (await Promise.allSettled(acts)).find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
};
