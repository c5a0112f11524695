import type { setup } from '../../../contract/admin/setup.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { Setup } from '../../../core/directory/operations/setup.ts';
import { dismissWelcome } from './dismiss-welcome.ts';
import { getReadiness, type ReadinessConnections } from './get-readiness.ts';
import { getSetupTestStatus, type TestStatusConnections } from './get-setup-test-status.ts';

export type SetupConnections = ReadinessConnections & TestStatusConnections & { readonly setup: Setup };

/**
 * The methods of /setup: whether the deployment is ready to receive and to send, and what became of a test mail
 * (docs/specification.md#setup).
 */
export const setupService = (connections: SetupConnections): AdminMethods<typeof setup> => ({
  GetReadiness: getReadiness(connections),
  GetSetupTestStatus: getSetupTestStatus(connections),
  DismissWelcome: dismissWelcome(connections),
});
