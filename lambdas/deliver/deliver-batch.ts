import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { inOneCall } from '../../core/runtime/concurrency/side-by-side.ts';
import type { InvocationContext } from '../../core/runtime/concurrency/remaining-time.ts';
import { consumeBatch } from '../../core/runtime/lambda/queue.ts';
import { commitDeliveries } from './commit-deliveries.ts';
import type { BatchConnections, DeliverConnections } from './deliver-connections.ts';
import { finishDelivery } from './finish-delivery.ts';
import { prepareDelivery } from './prepare-delivery.ts';
import { messageReader } from './received/raw-message.ts';

/**
 * Delivers the records of a batch in three steps: it prepares each record, commits the Emails account by account, and
 * finishes each record. A record is a message, a message that waits for room, or a bounce. Each record succeeds or fails
 * alone; the queue delivers a failed record again. That is safe, because all ids derive from SES's message id.
 */
export const deliverBatch = (
  connections: DeliverConnections,
): ((event: { readonly Records: readonly SQSRecord[] }, context: InvocationContext) => Promise<SQSBatchResponse>) => consumeBatch(async (bodies) => {
  const batch: BatchConnections = {
    ...connections,
    withMessage: messageReader(connections.objects, bodies.length),
    resolveAddresses: inOneCall((recipients: readonly string[]) => connections.addresses.resolve(recipients)),
    removeInbound: inOneCall((keys: readonly string[]) => connections.objects.remove(keys)),
  };
  const prepared = await Promise.allSettled(bodies.map((body) => prepareDelivery(body, batch)));
  const ready = prepared.flatMap((each) => (each.status === 'fulfilled' && each.value ? [each.value] : []));
  const outcomes = await commitDeliveries(ready, batch);
  return Promise.allSettled(prepared.map(async (each) => {
    if (each.status === 'rejected') throw each.reason;
    if (each.value) await finishDelivery(each.value, outcomes.get(each.value)!, batch);
  }));
}, connections);
