import type { PushOptions, PushOutcome, PushService, PushTarget } from '../../core/push/web-push/web-push-service.ts';

type SentPush = { readonly target: PushTarget; readonly message: unknown; readonly options: PushOptions };

type MemoryPushService = PushService & {
  /** The accepted pushes, in order. */
  readonly accepted: readonly SentPush[];
  /** All pushes, with any outcome. */
  readonly attempted: readonly SentPush[];
  /** Sets the outcome of pushes to a URL; the default is accepted. */
  setOutcome(url: string, outcome: PushOutcome): void;
};

/** A {@link PushService} in memory. Messages are stored as parsed JSON. */
export const memoryPushService = (): MemoryPushService => {
  const outcomes = new Map<string, PushOutcome>();
  const attempted: SentPush[] = [];
  const accepted: SentPush[] = [];
  return {
    accepted,
    attempted,
    setOutcome: (url, outcome) => {
      outcomes.set(url, outcome);
    },
    async push(target, message, options) {
      const sent = { target: { url: target.url, ...(target.keys && { keys: target.keys }) }, message: JSON.parse(JSON.stringify(message)) as unknown, options };
      const outcome = outcomes.get(target.url) ?? { kind: 'accepted' };
      attempted.push(sent);
      if (outcome.kind === 'accepted') accepted.push(sent);
      return outcome;
    },
  };
};
