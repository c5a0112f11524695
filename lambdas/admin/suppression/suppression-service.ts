import type { suppression } from '../../../contract/admin/suppression.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Suppressions } from '../../../core/sending/feedback/suppressions.ts';
import { clearBounceSuppression } from './clear-bounce-suppression.ts';
import { clearComplaintSuppression } from './clear-complaint-suppression.ts';
import { getSuppression } from './get-suppression.ts';
import { listSuppressions } from './list-suppressions.ts';

export type SuppressionConnections = { readonly suppressions: Suppressions; readonly clock: Clock };

/** The methods of /suppression (docs/specification.md#suppression). */
export const suppressionService = (connections: SuppressionConnections): AdminMethods<typeof suppression> => ({
  GetSuppression: getSuppression(connections),
  ListSuppressions: listSuppressions(connections),
  ClearBounceSuppression: clearBounceSuppression(connections),
  ClearComplaintSuppression: clearComplaintSuppression(connections),
});
