import { accessErrorTerms, functionErrorTerms, isErrorLine, parseLogLine, redactLogLine } from '../../../../lambdas/admin/monitoring/log-line.ts';

const id = '4f0c2c3e-0d0d-4c43-9a6a-8f2a3b5d6e7f';

describe('parseLogLine', () => {
  test.each([
    [
      'a record of our own',
      '{"level":"ERROR","message":"failed","correlation_id":"c","aws_request_id":"a"}',
      { level: 'ERROR', msg: 'failed', correlation_id: 'c', aws_request_id: 'a' },
    ],
    ['a timeout', `2026-11-21T12:00:00.000Z ${id} Task timed out after 28.00 seconds`, { level: 'ERROR', aws_request_id: id }],
    ['a crash', `RequestId: ${id} Error: Runtime exited with error: signal: killed`, { level: 'ERROR', aws_request_id: id }],
    ['a report of a timeout', `REPORT RequestId: ${id}\tDuration: 28000 ms\tStatus: timeout`, { level: 'ERROR', aws_request_id: id }],
    [
      'an exception',
      `2026-11-21T12:00:00.000Z\t${id}\tERROR\tInvoke Error \t{"errorType":"Error"}`,
      { level: 'ERROR', msg: 'Invoke Error ', aws_request_id: id },
    ],
    [
      'a request without a Lambda’s response',
      '{"requestId":"r","routeKey":"POST /x","status":"500","integrationError":"Internal"}',
      { msg: 'Internal', correlation_id: 'r' },
    ],
  ])('%s is an error line and contains a search term', (_, line, expected) => {
    const parsed = parseLogLine(line);
    expect(parsed).toMatchObject(expected);
    expect(isErrorLine(parsed)).toBe(true);
    expect([...functionErrorTerms, ...accessErrorTerms].some((term) => line.includes(term))).toBe(true);
  });

  test.each([
    '{"level":"INFO","message":"refused","code":"not_found"}',
    '{"level":"WARN","message":"ERROR"}',
    `START RequestId: ${id} Version: $LATEST`,
    `REPORT RequestId: ${id}\tDuration: 3 ms`,
    '{"requestId":"r","routeKey":"POST /x","status":"200","integrationError":"-"}',
    '{"requestId":"r","routeKey":"POST /x","status":"501"}',
    '',
    '{',
    '{"level":5}',
    '[1]',
    'ERROR',
  ])('%s is not an error line', (line) => {
    expect(isErrorLine(parseLogLine(line))).toBe(false);
  });

  test('reads the request id of a START line', () => {
    expect(parseLogLine(`START RequestId: ${id} Version: $LATEST`).aws_request_id).toBe(id);
  });
});

test.each([
  ['to <alice@example.com>, bob.b+c@mail.example.co.uk', 'to <[redacted]>, [redacted]'],
  ['{"sub":"x","token":"eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.abc_-"}', '{"sub":"x","token":"[redacted]"}'],
  ['authorization: Bearer abcdefghijkl', 'authorization: [redacted]'],
  ['user_V1StGXR8_Z5jdHi6B-myT at 12:00:00 failed @ 3', 'user_V1StGXR8_Z5jdHi6B-myT at 12:00:00 failed @ 3'],
])('redactLogLine turns %s into %s', (line, expected) => {
  expect(redactLogLine(line)).toBe(expected);
});

test.each(['a', '@', 'eyJ', 'eyJ-', '.', 'a.', 'Bearer '])('redactLogLine takes linear time for a line of repeated "%s"', (almost) => {
  // CPU time instead of elapsed time, so that other processes on the machine do not count. It is about a second at most;
  // quadratic time would be minutes.
  const start = process.cpuUsage();
  redactLogLine(almost.repeat(300_000));
  expect(process.cpuUsage(start).user / 1_000_000).toBeLessThan(20);
});
