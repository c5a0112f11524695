/** The approximate numbers of messages in a queue. */
export type QueueDepth = {
  /** Messages that a consumer can receive now. */
  readonly visible: number;
  /** Messages that a consumer has received and not deleted. */
  readonly inFlight: number;
  /** Messages that become visible later. */
  readonly delayed: number;
};

/** Reads what waits in queues. Adapter: `sqs-queue-depths.ts`; the fake in `test/fakes/` passes the same suite. */
export type QueueDepths = {
  /** Reads a queue by its name. */
  read(queueName: string): Promise<QueueDepth>;
};
