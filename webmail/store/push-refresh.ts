import type { MailStore } from './mail-store.ts';

export type PushRefreshDependencies = {
  readonly store: Pick<MailStore, 'isCurrent' | 'refresh' | 'states'>;
  readonly wait: (milliseconds: number) => Promise<void>;
};

/** Milliseconds before a refresh when the one before found nothing: the first one, and the longest. */
const [firstPause, longestPause] = [1000, 10_000];

/**
 * Refreshes a store after pushes of states (RFC 8620 §7.1). States that the store has ask for nothing. A server that is behind
 * tells states of before, which nobody can order: after a refresh that found nothing, the next one waits longer.
 */
export const createPushRefresh = ({ store, wait }: PushRefreshDependencies): ((states: Readonly<Record<string, string>>) => Promise<void>) => {
  let pause = 0;
  let isWaiting = false;
  return async (states) => {
    if (isWaiting || store.isCurrent(states)) return;
    if (pause > 0) {
      isWaiting = true;
      await wait(pause);
      isWaiting = false;
    }
    const before = store.states();
    await store.refresh();
    pause = store.states() === before ? Math.min(Math.max(firstPause, 2 * pause), longestPause) : 0;
  };
};
