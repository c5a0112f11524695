import type { ChangeRequest } from '../../../contract/admin/change-requests.ts';
import { toChangeRequest, type StoredChangeRequest } from '../../../core/directory/change-requests/change-request-record.ts';
import { transitionOf, type ChangeRequestOccurrence } from '../../../core/directory/change-requests/change-request-states.ts';
import type { ChangeRequests, TransitionDetails } from '../../../core/directory/change-requests/change-requests.ts';
import type { Call } from '../../../core/rpc/admin-method.ts';
import { changesBetween } from '../../../core/rpc/audit.ts';
import { notFound, RpcError } from '../../../core/rpc/rpc-error.ts';
import { conflict, retryOnConflict } from '../../../core/storage/retry-on-conflict.ts';

/** A status transition that an admin requests. */
type AdminTransition = {
  readonly occurrence: ChangeRequestOccurrence;
  /** The error message when the transition is not possible from the request's status. */
  readonly refusal: string;
  /**
   * Returns the details of the transition for the stored request. @throws RpcError when the call can't be applied to
   * the request.
   */
  readonly detailsOf: (request: StoredChangeRequest) => TransitionDetails;
  /** Metadata of the audit entry. */
  readonly metadata?: { readonly [name: string]: string };
};

/**
 * Applies a transition to a request. When the worker or another admin has changed the request in the meantime, the call
 * starts again from the stored request.
 * @throws RpcError not_found; failed_precondition when the request's status does not permit the transition.
 * @throws StoreConflict
 */
export const transitionChangeRequest = (
  requests: Pick<ChangeRequests, 'find' | 'transition'>,
  id: string,
  { occurrence, refusal, detailsOf, metadata }: AdminTransition,
  { audit }: Call,
): Promise<{ request: ChangeRequest }> =>
  retryOnConflict(async () => {
    const request = await requests.find(id);
    if (!request) throw notFound('change request');
    audit.describe({ entity_name: request.type, ...(metadata && { metadata }) });
    const transition = transitionOf(request.status, occurrence);
    if (!transition) throw new RpcError('failed_precondition', `${refusal}; this one is ${request.status}`);
    audit.describe({ changes: changesBetween<StoredChangeRequest>(request, { ...request, status: transition.to }, ['status']) });
    const changed = await requests.transition(request, occurrence, detailsOf(request), audit.successWrites());
    return changed ? { request: toChangeRequest(changed) } : conflict;
  });
