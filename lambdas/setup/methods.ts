import type { setup } from '../../contract/admin/setup.ts';
import { unimplemented, type Behaviours } from '../platform/admin-pipe.ts';

/** What /setup does. */
export const setupMethods = (): Behaviours<typeof setup> => ({
  GetReadiness: unimplemented,
  DismissWelcome: unimplemented,
});
