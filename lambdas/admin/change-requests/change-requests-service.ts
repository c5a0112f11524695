import type { changeRequests } from '../../../contract/admin/change-requests.ts';
import type { ChangeRequests } from '../../../core/directory/change-requests/change-requests.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { cancelChangeRequest } from './cancel-change-request.ts';
import { createChangeRequest } from './create-change-request.ts';
import { getChangeRequest } from './get-change-request.ts';
import { listChangeRequestEvents } from './list-change-request-events.ts';
import { listChangeRequests } from './list-change-requests.ts';
import { provideChangeRequestInfo } from './provide-change-request-info.ts';

type ChangeRequestsDependencies = { readonly requests: ChangeRequests; readonly region: string; readonly clock: Clock };

/** The methods of /change-requests (docs/specification.md#change-requests). */
export const changeRequestsService = (dependencies: ChangeRequestsDependencies): AdminMethods<typeof changeRequests> => ({
  CreateChangeRequest: createChangeRequest(dependencies),
  GetChangeRequest: getChangeRequest(dependencies),
  ListChangeRequests: listChangeRequests(dependencies),
  ListChangeRequestEvents: listChangeRequestEvents(dependencies),
  ProvideChangeRequestInfo: provideChangeRequestInfo(dependencies),
  CancelChangeRequest: cancelChangeRequest(dependencies),
});
