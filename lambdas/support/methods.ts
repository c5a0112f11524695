import type { support } from '../../contract/admin/support.ts';
import { unimplemented, type Behaviours } from '../platform/admin-pipe.ts';

/** What /support does. */
export const supportMethods = (): Behaviours<typeof support> => ({
  OpenSupportCase: unimplemented,
  CloseSupportCase: unimplemented,
  ListSupportCases: unimplemented,
  SetSupportCaseTiers: unimplemented,
  SetSupportCaseActiveUntil: unimplemented,
  ListSupportRoleAssumptions: unimplemented,
});
