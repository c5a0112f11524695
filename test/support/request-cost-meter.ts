import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { HostileRequest } from './hostile-requests.ts';
import type { RequestCost } from './request-cost-worker.ts';

/**
 * Measures the CPU time of requests, in a worker with a limited heap. A request that needs more memory ends the worker, and
 * `measure` rejects; the next request starts another one.
 * @param heap in MiB.
 */
export const requestCostMeter = (heap: number) => {
  const youngGeneration = 40;
  let worker: Worker | undefined;
  const nextMessage = (from: Worker) =>
    new Promise<unknown>((resolve, reject) => {
      from.removeAllListeners();
      from.once('message', resolve);
      from.once('error', reject);
    });
  const start = async (): Promise<Worker> => {
    const started = new Worker(join(import.meta.dirname, 'request-cost-worker.ts'), {
      resourceLimits: { maxOldGenerationSizeMb: heap - youngGeneration, maxYoungGenerationSizeMb: youngGeneration },
    });
    await nextMessage(started);
    return started;
  };
  return {
    async measure(request: HostileRequest): Promise<RequestCost> {
      worker ??= await start();
      const answer = nextMessage(worker);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
      worker.postMessage(request);
      try {
        return (await answer) as RequestCost;
      } catch (failure) {
        worker = undefined;
        throw failure;
      }
    },
    end: async () => void (await worker?.terminate()),
  };
};
