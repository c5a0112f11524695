import { changeRequests as contract } from '../../../contract/admin/change-requests.ts';
import type { ChangeRequests } from '../../../core/directory/change-requests/change-requests.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { mergeLimits, requestDescription, requestedLimits } from './change-request-payload.ts';
import { transitionChangeRequest } from './change-request-transition.ts';

type Dependencies = { readonly requests: ChangeRequests; readonly region: string; readonly clock: Clock };

/** Adds fields or a comment to a request in ACTION_REQUIRED, which the worker then submits again. */
export const provideChangeRequestInfo = ({ requests, region, clock }: Dependencies) =>
  adminMethod(contract.methods.ProvideChangeRequestInfo, {
    run: ({ request_id: id, comment, ...payloads }, call) =>
      transitionChangeRequest(
        requests,
        id,
        {
          occurrence: 'information-given',
          refusal: 'information is taken by a request in ACTION_REQUIRED only',
          detailsOf(request) {
            const newLimits = requestedLimits(request.type, payloads);
            const fields = Object.values(newLimits).flatMap((payload) => Object.keys(payload));
            if (fields.length === 0 && comment === undefined) throw new RpcError('invalid_argument', 'give a field of the payload, or a comment');
            const limits = mergeLimits(request, newLimits);
            return {
              set: { ...limits, ...requestDescription(request.type, limits, region), last_error: undefined },
              work: { submission: 'due', awaiting: undefined, failures: 0, unchanged: 0, ...(comment && { comment: comment.text }) },
              dueAt: clock(),
              texts: {
                USER_PROVIDED_INFO: { ...(fields.length > 0 && { details: { fields: fields.join(' ') } }) },
                ...(comment && { COMMENT: { message: comment.text } }),
              },
              ...(comment && { additionalKinds: ['COMMENT'] }),
            };
          },
        },
        call,
      ),
  });
