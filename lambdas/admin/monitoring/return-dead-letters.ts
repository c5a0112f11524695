import { monitoring as contract } from '../../../contract/admin/monitoring.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { actOnDeadLetters, type DeadLetterDependencies } from './dead-letters.ts';

export const returnDeadLetters = (dependencies: DeadLetterDependencies) =>
  adminMethod(contract.methods.ReturnDeadLetters, { run: (request, call) => actOnDeadLetters(dependencies, 'RETURN', request, call) });
