import type { PartReference, SubmitQueue } from '../../lambdas/platform/submit-queue.ts';

/** A {@link SubmitQueue} in memory: what waits, in order, with its delay in seconds. */
export type MemorySubmitQueue = SubmitQueue & {
  readonly waiting: { readonly body: string; readonly delaySeconds: number }[];
  /** Everything that waits, taken out. */
  take(): string[];
};

export const memorySubmitQueue = (): MemorySubmitQueue => {
  const waiting: { readonly body: string; readonly delaySeconds: number }[] = [];
  return {
    waiting,
    take: () => waiting.splice(0).map(({ body }) => body),
    async send(parts: readonly PartReference[], delaySeconds = 0) {
      waiting.push(...parts.map(({ submission_id, part }) => ({ body: JSON.stringify({ submission_id, part }), delaySeconds })));
    },
  };
};
