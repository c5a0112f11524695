import { z } from 'zod';
import type { DeliverReports } from '../../core/sending/reports/deliver-reports.ts';
import type { ChangePart } from '../../core/sending/submission/part-changes.ts';
import { hasDueReport, withDueReport } from '../../core/sending/submission/submission.ts';
import { maxDelaySeconds, type PartReference } from '../../core/sending/submission/submit-queue.ts';
import type { Queue } from '../../core/runtime/lambda/queue.ts';

const reportTask = z.object({ report: z.object({ submission_id: z.string().min(1), part: z.int().min(0) }) });

/**
 * Seconds that the report of a soft bounce waits for the event of a delivery. SES publishes an out-of-office reply as a
 * soft bounce after the delivery, and the two events may arrive in any order.
 */
const reportDelay = maxDelaySeconds;

/** The part in the body of a queue record whose soft bounces may be due to be reported; undefined for anything else. */
export const parseReportTask = (body: string): PartReference | undefined =>
  (body.startsWith('{"report"') ? reportTask.parse(JSON.parse(body)).report : undefined);

/** Puts a report of soft bounces into the queue of events. A task that is repeated reports nothing twice. */
export const enqueueReportTask = (queue: Queue, { submission_id, part }: PartReference): Promise<void> =>
  queue.send({ report: { submission_id, part } } satisfies z.input<typeof reportTask>, reportDelay);

/** Reports the soft bounces of a part that no delivery has outweighed meanwhile. */
export const reportSoftBounces = async (
  reference: PartReference, { changePart, deliverReports }: { readonly changePart: ChangePart; readonly deliverReports: DeliverReports },
): Promise<void> => {
  const found = await changePart(reference, ({ part }) => withDueReport(part, { alsoProvisional: true }));
  if (found && hasDueReport(found.part)) await deliverReports(reference);
};
