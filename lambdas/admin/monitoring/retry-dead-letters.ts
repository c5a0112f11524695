import { monitoring as contract } from '../../../contract/admin/monitoring.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { actOnDeadLetters, type DeadLetterDependencies } from './dead-letters.ts';

export const retryDeadLetters = (dependencies: DeadLetterDependencies) =>
  adminMethod(contract.methods.RetryDeadLetters, { run: (request, call) => actOnDeadLetters(dependencies, 'RETRY', request, call) });
