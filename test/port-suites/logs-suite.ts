import type { Logs } from '../../core/aws/cloudwatch/cloudwatch-logs.ts';
import type { memoryLogs } from '../fakes/memory-logs.ts';

export type WritableLogs = Logs & Pick<ReturnType<typeof memoryLogs>, 'write'>;

/** The specification of {@link Logs}, which every adapter passes. */
export const logsSuite = (open: () => Promise<WritableLogs>): void => {
  const start = Date.now() - 60_000;
  const at = (second: number) => new Date(start + second * 1000);
  const whole = { from: at(-10), to: at(50), limit: 100 };
  const found = async (logs: Logs, search: Partial<Parameters<Logs['search']>[0]> & { logGroup: string }) =>
    (await logs.search({ ...whole, order: 'oldest', ...search })).map(({ message }) => message);

  test('search returns lines from either end, up to the limit', async () => {
    const logs = await open();
    await logs.write(
      '/trial/ends',
      [1, 2, 3, 4].map((second) => ({ at: at(second), message: `line ${second}` })),
    );
    expect(await found(logs, { logGroup: '/trial/ends' })).toEqual(['line 1', 'line 2', 'line 3', 'line 4']);
    expect(await found(logs, { logGroup: '/trial/ends', order: 'newest', limit: 2 })).toEqual(['line 4', 'line 3']);
    expect(await found(logs, { logGroup: '/trial/ends', limit: 1 })).toEqual(['line 1']);
  });

  test('search includes both bounds of the time', async () => {
    const logs = await open();
    await logs.write(
      '/trial/bounds',
      [1, 2, 3, 4].map((second) => ({ at: at(second), message: `line ${second}` })),
    );
    expect(await found(logs, { logGroup: '/trial/bounds', from: at(2), to: at(3) })).toEqual(['line 2', 'line 3']);
    expect((await logs.search({ ...whole, logGroup: '/trial/bounds', order: 'oldest' }))[0]?.at).toEqual(at(1));
    expect(await found(logs, { logGroup: '/trial/bounds', from: at(3), to: at(2) })).toEqual([]);
  });

  test('search matches all terms, or any of several, case-sensitively', async () => {
    const logs = await open();
    const lines = ['{"level":"ERROR","id":"a-1"}', '{"level":"INFO","id":"a-1"}', 'Task timed out after 3 seconds', 'an error of no kind', 'timed once'];
    await logs.write(
      '/trial/terms',
      lines.map((message, index) => ({ at: at(index), message })),
    );
    expect(await found(logs, { logGroup: '/trial/terms', includesAll: ['a-1', 'ERROR'] })).toEqual(lines.slice(0, 1));
    expect(await found(logs, { logGroup: '/trial/terms', includesAny: ['ERROR', 'Task timed out'] })).toEqual([lines[0], lines[2]]);
    expect(await found(logs, { logGroup: '/trial/terms', includesAll: ['a-1'], accept: (message) => message.includes('INFO') })).toEqual(lines.slice(1, 2));
  });

  test('search reads more than one page of lines', async () => {
    const logs = await open();
    const lines = Array.from({ length: 2_500 }, (_, index) => ({ at: new Date(start + index), message: `line ${index}` }));
    await logs.write('/trial/many', lines);
    const late = await found(logs, { logGroup: '/trial/many', order: 'newest', limit: 3, accept: (message) => Number(message.slice(5)) < 100 });
    expect(late).toEqual(['line 99', 'line 98', 'line 97']);
    expect(await found(logs, { logGroup: '/trial/many', limit: 2_400 })).toHaveLength(2_400);
  });

  test('search returns nothing for an unknown log group, or for a time before the first log', async () => {
    const logs = await open();
    expect(await found(logs, { logGroup: '/trial/none' })).toEqual([]);
    await logs.write('/trial/old', [{ at: at(1), message: 'now' }]);
    expect(await found(logs, { logGroup: '/trial/old', from: new Date('1999-01-01'), to: new Date('1999-01-02') })).toEqual([]);
    expect(await found(logs, { logGroup: '/trial/old', from: new Date('1999-01-01'), order: 'newest' })).toEqual(['now']);
  });
};
