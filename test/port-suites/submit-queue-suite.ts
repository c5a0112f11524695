import type { PartReference, SubmitQueue } from '../../core/sending/submission/submit-queue.ts';

/**
 * The tests of the port {@link SubmitQueue}.
 * @param start returns a queue, and a function that receives its messages.
 */
export const submitQueueSuite = (start: () => Promise<{ queue: SubmitQueue; receive: () => Promise<string[]> }>): void => {
  const reference = (part: number): PartReference => ({ submission_id: 'submission_1', part });

  test('delivers every part of a large send, as its reference only', async () => {
    const { queue, receive } = await start();
    await queue.send(Array.from({ length: 23 }, (_, part) => ({ ...reference(part), secret: 'x' })));
    const received = (await receive()).map((body) => JSON.parse(body) as PartReference);
    expect(received.toSorted((one, other) => one.part - other.part)).toEqual(Array.from({ length: 23 }, (_, part) => reference(part)));
  });

  test('delivers nothing after an empty send', async () => {
    const { queue, receive } = await start();
    await queue.send([]);
    expect(await receive()).toEqual([]);
  });
};
