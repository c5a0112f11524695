import { z } from 'zod';
import type { Queue } from '../../core/runtime/lambda/queue.ts';
import type { DeliverReports } from '../../core/sending/deliver-reports.ts';
import type { ChangePart } from '../../core/sending/submission/part-changes.ts';
import { hasDueReport, withDueReport } from '../../core/sending/submission/submission.ts';
import { maxDelaySeconds, referenceOf, type PartReference } from '../../core/sending/submission/submit-queue.ts';

const reportTask = z.object({ report: z.object({ submission_id: z.string().min(1), part: z.int().min(0) }) });

/**
 * Seconds for which the report of a soft bounce waits for a delivery event, because automatic replies look the same.
 */
const reportDelay = maxDelaySeconds;

/**
 * The part whose soft bounces may be due for a report, parsed from the body of a queue record. Undefined for any
 * other record.
 */
export const parseReportTask = (body: string): PartReference | undefined =>
  body.startsWith('{"report"') ? reportTask.parse(JSON.parse(body)).report : undefined;

/** Enqueues a report of soft bounces in the queue of events. A repeated task reports nothing twice. */
export const enqueueReportTask = (queue: Queue, reference: PartReference): Promise<void> =>
  queue.send({ report: referenceOf(reference) } satisfies z.input<typeof reportTask>, reportDelay);

/** Reports the soft bounces of a part, except for recipients with a later delivery. */
export const reportSoftBounces = async (
  reference: PartReference,
  { changePart, deliverReports }: { readonly changePart: ChangePart; readonly deliverReports: DeliverReports },
): Promise<void> => {
  const found = await changePart(reference, ({ part }) => withDueReport(part, { alsoProvisional: true }));
  if (found && hasDueReport(found.part)) await deliverReports(reference);
};
