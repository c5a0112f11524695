import { submitQueueContract } from '../../port-suites/submit-queue-suite.ts';
import { memorySubmitQueue } from '../../fakes/memory-submit-queue.ts';

describe('the submit queue in memory', () => {
  submitQueueContract(async () => {
    const queue = memorySubmitQueue();
    return { queue, handedOut: async () => queue.take() };
  });
});
