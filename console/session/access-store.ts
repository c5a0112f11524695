/**
 * The person's access by the latest calls of the API: granted, without admin rights, or signed out. A person who loses
 * admin rights loses access at the next call.
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
