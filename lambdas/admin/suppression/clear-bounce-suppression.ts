import { suppression as contract } from '../../../contract/admin/suppression.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { withBouncesCleared } from '../../../core/sending/feedback/suppression-rules.ts';
import { clearSuppression, type ClearingConnections } from './clear-suppression.ts';

const bounces = { clear: withBouncesCleared, levelOf: ({ bounce }: { bounce: { level: string } }) => bounce.level };

export const clearBounceSuppression = (connections: ClearingConnections) => adminMethod(contract.methods.ClearBounceSuppression, {
  prefetch: ({ recipient }) => connections.suppressions.find(recipient),
  run: async ({ recipient }, { audit }, prefetched) =>
    ({ suppression: await clearSuppression(connections, recipient, prefetched, bounces, audit) }),
});
