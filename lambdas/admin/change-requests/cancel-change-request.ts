import { changeRequests as contract } from '../../../contract/admin/change-requests.ts';
import { withoutAddresses } from '../../../core/directory/change-requests/change-request-record.ts';
import type { ChangeRequests } from '../../../core/directory/change-requests/change-requests.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { transitionChangeRequest } from './change-request-transition.ts';

export const cancelChangeRequest = ({ requests }: { readonly requests: ChangeRequests }) =>
  adminMethod(contract.methods.CancelChangeRequest, {
    run: ({ request_id: id, reason }, call) =>
      transitionChangeRequest(
        requests,
        id,
        {
          occurrence: 'canceled',
          refusal: 'only an open request can be canceled',
          detailsOf: () => ({ texts: { CANCELED: { ...(reason !== undefined && { message: reason }) } } }),
          ...(reason !== undefined && { metadata: { reason: withoutAddresses(reason) } }),
        },
        call,
      ),
  });
