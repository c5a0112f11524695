/** What befalls the next call of a fake: an error, before or after it did its work. */
export const nextTrouble = () => {
  let next: { readonly error: Error; readonly when: 'before' | 'after' } | undefined;
  const trouble = (error: Error, when: 'before' | 'after' = 'before'): void => {
    next = { error, when };
  };
  const befalling = async <T>(work: () => T): Promise<T> => {
    const befell = next;
    next = undefined;
    if (befell?.when === 'before') throw befell.error;
    const result = work();
    if (befell) throw befell.error;
    return result;
  };
  return { trouble, befalling };
};
