import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { InvocationContext } from '../../core/runtime/invocation.ts';
import { consumeBatch } from '../../core/runtime/lambda/queue.ts';
import { batched } from '../../core/runtime/map-concurrently.ts';
import { beginDelivery, type BegunDelivery } from './begin-delivery.ts';
import { sendBounce } from './bounces/bounce-task.ts';
import { commitDeliveries } from './commit-deliveries.ts';
import type { BatchDependencies, DeliverDependencies } from './deliver-dependencies.ts';
import { finishDelivery } from './finish-delivery.ts';
import { sendLinks } from './forwarding/send-links.ts';
import { parseQueueRecord } from './queue-record.ts';
import { messageReader } from './received/message-reader.ts';
import { stopDelivery } from './stop-delivery.ts';

/**
 * Delivers the records of a batch in three steps. It begins each record: it plans the delivery, and stores the message
 * in the folders of its accounts. It commits the Emails account by account, with the records of the messages. It
 * finishes each record by the outcomes. Each record succeeds or fails separately, and the queue delivers a failed
 * record again. That is safe, because all ids are derived from SES's message id.
 */
export const deliverBatch = (
  dependencies: DeliverDependencies,
): ((event: { readonly Records: readonly SQSRecord[] }, context: InvocationContext) => Promise<SQSBatchResponse>) =>
  consumeBatch(async (bodies) => {
    const batch: BatchDependencies = {
      ...dependencies,
      withMessage: messageReader(dependencies.objects, bodies.length),
      resolveAddresses: batched((recipients: readonly string[]) => dependencies.addresses.resolveAll(recipients)),
      findForwardings: batched((accountIds: readonly string[]) => dependencies.forwardings.findAll(accountIds)),
      removeInbound: batched((keys: readonly string[]) => dependencies.objects.remove(keys)),
    };
    const begun = await Promise.allSettled(bodies.map((body) => beginRecord(body, batch)));
    const deliveries = begun.flatMap((each) => (each.status === 'fulfilled' && each.value ? [each.value] : []));
    const committed = await commitDeliveries(deliveries, batch);
    return Promise.allSettled(
      begun.map(async (each) => {
        if (each.status === 'rejected') throw each.reason;
        if (each.value) await finishDelivery(committed[deliveries.indexOf(each.value)]!, batch);
      }),
    );
  }, dependencies);

/** Begins the delivery that a record asks for. @returns undefined when no work remains. */
const beginRecord = async (body: string, dependencies: BatchDependencies): Promise<BegunDelivery | undefined> => {
  const record = parseQueueRecord(body);
  if (record.kind === 'received' || record.kind === 'postponed') return beginDelivery(record.mail, dependencies);
  if (record.kind === 'bounce') await sendBounce(record.bounce, dependencies);
  else if (record.kind === 'stop') await stopDelivery(record.stop, dependencies);
  else if (record.kind === 'forwarding-links') await sendLinks(record.links, dependencies);
  else dependencies.log.info('SES sent a setup notification; nothing to deliver');
  return undefined;
};
