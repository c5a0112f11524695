import { changeRequests as contract } from '../../../contract/admin/change-requests.ts';
import { toChangeRequest } from '../../../core/directory/change-requests/change-request-record.ts';
import type { ChangeRequests } from '../../../core/directory/change-requests/change-requests.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

export const listChangeRequests = ({ requests }: { readonly requests: Pick<ChangeRequests, 'list'> }) =>
  adminMethod(contract.methods.ListChangeRequests, {
    run: async ({ type, status, page_size: size }, { pageAfter, nextPageToken }) => {
      const { items, next } = await requests.list({ ...(type && { type }), status }, pageAfter, size);
      return { requests: items.map(toChangeRequest), next_page_token: await nextPageToken(next) };
    },
  });
