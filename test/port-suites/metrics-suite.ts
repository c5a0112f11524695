import type { Metrics } from '../../core/aws/cloudwatch/metrics.ts';
import type { memoryMetrics } from '../fakes/memory-metrics.ts';

export type MeasurableMetrics = Metrics & Pick<ReturnType<typeof memoryMetrics>, 'measure'>;

/** Suites so far. Each has a namespace of its own, because several adapters may share one CloudWatch. */
let suites = 0;

/** The specification of {@link Metrics}, which every adapter passes. */
export const metricsSuite = (open: () => Promise<MeasurableMetrics>): void => {
  const namespace = `Trial${++suites}`;
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  const ago = (minutes: number) => new Date(minute - minutes * 60_000 + 5_000);
  const time = { from: new Date(minute - 10 * 60_000), to: new Date(minute + 60_000) };
  const about = (name: string) => ({ namespace, metric: 'Requests', dimensions: { Name: name, Stage: 'one' } });

  /** A measured value of the period that began this many minutes ago. */
  const point = (minutes: number, value: number) => ({ at: new Date(minute - minutes * 60_000), value });

  test('read returns a point for each period, newest first, in the order of the queries', async () => {
    const metrics = await open();
    await metrics.measure(
      [
        [3, 4],
        [3, 5],
        [1, 7],
      ].map(([minutes, value]) => ({ ...about('order'), at: ago(minutes!), value: value! })),
    );
    expect(
      await metrics.read(
        [
          { ...about('order'), statistic: 'Sum', period: 60 },
          { ...about('nothing'), statistic: 'Sum', period: 60 },
          { ...about('order'), statistic: 'Maximum', period: 60 },
          { ...about('order'), statistic: 'Average', period: 60 },
          { ...about('order'), statistic: 'SampleCount', period: 60 },
        ],
        time,
      ),
    ).toEqual([[point(1, 7), point(3, 9)], [], [point(1, 7), point(3, 5)], [point(1, 7), point(3, 4.5)], [point(1, 1), point(3, 2)]]);
  });

  test('read computes a percentile of all measurements of its period', async () => {
    const metrics = await open();
    await metrics.measure(Array.from({ length: 100 }, (_, index) => ({ ...about('percentile'), at: ago(2), value: index + 1 })));
    const [[{ value: p95 } = { value: 0 }] = []] = await metrics.read([{ ...about('percentile'), statistic: 'p95', period: 60 }], time);
    expect(p95).toBeGreaterThanOrEqual(94);
    expect(p95).toBeLessThanOrEqual(96);
  });

  test('read begins longer periods at multiples of their length since 1970, if the time does', async () => {
    const metrics = await open();
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
    await metrics.measure(
      [
        [5, 1],
        [55, 2],
        [65, 4],
      ].map(([minutes, value]) => ({ ...about('hours'), at: new Date(hour - minutes! * 60_000), value: value! })),
    );
    expect(await metrics.read([{ ...about('hours'), statistic: 'Sum', period: 3600 }], { from: new Date(hour - 3 * 3_600_000), to: new Date(hour) })).toEqual([
      [
        { at: new Date(hour - 3_600_000), value: 3 },
        { at: new Date(hour - 2 * 3_600_000), value: 4 },
      ],
    ]);
  });

  test('read ignores measurements outside the time, of other metrics and with other dimensions', async () => {
    const metrics = await open();
    await metrics.measure([
      { ...about('outside'), at: ago(30), value: 1 },
      { ...about('outside'), metric: 'Other', at: ago(1), value: 1 },
      { ...about('outside'), dimensions: { Name: 'outside' }, at: ago(1), value: 1 },
    ]);
    expect(await metrics.read([{ ...about('outside'), statistic: 'Sum', period: 60 }], time)).toEqual([[]]);
  });

  test('read returns an empty list without queries', async () => {
    expect(await (await open()).read([], time)).toEqual([]);
  });
};
