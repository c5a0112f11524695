import { RpcError } from './rpc-error.ts';
import { mayPass } from '../runtime/errors.ts';

export { traceOf } from '../runtime/errors.ts';

/** Anything thrown, as the caller may see it: its own error, `unavailable` where trying again later is right, else `internal` without a cause. */
export const rpcErrorOf = (error: unknown): RpcError => {
  if (error instanceof RpcError) return error;
  if (mayPass(error)) return new RpcError('unavailable', 'the service is busy; try again in a moment');
  return new RpcError('internal', 'something went wrong on our side');
};
