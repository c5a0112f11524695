import { systemActions } from '../../contract/admin/audit.ts';
import { changesBetween, openAudit, systemActor, type AuditConnections } from '../../core/rpc/audit.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { errorLogFields } from '../../core/runtime/errors.ts';
import type { Log } from '../../core/runtime/log.ts';
import { ProviderRefusal } from '../../core/aws/provider-refusal.ts';
import { withoutAddresses, type EventText, type StoredChangeRequest } from '../../core/directory/change-request-record.ts';
import { isOpen, transitionOf, type ChangeRequestOccurrence } from '../../core/directory/change-request-states.ts';
import type { ChangeRequests, TransitionDetails } from '../../core/directory/change-requests.ts';
import { asking, type Outcome, type Providers } from './ask.ts';
import { mostFailures, nextTurn, submissionTime } from './pace.ts';

export type WorkerConnections = Providers & { readonly requests: ChangeRequests; readonly audit: AuditConnections; readonly clock: Clock; readonly log: Log };

const [advance] = systemActions;

/** Requests that one run looks at; the others have their turn in the next. */
const mostPerRun = 20;

/** What a failed call to a provider is called in `last_error`: its kind, never its text. */
const failureInWords = (error: unknown): string => `AWS could not be asked (${error instanceof Error ? error.name : 'unknown error'})`;

/** One run of the worker: each request whose turn it is goes to its provider, or hears how it stands there. Asks nothing of any provider when it is no request's turn. */
export const changeRequestWorker = ({ requests, audit: audits, clock, log, ...providers }: WorkerConnections) => {
  const later = (times: number) => nextTurn(clock(), times);

  const ask = asking(providers, (request) => requests.update(request, {
    work: { submission: 'begun', begun_at: clock().toISOString() }, dueAt: new Date(clock().getTime() + submissionTime),
  }));

  /** Nothing new: the status stays, and the next look is later than this one was. */
  const wait = async ({ request, occurrence, words, work }: Outcome): Promise<void> => {
    const unchanged = request.work.unchanged + 1;
    const lastError = occurrence === 'wait' ? words : request.status === 'ACTION_REQUIRED' ? request.last_error : undefined;
    await requests.update(request, {
      work: { failures: 0, unchanged, ...work }, dueAt: later(unchanged), ...(lastError !== request.last_error && { set: { last_error: lastError } }),
    });
  };

  /** Moves a request, with its entry in the audit log: what the provider said, free of addresses as the history is. */
  const move = async (request: StoredChangeRequest, occurrence: ChangeRequestOccurrence, change: TransitionDetails, { message = '', details }: EventText) => {
    const audit = await openAudit(audits, advance, systemActor('change-request-worker'), request.request_id);
    const said = Object.entries({ ...details, message }).map(([name, value]) => [name, withoutAddresses(value)]);
    const status = transitionOf(request.status, occurrence)?.to;
    audit.describe({ entity_name: request.type, changes: changesBetween<StoredChangeRequest>(request, { status }, ['status']), metadata: Object.fromEntries(said) });
    return requests.transition(request, occurrence, change, audit.successWrites());
  };

  /** It was canceled while it was on its way. Nobody can take it back from AWS, so the history tells. */
  const tellThatItArrived = async (id: string, text: EventText): Promise<void> => {
    const request = await requests.find(id);
    const told: EventText = { ...text, message: `${text.message ?? ''}; it was canceled on its way, and AWS may still grant it` };
    if (request) await move(request, 'reached-provider', { texts: { PROVIDER_UPDATED: told } }, told);
  };

  const conclude = async (outcome: Outcome): Promise<void> => {
    const { request, occurrence, words, details, work, set } = outcome;
    const next = occurrence === 'wait' ? undefined : transitionOf(request.status, occurrence);
    if (occurrence === 'wait' || !next) return wait(outcome);
    const text: EventText = { message: words, ...(details && { details }) };
    // Without the admins a request that never reached the provider can't go on; what is there may be decided meanwhile.
    const waitsForAdmin = next.to === 'ACTION_REQUIRED' && (work?.submission ?? request.work.submission) !== 'sent';
    const isTrouble = ['ACTION_REQUIRED', 'REJECTED', 'FAILED'].includes(next.to);
    const change: TransitionDetails = {
      set: { ...set, last_error: isTrouble ? words : undefined },
      work: { failures: 0, unchanged: 0, ...work },
      ...(!waitsForAdmin && { dueAt: later(0) }),
      texts: Object.fromEntries(next.kinds.map((kind) => [kind, text])),
    };
    if (!(await move(request, occurrence, change, text)) && occurrence === 'submitted') await tellThatItArrived(request.request_id, text);
    return undefined;
  };

  /** The provider could not be asked, or does not take it. The record may have been written since, by this run too. */
  const recover = async ({ request_id: id, version }: StoredChangeRequest, error: unknown): Promise<void> => {
    const request = await requests.find(id);
    // Somebody else moved it: what failed is not about it any more.
    if (!request || !isOpen(request.status) || request.version > version + 1) return undefined;
    if (error instanceof ProviderRefusal) {
      return conclude({ request, occurrence: 'needs-information', words: `AWS did not take it: ${withoutAddresses(error.message)}`, work: { submission: 'due' } });
    }
    const failures = request.work.failures + 1;
    log.warn('a provider could not be asked about a change request', { request_id: id, failures, ...errorLogFields(error) });
    if (failures >= mostFailures) return conclude({ request, occurrence: 'failed', words: `${failureInWords(error)}, ${failures} times in a row` });
    await requests.update(request, { work: { failures }, set: { last_error: `${failureInWords(error)}; it is tried again` }, dueAt: later(failures - 1) });
    return undefined;
  };

  const workOn = async (request: StoredChangeRequest): Promise<void> => {
    let outcome: Outcome | undefined;
    try {
      outcome = await ask(request);
    } catch (error) {
      return recover(request, error);
    }
    return outcome && conclude(outcome);
  };

  return async (): Promise<void> => {
    const failed: unknown[] = [];
    for (const request of await requests.findDue(clock(), mostPerRun)) {
      await workOn(request).catch((error: unknown) => {
        log.error('a change request could not be worked on', { request_id: request.request_id, ...errorLogFields(error) });
        failed.push(error);
      });
    }
    if (failed.length > 0) throw new AggregateError(failed, `${failed.length} change requests could not be worked on`);
  };
};
