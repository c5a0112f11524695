import type { QueueDepth, QueueDepths } from '../../core/aws/sqs-queue-depths.ts';

/**
 * The specification of {@link QueueDepths}, which every adapter passes.
 * @param open opens a queue with these messages.
 */
export const queueDepthsSuite = (open: (depth: QueueDepth) => Promise<{ readonly depths: QueueDepths; readonly queueName: string }>): void => {
  test.each([
    { visible: 0, inFlight: 0, delayed: 0 },
    { visible: 2, inFlight: 1, delayed: 3 },
  ])('reads %j', async (depth) => {
    const { depths, queueName } = await open(depth);
    expect(await depths.read(queueName)).toEqual(depth);
    expect(await depths.read(queueName)).toEqual(depth);
  });
};
