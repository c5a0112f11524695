/** Makes the next call of a fake fail, `before` or `after` its effect. */
export const nextFault = () => {
  let next: { readonly error: Error; readonly when: 'before' | 'after' } | undefined;
  const failNext = (error: Error, when: 'before' | 'after' = 'before'): void => {
    next = { error, when };
  };
  const withFault = async <T>(work: () => T): Promise<T> => {
    const fault = next;
    next = undefined;
    if (fault?.when === 'before') throw fault.error;
    const result = work();
    if (fault) throw fault.error;
    return result;
  };
  return { failNext, withFault };
};
