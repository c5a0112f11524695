import { z } from 'zod';

const stoppedDelivery = z.object({
  /** `return`: the message is bounced to its sender. `drop`: nobody is told. */
  how: z.enum(['return', 'drop']),
  /** The body of the queue record whose work is stopped. */
  record: z.string(),
  /** The reason why the message was not returned. The record is a dead letter again. */
  refused: z.string().optional(),
});

/** The work of a queue record that an admin ends before the message is delivered. */
export type StoppedDelivery = z.output<typeof stoppedDelivery>;

/** Parses the stopped work of a queue record. @throws ZodError */
export const parseStoppedDelivery = (content: unknown): StoppedDelivery => stoppedDelivery.parse(content);

/** The content of the queue record that stops a delivery. */
export const stoppedRecord = (stop: StoppedDelivery) => ({ kind: 'stop', stop }) as const;
