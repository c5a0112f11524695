import { changeRequests as contract } from '../../../contract/admin/change-requests.ts';
import type { ChangeRequests } from '../../../core/directory/change-requests/change-requests.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

export const listChangeRequestEvents = ({ requests }: { readonly requests: Pick<ChangeRequests, 'events'> }) =>
  adminMethod(contract.methods.ListChangeRequestEvents, {
    run: async ({ request_id: id, page_size: size }, { pageAfter, nextPageToken }) => {
      const { items, next } = await requests.events(id, pageAfter, size);
      return { events: [...items], next_page_token: await nextPageToken(next) };
    },
  });
