import { suppression as contract } from '../../../contract/admin/suppression.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { withBouncesCleared } from '../../../core/sending/feedback/suppression-rules.ts';
import { clearSuppression, type ClearingDependencies } from './clear-suppression.ts';

const bounces = { clear: withBouncesCleared, levelOf: ({ bounce }: { bounce: { level: string } }) => bounce.level };

export const clearBounceSuppression = (dependencies: ClearingDependencies) =>
  adminMethod(contract.methods.ClearBounceSuppression, {
    prefetch: ({ recipient }) => dependencies.suppressions.find(recipient),
    run: async ({ recipient }, { audit }, prefetched) => ({ suppression: await clearSuppression(dependencies, recipient, prefetched, bounces, audit) }),
  });
