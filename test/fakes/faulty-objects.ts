import type { Objects } from '../../core/storage/objects.ts';
import { takeTurn, writeWithFault, type Fault, type LambdaProcess, type YieldTurn } from './faulty-table.ts';

/**
 * One Lambda's access to a bucket that other Lambdas write at the same time. Every call waits for its turn. Each write
 * has a fault.
 * @param nextFault is called once for each write. S3 refuses no write, so it never returns `contended` or `refused`.
 */
export const faultyObjects = (
  objects: Objects,
  yieldTurn: YieldTurn,
  nextFault: () => Exclude<Fault, 'contended' | 'refused'>,
  lambda: LambdaProcess,
): Objects => {
  const read = async <T>(call: () => Promise<T>): Promise<T> => {
    await takeTurn(lambda, yieldTurn);
    return call();
  };
  const write = async <T>(call: () => Promise<T>): Promise<T> => {
    await takeTurn(lambda, yieldTurn);
    let result: T | undefined;
    await writeWithFault({
      lambda,
      yieldTurn,
      fault: nextFault(),
      write: async () => {
        result = await call();
      },
    });
    return result as T;
  };
  return {
    get: (key, range) => read(() => objects.get(key, range)),
    size: (key) => read(() => objects.size(key)),
    list: (prefix) => read(() => objects.list(prefix)),
    put: (key, bytes, type) => write(() => objects.put(key, bytes, type)),
    copy: (from, to) => write(() => objects.copy(from, to)),
    remove: (keys) => write(() => objects.remove(keys)),
    removeSome: (prefix) => write(() => objects.removeSome(prefix)),
    erase: (keys) => write(() => objects.erase(keys)),
    eraseSome: (prefix) => write(() => objects.eraseSome(prefix)),
  };
};
