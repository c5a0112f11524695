/** A queue of work to do. Adapter: `core/aws/sqs/sqs-queue.ts`; a fake is in `test/fakes/`. */
export type Queue = {
  /** @param message a JSON value. @param delaySeconds how long it stays hidden, at most 900. */
  send(message: unknown, delaySeconds?: number): Promise<void>;
};
