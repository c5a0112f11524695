import { systemActions } from '../../contract/admin/audit.ts';
import { ProviderRefusal } from '../../core/aws/provider-errors.ts';
import { withoutAddresses, type EventText, type StoredChangeRequest } from '../../core/directory/change-requests/change-request-record.ts';
import { isOpen, transitionOf, type ChangeRequestOccurrence } from '../../core/directory/change-requests/change-request-states.ts';
import type { ChangeRequests, TransitionDetails } from '../../core/directory/change-requests/change-requests.ts';
import { changesBetween, openAudit, systemActor, type AuditDependencies } from '../../core/rpc/audit.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import type { Log } from '../../core/runtime/log.ts';
import { changeRequestStep, type Providers, type StepOutcome } from './change-request-step.ts';

type WorkerDependencies = Providers & { readonly requests: ChangeRequests; readonly audit: AuditDependencies; readonly clock: Clock; readonly log: Log };

/** Maximum requests that one run handles. The next run handles the others. */
const maxPerRun = 20;

/**
 * Milliseconds until the provider is asked again. The pause is doubled after each check without a change, up to the
 * maximum.
 */
const firstPause = 5 * 60_000;
const longestPause = 6 * 3_600_000;

/** Consecutive failed checks after which a request fails. They take about a week. */
const maxFailures = 32;

/** Milliseconds after which an interrupted submission is continued: longer than a run of the worker. */
const submissionTimeout = 10 * 60_000;

/** The pause before the worker's next check of a request, by the number of consecutive checks without a change. */
const nextDueAt = (now: Date, timesInARow: number): Date => new Date(now.getTime() + Math.min(longestPause, firstPause * 2 ** Math.min(timesInARow, 20)));

/** The text of `last_error` after a failed call: the name of the error, never its message. */
const failureMessage = (error: unknown): string => `AWS could not be asked (${error instanceof Error ? error.name : 'unknown error'})`;

/** One run of the worker. It performs a step of each request that is due. Without due requests it calls no provider. */
export const changeRequestWorker = ({ requests, audit: audits, clock, log, ...providers }: WorkerDependencies) => {
  const dueAfter = (timesInARow: number) => nextDueAt(clock(), timesInARow);

  const takeStep = changeRequestStep(providers, (request) =>
    requests.update(request, { work: { submission: 'begun', begun_at: clock().toISOString() }, dueAt: new Date(clock().getTime() + submissionTimeout) }),
  );

  /** After an outcome that keeps the status, schedules the next check after a longer pause. */
  const scheduleNextLook = async ({ request, occurrence, message, work }: StepOutcome): Promise<void> => {
    const unchanged = request.work.unchanged + 1;
    const lastError = occurrence === 'wait' ? message : request.status === 'ACTION_REQUIRED' ? request.last_error : undefined;
    await requests.update(request, {
      work: { failures: 0, unchanged, ...work },
      dueAt: dueAfter(unchanged),
      ...(lastError !== request.last_error && { set: { last_error: lastError } }),
    });
  };

  /** Applies a transition and stores its audit entry. The provider's message is stored without mail addresses. */
  const transition = async (
    request: StoredChangeRequest,
    occurrence: ChangeRequestOccurrence,
    change: TransitionDetails,
    { message = '', details }: EventText,
  ) => {
    const audit = await openAudit(audits, systemActions.advanceChangeRequest, systemActor('change-request-worker'), request.request_id);
    const metadata = Object.fromEntries(Object.entries({ ...details, message }).map(([name, value]) => [name, withoutAddresses(value)]));
    const status = transitionOf(request.status, occurrence)?.to;
    audit.describe({ entity_name: request.type, changes: changesBetween<StoredChangeRequest>(request, { status }, ['status']), metadata });
    return requests.transition(request, occurrence, change, audit.successWrites());
  };

  /**
   * Records that a request which was canceled during its submission reached the provider. The provider may still grant
   * it, because AWS offers no cancellation.
   */
  const recordLateSubmission = async (id: string, text: EventText): Promise<void> => {
    const request = await requests.find(id);
    const lateText: EventText = { ...text, message: `${text.message ?? ''}; it was canceled on its way, and AWS may still grant it` };
    if (request) await transition(request, 'reached-provider', { texts: { PROVIDER_UPDATED: lateText } }, lateText);
  };

  const recordOutcome = async (outcome: StepOutcome): Promise<void> => {
    const { request, occurrence, message, details, work, set } = outcome;
    const next = occurrence === 'wait' ? undefined : transitionOf(request.status, occurrence);
    if (occurrence === 'wait' || !next) return scheduleNextLook(outcome);
    const text: EventText = { message, ...(details && { details }) };
    // A request that never reached the provider waits for an admin. Another one may be decided meanwhile, so the worker
    // checks it again.
    const waitsForAdmin = next.to === 'ACTION_REQUIRED' && (work?.submission ?? request.work.submission) !== 'sent';
    const isError = ['ACTION_REQUIRED', 'REJECTED', 'FAILED'].includes(next.to);
    const change: TransitionDetails = {
      set: { ...set, last_error: isError ? message : undefined },
      work: { failures: 0, unchanged: 0, ...work },
      ...(!waitsForAdmin && { dueAt: dueAfter(0) }),
      texts: Object.fromEntries(next.kinds.map((kind) => [kind, text])),
    };
    if (!(await transition(request, occurrence, change, text)) && occurrence === 'submitted') {
      await recordLateSubmission(request.request_id, text);
    }
    return undefined;
  };

  /** Handles a failed step. The step may already have written the record once in this run. */
  const recordFailure = async ({ request_id: id, version }: StoredChangeRequest, error: unknown): Promise<void> => {
    const request = await requests.find(id);
    // If another writer has changed the request, the failed step says nothing about the request.
    if (!request || !isOpen(request.status) || request.version > version + 1) return undefined;
    if (error instanceof ProviderRefusal) {
      return recordOutcome({
        request,
        occurrence: 'needs-information',
        message: `AWS refused the request: ${withoutAddresses(error.message)}`,
        work: { submission: 'due' },
      });
    }
    const failures = request.work.failures + 1;
    log.warn('a provider call for a change request failed', { request_id: id, failures, ...errorLogFields(error) });
    if (failures >= maxFailures) {
      return recordOutcome({ request, occurrence: 'failed', message: `${failureMessage(error)}, ${failures} times in a row` });
    }
    await requests.update(request, { work: { failures }, set: { last_error: `${failureMessage(error)}; it is tried again` }, dueAt: dueAfter(failures - 1) });
    return undefined;
  };

  const workOn = async (request: StoredChangeRequest): Promise<void> => {
    let outcome: StepOutcome | undefined;
    try {
      outcome = await takeStep(request);
    } catch (error) {
      return recordFailure(request, error);
    }
    return outcome && recordOutcome(outcome);
  };

  return async (): Promise<void> => {
    const errors: unknown[] = [];
    for (const request of await requests.findDue(clock(), maxPerRun)) {
      await workOn(request).catch((error: unknown) => {
        log.error('a change request failed; the next run tries again', { request_id: request.request_id, ...errorLogFields(error) });
        errors.push(error);
      });
    }
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} change requests failed`);
  };
};
