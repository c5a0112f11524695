/**
 * The person's access by the last calls of the API: admitted, without admin rights, or to sign in again. A person
 * who loses admin rights is out at the next call.
 */
export type Access = 'granted' | 'forbidden' | 'signInRequired';

let current: Access = 'granted';
const listeners = new Set<() => void>();

export const accessStore = {
  get: (): Access => current,
  set: (next: Access): void => {
    current = next;
    for (const listener of listeners) listener();
  },
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
