import type { PushOptions, PushOutcome, PushService, PushTarget } from '../../core/push/push-service.ts';

export type SentPush = { readonly target: PushTarget; readonly message: unknown; readonly options: PushOptions };

/** Push services in memory. */
export type MemoryPushService = PushService & {
  /** What they took, in order. */
  readonly taken: readonly SentPush[];
  /** Everything that was sent, whatever became of it. */
  readonly tried: readonly SentPush[];
  /** What the one at a URL answers from now on; without this it takes everything. */
  answer(url: string, outcome: PushOutcome): void;
};

/** {@link PushService} without a network; messages are kept as the JSON that they are. */
export const memoryPushService = (): MemoryPushService => {
  const outcomes = new Map<string, PushOutcome>();
  const tried: SentPush[] = [];
  const taken: SentPush[] = [];
  return {
    taken,
    tried,
    answer: (url, outcome) => { outcomes.set(url, outcome); },
    async push(target, message, options) {
      const sent = { target: { url: target.url, ...(target.keys && { keys: target.keys }) }, message: JSON.parse(JSON.stringify(message)) as unknown, options };
      const outcome = outcomes.get(target.url) ?? { kind: 'accepted' };
      tried.push(sent);
      if (outcome.kind === 'accepted') taken.push(sent);
      return outcome;
    },
  };
};
