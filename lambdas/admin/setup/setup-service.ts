import type { setup } from '../../../contract/admin/setup.ts';
import type { Setup } from '../../../core/directory/setup.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import { dismissWelcome } from './dismiss-welcome.ts';
import { getReadiness } from './get-readiness.ts';
import { getSetupTestStatus, type TestStatusDependencies } from './get-setup-test-status.ts';
import type { ReadinessDependencies } from './readiness-inputs.ts';

type SetupDependencies = ReadinessDependencies & TestStatusDependencies & { readonly setup: Setup };

/** The methods of /setup (docs/specification.md#setup). */
export const setupService = (dependencies: SetupDependencies): AdminMethods<typeof setup> => ({
  GetReadiness: getReadiness(dependencies),
  GetSetupTestStatus: getSetupTestStatus(dependencies),
  DismissWelcome: dismissWelcome(dependencies),
});
