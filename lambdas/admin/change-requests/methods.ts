import { changeRequests as contract } from '../../../contract/admin/change-requests.ts';
import { changesBetween } from '../../../core/rpc/audit.ts';
import { adminMethod, type AdminMethods, type Call } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { notFound, RpcError } from '../../../core/rpc/rpc-error.ts';
import { toChangeRequest, withoutAddresses, type StoredChangeRequest } from '../../../core/directory/change-request-record.ts';
import { transitionOf, type ChangeRequestOccurrence } from '../../../core/directory/change-request-states.ts';
import type { ChangeRequests, TransitionDetails } from '../../../core/directory/change-requests.ts';
import { createChangeRequest } from './new-request.ts';
import { described, wishesOf, withMore } from './wishes.ts';

export type ChangeRequestsConnections = { readonly requests: ChangeRequests; readonly region: string; readonly clock: Clock };

/** How often an admin's move is tried again while the worker is faster. */
const tries = 8;

/** What an admin's move is made of, told by the request as it is now. @throws RpcError for one that it can't be made of. */
type Move = { readonly occurrence: ChangeRequestOccurrence; readonly refusal: string; readonly detailsOf: (request: StoredChangeRequest) => TransitionDetails; readonly metadata?: { readonly [name: string]: string } };

/** What /change-requests does. */
export const changeRequestsMethods = ({ requests, region, clock }: ChangeRequestsConnections): AdminMethods<typeof contract> => {
  /** Moves a request as it is now; each time that the worker, or another admin, was faster, as it is then. */
  const move = async (id: string, { occurrence, refusal, detailsOf, metadata }: Move, { audit }: Call) => {
    for (let attempt = 0; attempt < tries; attempt++) {
      const request = await requests.find(id);
      if (!request) throw notFound('change request');
      audit.describe({ entity_name: request.type, ...(metadata && { metadata }) });
      const next = transitionOf(request.status, occurrence);
      if (!next) throw new RpcError('failed_precondition', `${refusal}; this one is ${request.status}`);
      audit.describe({ changes: changesBetween<StoredChangeRequest>(request, { ...request, status: next.to }, ['status']) });
      const moved = await requests.transition(request, occurrence, detailsOf(request), audit.successWrites());
      if (moved) return { request: toChangeRequest(moved) };
    }
    throw new RpcError('aborted', 'others are changing the same request; try again');
  };

  return {
    CreateChangeRequest: adminMethod(contract.methods.CreateChangeRequest, {
      async run(wanted, { audit }) {
        const { request, reusedExistingOpen } = await createChangeRequest(requests, region, wanted, audit);
        return { request: toChangeRequest(request), reused_existing_open: reusedExistingOpen };
      },
    }),
    GetChangeRequest: adminMethod(contract.methods.GetChangeRequest, {
      async run({ request_id: id }) {
        const request = await requests.find(id);
        if (!request) throw notFound('change request');
        return { request: toChangeRequest(request) };
      },
    }),
    ListChangeRequests: adminMethod(contract.methods.ListChangeRequests, {
      async run({ type, status, page_size: size }, { pageAfter, nextPageToken }) {
        const { items, next } = await requests.list({ ...(type && { type }), status }, pageAfter, size);
        return { requests: items.map(toChangeRequest), next_page_token: await nextPageToken(next) };
      },
    }),
    ListChangeRequestEvents: adminMethod(contract.methods.ListChangeRequestEvents, {
      async run({ request_id: id, page_size: size }, { pageAfter, nextPageToken }) {
        const { items, next } = await requests.events(id, pageAfter, size);
        return { events: [...items], next_page_token: await nextPageToken(next) };
      },
    }),
    ProvideChangeRequestInfo: adminMethod(contract.methods.ProvideChangeRequestInfo, {
      run: ({ request_id: id, comment, ...given }, call) => move(id, {
        occurrence: 'information-given',
        refusal: 'information is taken by a request in ACTION_REQUIRED only',
        detailsOf(request) {
          const more = wishesOf(request.type, given);
          const fields = Object.values(more).flatMap((payload) => Object.keys(payload));
          if (fields.length === 0 && comment === undefined) throw new RpcError('invalid_argument', 'give a field of the payload, or a comment');
          const wishes = withMore(request, more);
          return {
            set: { ...wishes, ...described(request.type, wishes, region), last_error: undefined },
            work: { submission: 'due', awaiting: undefined, failures: 0, unchanged: 0, ...(comment && { comment: comment.text }) },
            dueAt: clock(),
            texts: { USER_PROVIDED_INFO: { ...(fields.length > 0 && { details: { fields: fields.join(' ') } }) }, ...(comment && { COMMENT: { message: comment.text } }) },
            ...(comment && { additionalKinds: ['COMMENT'] }),
          };
        },
      }, call),
    }),
    CancelChangeRequest: adminMethod(contract.methods.CancelChangeRequest, {
      run: ({ request_id: id, reason }, call) => move(id, {
        occurrence: 'canceled',
        refusal: 'only an open request can be canceled',
        detailsOf: () => ({ texts: { CANCELED: { ...(reason !== undefined && { message: reason }) } } }),
        ...(reason !== undefined && { metadata: { reason: withoutAddresses(reason) } }),
      }, call),
    }),
  };
};

