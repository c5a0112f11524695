import { errorTerms, gatewayErrorTerms, readLogLine, tellsOfError } from '../../../../lambdas/admin/monitoring/log-line.ts';
import { redacted } from '../../../../lambdas/admin/monitoring/redaction.ts';
import { fewAtOnce } from '../../../../lambdas/admin/monitoring/few-at-once.ts';

const id = '4f0c2c3e-0d0d-4c43-9a6a-8f2a3b5d6e7f';

describe('a line of a log', () => {
  test.each([
    ['our record', '{"level":"ERROR","message":"failed","correlation_id":"c","aws_request_id":"a"}', { level: 'ERROR', msg: 'failed', correlation_id: 'c', aws_request_id: 'a' }],
    ['a timeout', `2026-11-21T12:00:00.000Z ${id} Task timed out after 28.00 seconds`, { level: 'ERROR', aws_request_id: id }],
    ['a crash', `RequestId: ${id} Error: Runtime exited with error: signal: killed`, { level: 'ERROR', aws_request_id: id }],
    ['a report of a timeout', `REPORT RequestId: ${id}\tDuration: 28000 ms\tStatus: timeout`, { level: 'ERROR', aws_request_id: id }],
    ['an exception', `2026-11-21T12:00:00.000Z\t${id}\tERROR\tInvoke Error \t{"errorType":"Error"}`, { level: 'ERROR', msg: 'Invoke Error ', aws_request_id: id }],
    ['a request that no Lambda answered', '{"requestId":"r","routeKey":"POST /x","status":"500","integrationError":"Internal"}', { msg: 'Internal', correlation_id: 'r' }],
  ])('%s tells of an error, and has a word that the search looks for', (_, line, facts) => {
    const read = readLogLine(line);
    expect(read).toMatchObject(facts);
    expect(tellsOfError(read)).toBe(true);
    expect([...errorTerms, ...gatewayErrorTerms].some((term) => line.includes(term))).toBe(true);
  });

  test.each([
    '{"level":"INFO","message":"refused","code":"not_found"}', '{"level":"WARN","message":"ERROR"}', `START RequestId: ${id} Version: $LATEST`, `REPORT RequestId: ${id}\tDuration: 3 ms`,
    '{"requestId":"r","routeKey":"POST /x","status":"200","integrationError":"-"}', '{"requestId":"r","routeKey":"POST /x","status":"501"}', '', '{', '{"level":5}', '[1]', 'ERROR',
  ])('%s does not', (line) => {
    expect(tellsOfError(readLogLine(line))).toBe(false);
  });

  test('START, END and REPORT name the request', () => {
    expect(readLogLine(`START RequestId: ${id} Version: $LATEST`).aws_request_id).toBe(id);
  });
});

test.each([
  ['to <alice@example.com>, bob.b+c@mail.example.co.uk', 'to <[redacted]>, [redacted]'],
  ['{"sub":"x","token":"eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.abc_-"}', '{"sub":"x","token":"[redacted]"}'],
  ['authorization: Bearer abcdefghijkl', 'authorization: [redacted]'],
  ['user_V1StGXR8_Z5jdHi6B-myT at 12:00:00 failed @ 3', 'user_V1StGXR8_Z5jdHi6B-myT at 12:00:00 failed @ 3'],
])('%s is handed on as %s', (line, shown) => {
  expect(redacted(line)).toBe(shown);
});

test.each(['a', '@', 'eyJ', 'eyJ-', '.', 'a.', 'Bearer '])('four times as many "%s" take some four times as long, not sixteen times', (almost) => {
  const fastest = (count: number): number => Math.min(...Array.from({ length: 5 }, () => {
    const begun = performance.now();
    redacted(almost.repeat(count));
    return performance.now() - begun;
  }));
  expect(fastest(20_000) / Math.max(fastest(5_000), 0.2)).toBeLessThan(10);
});

describe('few at once', () => {
  test('never more than the limit, and the answers in order', async () => {
    let now = 0;
    let most = 0;
    const answers = await fewAtOnce(3, [5, 1, 4, 2, 3, 0], async (item) => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => { setTimeout(resolve, item); });
      now--;
      return item * 2;
    });
    expect(answers).toEqual([10, 2, 8, 4, 6, 0]);
    expect(most).toBe(3);
    expect(await fewAtOnce(3, [], async () => 1)).toEqual([]);
  });

  test('a failure fails the whole', async () => {
    await expect(fewAtOnce(2, [1, 2, 3], async (item) => {
      if (item === 2) throw new Error('two');
      return item;
    })).rejects.toThrow('two');
  });
});
