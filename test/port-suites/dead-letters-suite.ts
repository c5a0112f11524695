import type { DeadLetters, HeldMessage } from '../../core/aws/sqs-dead-letters.ts';

/** The specification of {@link DeadLetters}, which every adapter passes. @param open opens an empty queue. */
export const deadLettersSuite = (open: () => Promise<{ readonly deadLetters: DeadLetters; readonly queueName: string }>): void => {
  const holdAll = async (deadLetters: DeadLetters, queueName: string): Promise<HeldMessage[]> => {
    const held: HeldMessage[] = [];
    for (let batch = await deadLetters.hold(queueName, 60); batch.length > 0; batch = await deadLetters.hold(queueName, 60)) held.push(...batch);
    return held;
  };

  test('holds each message once, until it is released or deleted', async () => {
    const { deadLetters, queueName } = await open();
    const bodies = Array.from({ length: 13 }, (_, index) => `body ${index} "é"`);
    const before = Date.now();
    for (const body of bodies) await deadLetters.send(queueName, body);
    const held = await holdAll(deadLetters, queueName);
    expect(held.map(({ body }) => body).sort()).toEqual(bodies.toSorted());
    for (const { enqueuedAt } of held) expect(Math.abs(enqueuedAt.getTime() - before)).toBeLessThan(600_000);
    await deadLetters.remove(queueName, held.slice(0, 11));
    await deadLetters.release(queueName, held.slice(11));
    const again = await holdAll(deadLetters, queueName);
    expect(again.map(({ messageId }) => messageId).sort()).toEqual(
      held
        .slice(11)
        .map(({ messageId }) => messageId)
        .sort(),
    );
    await deadLetters.remove(queueName, again);
    await deadLetters.release(queueName, []);
    expect(await holdAll(deadLetters, queueName)).toEqual([]);
  });
};
