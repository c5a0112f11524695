import type { suppression } from '../../../contract/admin/suppression.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Suppressions } from '../../../core/sending/feedback/suppressions.ts';
import { clearBounceSuppression } from './clear-bounce-suppression.ts';
import { clearComplaintSuppression } from './clear-complaint-suppression.ts';
import { getSuppression } from './get-suppression.ts';
import { listSuppressions } from './list-suppressions.ts';

type SuppressionDependencies = { readonly suppressions: Suppressions; readonly clock: Clock };

/** The methods of /suppression (docs/specification.md#suppression). */
export const suppressionService = (dependencies: SuppressionDependencies): AdminMethods<typeof suppression> => ({
  GetSuppression: getSuppression(dependencies),
  ListSuppressions: listSuppressions(dependencies),
  ClearBounceSuppression: clearBounceSuppression(dependencies),
  ClearComplaintSuppression: clearComplaintSuppression(dependencies),
});
