import { invoked } from '../../../core/runtime/invocation.ts';
import { countedAs, logFor } from '../../../core/runtime/log.ts';

/** Writes one line by the logger of a Lambda. @returns the line's fields. */
const written = (write: (log: ReturnType<typeof logFor>) => void): Record<string, unknown> => {
  const lines: string[] = [];
  const spy = jest.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  try {
    write(logFor('deliver'));
  } finally {
    spy.mockRestore();
  }
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0]!) as Record<string, unknown>;
};

describe('a log line', () => {
  test('has the fields of the call', () => {
    expect(written((log) => log.info('delivered', { account_id: 'account_1', recipients: 2, is_final_check: false, reason: 'a sentence' }))).toMatchObject({
      level: 'INFO',
      service: 'deliver',
      message: 'delivered',
      account_id: 'account_1',
      recipients: 2,
      is_final_check: false,
      reason: 'a sentence',
    });
  });

  test('has the request id of the Lambda’s invocation, however deep in it', async () => {
    const handler = invoked(async (event: { readonly recipients: number }) => {
      await Promise.resolve();
      return written((log) => log.info('delivered', event));
    });
    expect(await handler({ recipients: 2 }, { awsRequestId: 'run-1' })).toMatchObject({ recipients: 2, aws_request_id: 'run-1' });
    expect(written((log) => log.info('delivered'))).not.toHaveProperty('aws_request_id');
  });

  test('leaves out what a structure has beyond its type, and says how many fields', () => {
    const part = { submission_id: 'sub_1', part: 0, recipients: ['bob@example.net'], subject: 'Salaries', reports: [{ state: 'due' }] };
    const reference: { readonly submission_id: string; readonly part: number } = part;
    const line = written((log) => log.info('reported', { ...reference }));
    expect(line).toMatchObject({ submission_id: 'sub_1', part: 0, omitted_fields: 3 });
    expect(JSON.stringify(line)).not.toMatch(/bob|Salaries|due/);
  });

  test.each<[what: string, fields: object]>([
    ['an address as an id', { client_id: 'alice@example.test' }],
    ['an address in a reason', { reason: 'alice@example.test is not verified' }],
    ['a text as an id', { submission_id: 'Dear Bob' }],
    ['a list as a count', { recipients: ['bob'] }],
    ['a stack that begins with the message', { error_at: ['Error: alice'] }],
  ])('leaves out %s', (_, fields) => {
    const line = written((log) => log.info('reported', fields));
    expect(line).toMatchObject({ omitted_fields: 1 });
    expect(line).not.toHaveProperty(Object.keys(fields)[0]!);
  });

  test('counts a metric in the Embedded Metric Format', () => {
    const line = written((log) => log.info('sent again', { submission_id: 'sub_1', ...countedAs('RepeatedSends') }));
    expect(line).toMatchObject({
      RepeatedSends: 1,
      _aws: { CloudWatchMetrics: [{ Namespace: 'Postrider', Metrics: [{ Name: 'RepeatedSends', Unit: 'Count' }] }] },
    });
    expect(line).not.toHaveProperty('omitted_fields');
  });
});
