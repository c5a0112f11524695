import type { PartReference, SubmitQueue } from '../../core/sending/submit-queue.ts';

/** The specification of the port to the submit queue. @param start a queue, and what it hands out now. */
export const submitQueueSuite = (start: () => Promise<{ queue: SubmitQueue; handedOut: () => Promise<string[]> }>): void => {
  const reference = (part: number): PartReference => ({ submission_id: 'submission_1', part });

  test('hands out every part, however many are sent at once, as its reference and nothing more', async () => {
    const { queue, handedOut } = await start();
    await queue.send(Array.from({ length: 23 }, (_, part) => ({ ...reference(part), secret: 'x' })));
    const found = (await handedOut()).map((body) => JSON.parse(body) as PartReference);
    expect(found.toSorted((one, other) => one.part - other.part)).toEqual(Array.from({ length: 23 }, (_, part) => reference(part)));
  });

  test('nothing to send is nothing', async () => {
    const { queue, handedOut } = await start();
    await queue.send([]);
    expect(await handedOut()).toEqual([]);
  });
};
