import { RpcError, toRpcError } from '../../../core/rpc/rpc-error.ts';
import * as domainErrors from '../../../core/runtime/domain-errors.ts';

const { NotFound, AlreadyExists, FailedPrecondition, InvalidInput, LimitReached, StoreConflict, Unavailable } = domainErrors;

test.each([
  [new NotFound('domain'), 'not_found', 'there is no such domain'],
  [new AlreadyExists('words'), 'already_exists', 'words'],
  [new FailedPrecondition('words'), 'failed_precondition', 'words'],
  [new InvalidInput('words'), 'invalid_argument', 'words'],
  [new LimitReached('words'), 'resource_exhausted', 'words'],
  [new StoreConflict('words'), 'aborted', 'words'],
  [new Unavailable('words'), 'unavailable', 'words'],
] as const)('the domain error %s is %s on the wire, with its message', (error, code, message) => {
  expect(toRpcError(error)).toMatchObject({ code, message });
});

test('toRpcError returns an RpcError unchanged', () => {
  const error = new RpcError('not_found', 'words');
  expect(toRpcError(error)).toBe(error);
});

test('a transient error of AWS is unavailable, any other error is internal, without its message', () => {
  const throttled = Object.assign(new Error('secret'), { name: 'ThrottlingException' });
  expect(toRpcError(throttled).body).toEqual({ code: 'unavailable', message: 'the service is busy; try again in a moment' });
  expect(toRpcError(new TypeError('secret')).body).toEqual({ code: 'internal', message: 'something went wrong on our side' });
});
