import type { Queue } from '../../core/runtime/lambda/queue.ts';

/** A {@link Queue} in memory. `messages`: the sent messages in order, with their delays. */
export const memoryQueue = (): Queue & { readonly messages: { readonly message: unknown; readonly delaySeconds: number }[] } => {
  const messages: { readonly message: unknown; readonly delaySeconds: number }[] = [];
  return {
    messages,
    async send(message, delaySeconds = 0) {
      messages.push({ message: JSON.parse(JSON.stringify(message)), delaySeconds });
    },
  };
};
