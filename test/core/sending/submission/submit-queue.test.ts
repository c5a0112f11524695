import { memorySubmitQueue } from '../../../fakes/memory-submit-queue.ts';
import { submitQueueSuite } from '../../../port-suites/submit-queue-suite.ts';

describe('the submit queue in memory', () => {
  submitQueueSuite(async () => {
    const queue = memorySubmitQueue();
    return { queue, receive: async () => queue.take() };
  });
});
