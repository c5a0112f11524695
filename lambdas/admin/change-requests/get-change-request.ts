import { changeRequests as contract } from '../../../contract/admin/change-requests.ts';
import { toChangeRequest } from '../../../core/directory/change-requests/change-request-record.ts';
import type { ChangeRequests } from '../../../core/directory/change-requests/change-requests.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';

export const getChangeRequest = ({ requests }: { readonly requests: Pick<ChangeRequests, 'find'> }) =>
  adminMethod(contract.methods.GetChangeRequest, {
    run: async ({ request_id: id }) => {
      const request = await requests.find(id);
      if (!request) throw notFound('change request');
      return { request: toChangeRequest(request) };
    },
  });
