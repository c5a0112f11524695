import type { aliases } from '../../contract/admin/aliases.ts';
import { unimplemented, type Behaviours } from '../platform/admin-pipe.ts';

/** What /aliases does. */
export const aliasesMethods = (): Behaviours<typeof aliases> => ({
  ListAccountAliases: unimplemented,
  CreateAlias: unimplemented,
  UpdateAlias: unimplemented,
  DeleteAlias: unimplemented,
});
