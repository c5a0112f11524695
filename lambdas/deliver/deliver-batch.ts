import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { batched } from '../../core/runtime/concurrency/map-concurrently.ts';
import type { InvocationContext } from '../../core/runtime/concurrency/remaining-time.ts';
import { consumeBatch } from '../../core/runtime/lambda/queue.ts';
import { commitDeliveries } from './commit-deliveries.ts';
import type { BatchDependencies, DeliverDependencies } from './deliver-dependencies.ts';
import { finishDelivery } from './finish-delivery.ts';
import { prepareDelivery } from './prepare-delivery.ts';
import { messageReader } from './received/raw-message.ts';

/**
 * Delivers the records of a batch in three steps: it prepares each record, commits the Emails account by account, and
 * finishes each record. A record is a message, a message that waits for full accounts, or a bounce. Each record
 * succeeds or fails separately, and the queue delivers a failed record again. That is safe, because all ids are derived
 * from SES's message id.
 */
export const deliverBatch = (
  dependencies: DeliverDependencies,
): ((event: { readonly Records: readonly SQSRecord[] }, context: InvocationContext) => Promise<SQSBatchResponse>) => consumeBatch(async (bodies) => {
  const batch: BatchDependencies = {
    ...dependencies,
    withMessage: messageReader(dependencies.objects, bodies.length),
    resolveAddresses: batched((recipients: readonly string[]) => dependencies.addresses.resolve(recipients)),
    removeInbound: batched((keys: readonly string[]) => dependencies.objects.remove(keys)),
  };
  const prepared = await Promise.allSettled(bodies.map((body) => prepareDelivery(body, batch)));
  const ready = prepared.flatMap((each) => (each.status === 'fulfilled' && each.value ? [each.value] : []));
  // The records of messages are written at the same time as the Emails, so that they take no further round trip.
  const [outcomes, recorded] = await Promise.all([
    commitDeliveries(ready, batch),
    Promise.allSettled(ready.map(async ({ received }) => received && batch.received.record(received))),
  ]);
  const recordingOf = new Map(ready.map((delivery, index) => [delivery, recorded[index]!]));
  return Promise.allSettled(prepared.map(async (each) => {
    if (each.status === 'rejected') throw each.reason;
    if (each.value) await finishDelivery(each.value, outcomes.get(each.value)!, recordingOf.get(each.value)!, batch);
  }));
}, dependencies);
