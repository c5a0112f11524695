import { monitoring as contract } from '../../../contract/admin/monitoring.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import { actOnDeadLetters, type DeadLetterDependencies } from './dead-letters.ts';

export const dropDeadLetters = (dependencies: DeadLetterDependencies) =>
  adminMethod(contract.methods.DropDeadLetters, {
    async run(request, call) {
      if (request.confirm_queue !== request.queue) throw new RpcError('failed_precondition', 'confirm_queue is not the name of the queue');
      return actOnDeadLetters(dependencies, 'DROP', request, call);
    },
  });
