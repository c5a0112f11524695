import type { ProblemName } from '../../../contract/admin/problems.ts';
import { accountProvocations } from './accounts.ts';
import { domainProvocations } from './domains.ts';
import type { NotInSandbox, ProblemProvocation } from './problem-provocation.ts';
import { queueAndLambdaProvocations } from './queues-and-lambdas.ts';
import { sendingProvocations } from './sending.ts';

/** The sandbox's provocation of each kind of problem. */
export const sandboxProvocations: { readonly [Name in ProblemName]: ProblemProvocation | NotInSandbox } = {
  ...queueAndLambdaProvocations,
  ...sendingProvocations,
  ...domainProvocations,
  ...accountProvocations,
  CERTIFICATE_EXPIRING: { notInSandbox: 'its deployment has no custom domains, whose certificates AWS issues' },
};
