import type { changeRequests } from '../../contract/admin/change-requests.ts';
import { unimplemented, type Behaviours } from '../platform/admin-pipe.ts';

/** What /change-requests does. */
export const changeRequestsMethods = (): Behaviours<typeof changeRequests> => ({
  CreateChangeRequest: unimplemented,
  GetChangeRequest: unimplemented,
  ListChangeRequests: unimplemented,
  ListChangeRequestEvents: unimplemented,
  ProvideChangeRequestInfo: unimplemented,
  CancelChangeRequest: unimplemented,
});
