import { consume } from '../../core/runtime/queue-consumer.ts';
import { deliver, type Delivery } from './deliver.ts';

/** Milliseconds that a delivery may need. */
const timeForOne = 10_000;

/** Delivers each record of a batch, one after the other, since a raw message may fill a good part of the memory. */
export const deliverBatch = (delivery: Delivery) => consume((body) => deliver(body, delivery), { log: delivery.log, timeForOne });
