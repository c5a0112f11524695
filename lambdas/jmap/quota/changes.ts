import { quotaUse, type quota } from '../../../contract/jmap/quota.ts';
import type { BehaviourOf } from '../request/behaviour.ts';

/** Quota/changes, with the property `updatedProperties` (RFC 9425 §4.3). */
export const quotaChanges: BehaviourOf<typeof quota>['changes'] = {
  additionalProperties: ({ onlyComputed }) => ({ updatedProperties: onlyComputed ? quotaUse : null }),
};
