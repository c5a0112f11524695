import type { suppression } from '../../contract/admin/suppression.ts';
import { unimplemented, type Behaviours } from '../platform/admin-pipe.ts';

/** What /suppression does. */
export const suppressionMethods = (): Behaviours<typeof suppression> => ({
  GetSuppression: unimplemented,
  ListSuppressions: unimplemented,
  ClearBounceSuppression: unimplemented,
  ClearComplaintSuppression: unimplemented,
});
