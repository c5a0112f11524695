import { setup as contract } from '../../../contract/admin/setup.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { readReadinessInputs, type ReadinessDependencies } from './readiness-inputs.ts';
import { readinessOf } from './readiness.ts';

export const getReadiness = (dependencies: ReadinessDependencies) =>
  adminMethod(contract.methods.GetReadiness, { run: async () => ({ readiness: readinessOf(await readReadinessInputs(dependencies)) }) });
