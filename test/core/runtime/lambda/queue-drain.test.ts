import { remainingTime } from '../../../../core/runtime/invocation.ts';
import { consumeOrDrain, type MessageSource, type ReceivedMessage } from '../../../../core/runtime/lambda/queue-drain.ts';
import { consumeQueue } from '../../../../core/runtime/lambda/queue.ts';
import { memoryLog } from '../../../fakes/memory-log.ts';
import { contextWith, sqsEvent } from '../../../support/queue-records.ts';

/** A queue with messages of these bodies. Received messages stay invisible for the rest of the test. */
const sourceOf = (bodies: readonly string[]): MessageSource & { readonly removed: string[]; readonly left: ReceivedMessage[] } => {
  const left = bodies.map((body, index) => ({ messageId: `m${index}`, receiptHandle: `r${index}`, body, attributes: { ApproximateReceiveCount: '1' } }));
  const removed: string[] = [];
  return {
    removed,
    left,
    receive: async () => left.splice(0, 10),
    async remove(messages) {
      removed.push(...messages.map(({ body }) => body));
    },
  };
};

const minutes = (count: number) => contextWith(count * 60_000);

const drainOf = (bodies: readonly string[], handle: (body: string) => Promise<void>) => {
  const source = sourceOf(bodies);
  return { source, handler: consumeOrDrain(consumeQueue(handle, { log: memoryLog() }), { source, timeForBatch: 10_000 }) };
};

describe('a scheduled run of a queue’s Lambda', () => {
  test('handles and deletes all messages of the queue', async () => {
    const bodies = Array.from({ length: 25 }, (_, index) => `body ${index}`);
    const handled: string[] = [];
    const { source, handler } = drainOf(bodies, async (body) => {
      handled.push(body);
    });
    await handler({}, minutes(1));
    expect(handled).toEqual(bodies);
    expect(source.removed).toEqual(bodies);
  });

  test('leaves a failed message in the queue, and handles the others', async () => {
    const { source, handler } = drainOf(['a', 'fails', 'b'], async (body) => {
      if (body === 'fails') throw new Error('no');
    });
    expect(await handler({}, minutes(1))).toEqual({ batchItemFailures: [] });
    expect(source.removed).toEqual(['a', 'b']);
  });

  test('receives no further message when too little time is left for a batch', async () => {
    const { source, handler } = drainOf(Array.from({ length: 25 }, String), async () => undefined);
    let calls = 0;
    await handler({}, { getRemainingTimeInMillis: () => (calls++ === 0 ? 10_000 : 9_999) });
    expect(source.removed).toHaveLength(10);
    expect(source.left).toHaveLength(15);
  });

  test('does not read the queue when SQS passes the messages', async () => {
    const { source, handler } = drainOf(['of the queue'], async (body) => {
      if (body === 'fails') throw new Error('no');
    });
    expect(await handler(sqsEvent(['passed', 'fails']), minutes(1))).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
    expect(source.left).toHaveLength(1);
  });

  test.each([
    ['that SQS passed', sqsEvent(['message'])],
    ['that a scheduled run took from the queue', {}],
  ])('gives a message %s the time that the Lambda has left', async (_name, event) => {
    const left: number[] = [];
    const { handler } = drainOf(['message'], async () => {
      left.push(remainingTime());
    });
    await handler(event, minutes(4));
    expect(left).toEqual([4 * 60_000]);
  });
});
