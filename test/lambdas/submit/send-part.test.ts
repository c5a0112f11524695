import { providerRetryPeriod } from '../../../lambdas/submit/submit-part.ts';
import { perTest } from '../../support/per-test.ts';
import { newSubmission, sendPipeline } from '../../support/send-pipeline.ts';

const pipeline = perTest(() => sendPipeline());

const stateOf = async (id?: string) => (await pipeline.find(id)).parts.map(({ state }) => state);
const submitOneByOne = async () => {
  for (const body of pipeline.queue.take()) expect(await pipeline.submit([body])).toEqual([]);
};

describe('SES', () => {
  test('whose rate is exceeded is called again within the Lambda, so that the part keeps its turn', async () => {
    pipeline.sender.faults.push('throttled', 'throttled', 'throttled');
    await pipeline.accept(newSubmission());
    expect(await pipeline.submit()).toEqual([]);
    expect(pipeline.sender.sent).toHaveLength(1);
    expect((await pipeline.find()).parts).toMatchObject([{ state: 'sent', attempts: 1 }]);
    expect(pipeline.clock().getTime() - Date.parse('2026-11-21T08:38:00.000Z')).toBeGreaterThan(1000);
  });

  test('that takes no mail pauses all parts for a growing time, with one call for each pause', async () => {
    const calls = jest.spyOn(pipeline.sender, 'send');
    pipeline.sender.faults.push(...Array.from({ length: 6 }, () => 'quota' as const));
    for (const submission_id of ['submission_1', 'submission_2']) await pipeline.accept(newSubmission({ submission_id }));
    const delays: number[] = [];
    for (let count = 0; count < 6; count++) {
      await submitOneByOne();
      expect(calls).toHaveBeenCalledTimes(count + 1);
      expect([...(await stateOf('submission_1')), ...(await stateOf('submission_2'))]).toEqual(['queued', 'queued']);
      delays.push(Math.min(...pipeline.queue.waiting.map(({ delaySeconds }) => delaySeconds)));
      expect(Math.max(...pipeline.queue.waiting.map(({ delaySeconds }) => delaySeconds))).toBeLessThanOrEqual(900);
      pipeline.advance(900_000);
    }
    expect(delays[0]).toBeLessThanOrEqual(75);
    expect(delays.at(-1)).toBeGreaterThanOrEqual(480);
    await pipeline.submit();
    expect(pipeline.sender.sent).toHaveLength(2);
    expect(await pipeline.dependencies.pauses.find()).toBeUndefined();
  });

  test('takes the parts that wait longest first after a pause', async () => {
    pipeline.sender.faults.push('quota');
    for (let minute = 0; minute < 5; minute++) {
      pipeline.advance(minute * 60_000);
      await pipeline.accept(newSubmission({ submission_id: `submission_${minute}`, send_at: pipeline.clock().toISOString() }));
    }
    pipeline.advance(60_000);
    await submitOneByOne();
    const order = pipeline.queue.waiting
      .toSorted((one, other) => one.delaySeconds - other.delaySeconds)
      .map(({ body }) => (JSON.parse(body) as { submission_id: string }).submission_id);
    expect(order.slice(-2)).toEqual(['submission_3', 'submission_4']);
  });

  test('that refuses one part for now is called with the others meanwhile', async () => {
    pipeline.sender.faults.push('unavailable');
    for (const submission_id of ['submission_1', 'submission_2']) await pipeline.accept(newSubmission({ submission_id }));
    await pipeline.submit();
    expect(pipeline.sender.sent.map(({ submission_id }) => submission_id)).toEqual(['submission_2']);
    expect(pipeline.queue.waiting.map(({ delaySeconds }) => delaySeconds <= 10)).toEqual([true]);
    pipeline.advance(10_000);
    await pipeline.submit();
    expect(pipeline.sender.sent).toHaveLength(2);
  });

  test('that throttles for two days makes the part fail', async () => {
    pipeline.sender.faults.push('quota');
    await pipeline.accept(newSubmission());
    await pipeline.submit();
    pipeline.advance(providerRetryPeriod + 1);
    await pipeline.submit();
    expect(await pipeline.find()).toMatchObject({
      parts: [{ state: 'failed' }],
      statuses: { 'ann@elsewhere.test': { delivered: 'no', smtp_reply: expect.stringMatching(/^451 4\.4\.7 /) } },
    });
  });

  test('that refuses a message makes the part fail, with its reason in the status', async () => {
    pipeline.sender.faults.push('refused');
    await pipeline.accept(newSubmission());
    expect(await pipeline.submit()).toEqual([]);
    expect(await pipeline.find()).toMatchObject({
      parts: [{ state: 'failed' }],
      statuses: { 'ann@elsewhere.test': { delivered: 'no', displayed: 'unknown', smtp_reply: '554 5.7.1 Email address is not verified.' } },
    });
    expect(pipeline.queue.waiting).toEqual([]);
  });
});
