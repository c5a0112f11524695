import type * as z from 'zod';
import { metricNames, monitoring as contract, type MetricName, type MetricPoint, type MetricSeries } from '../../../contract/admin/monitoring.ts';
import type { MonitoredResources } from '../../../contract/deployment/monitored-resources.ts';
import { waitingMail } from '../../../contract/deployment/waiting-mail.ts';
import type { MetricPoint as MeasuredPoint, MetricQuery, Metrics } from '../../../core/aws/cloudwatch/metrics.ts';
import { secondsBefore, waitingMailIn, waitingMailQueries, type WaitingMail } from '../../../core/aws/cloudwatch/waiting-mail.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { metricDefinitions, type MetricDefinition } from './metric-sources.ts';

type Dependencies = { readonly resources: MonitoredResources; readonly metrics: Metrics; readonly clock: Clock };

/**
 * The possible lengths of periods in minutes. Each divides a day. CloudWatch keeps values of one minute for 15 days.
 */
const periods = [1, 5, 10, 15, 30, 60, 120, 180];
const maxPeriods = 120;

const minute = 60_000;

/** The shortest period that divides the lookback into at most {@link maxPeriods} periods. Both are in minutes. */
const periodFor = (lookback: number): number => periods.find((period) => lookback / period <= maxPeriods) ?? periods.at(-1)!;

/** The periods of a series. They begin at multiples of their length, so that every call has the same periods. */
type Span = { readonly from: Date; readonly to: Date; readonly period: number; readonly now: Date };

/** The periods of the lookback. The current period is the last one. */
const spanOf = (lookback: number, now: Date): Span => {
  const period = periodFor(lookback) * minute;
  const to = (Math.floor(now.getTime() / period) + 1) * period;
  return { from: new Date(to - Math.ceil((lookback * minute) / period) * period), to: new Date(to), period, now };
};

type PlannedSeries = {
  readonly metric: MetricName;
  readonly definition: MetricDefinition;
  readonly resource: string | undefined;
  readonly queries: readonly MetricQuery[];
  /** Computes the values of the periods from the points of the queries. */
  readonly combine: (measured: readonly (readonly MeasuredPoint[])[]) => readonly MeasuredPoint[];
};

const startsOf = ({ from, to, period }: Span): number[] =>
  Array.from({ length: (to.getTime() - from.getTime()) / period }, (_, index) => from.getTime() + index * period);

/** The points within the span. Earlier periods, which are read only for mail for full accounts, are left out. */
const withinSpan = ([points = []]: readonly (readonly MeasuredPoint[])[], { from }: Span): readonly MeasuredPoint[] => points.filter(({ at }) => at >= from);

const waitingMailSeries = (figure: keyof WaitingMail, resources: MonitoredResources, span: Span) => {
  const period = span.period / 1000;
  return {
    resource: waitingMail.name,
    queries: waitingMailQueries(resources, period),
    combine: (measured: readonly (readonly MeasuredPoint[])[]) =>
      startsOf(span).flatMap((start) => {
        const waiting = waitingMailIn(measured, start, period);
        return waiting ? [{ at: new Date(start), value: waiting[figure] }] : [];
      }),
  };
};

const planSeries = (metric: MetricName, resources: MonitoredResources, span: Span): PlannedSeries[] => {
  const definition = metricDefinitions[metric];
  const { statistic, ofWaitingMail } = definition;
  const measured = definition
    .sources(resources)
    .map(({ resource, ...source }) => ({
      resource,
      queries: [{ ...source, statistic, period: span.period / 1000 }],
      combine: (points: readonly (readonly MeasuredPoint[])[]) => withinSpan(points, span),
    }));
  return [...measured, ...(ofWaitingMail ? [waitingMailSeries(ofWaitingMail, resources, span)] : [])].map((series) => ({ metric, definition, ...series }));
};

/** Rounds to six decimal places, because fractions are small. */
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

/** The points of a series, oldest first, with a zero for each period that certainly had no events. */
const pointsOf = (measured: readonly MeasuredPoint[], { zeroAfterMinutes }: MetricDefinition, span: Span): z.input<typeof MetricPoint>[] => {
  const { period, now } = span;
  const values = new Map(measured.map(({ at, value }) => [at.getTime(), value]));
  const settledUntil = zeroAfterMinutes === undefined ? Number.NEGATIVE_INFINITY : now.getTime() - zeroAfterMinutes * minute;
  return startsOf(span).flatMap((start) => {
    const value = values.get(start) ?? (start + period <= settledUntil ? 0 : undefined);
    return value === undefined ? [] : [{ timestamp: new Date(start).toISOString(), value: rounded(value) }];
  });
};

const seriesOf = ({ metric, definition, resource }: PlannedSeries, measured: readonly MeasuredPoint[], span: Span): z.input<typeof MetricSeries>[] => {
  if (definition.omitZeros && measured.every(({ value }) => value === 0)) return [];
  return [{ metric, ...(resource !== undefined && { resource }), unit: definition.unit, points: pointsOf(measured, definition, span) }];
};

/** Implements GetMetricSeries, by one call to CloudWatch. */
export const getMetricSeries = ({ resources, metrics, clock }: Dependencies) =>
  adminMethod(contract.methods.GetMetricSeries, {
    async run({ metrics: requested, lookback_minutes: lookback }) {
      const span = spanOf(lookback, clock());
      const names = metricNames.filter((name) => requested.length === 0 || requested.includes(name));
      const planned = names.flatMap((name) => planSeries(name, resources, span));
      const from = new Date(span.from.getTime() - secondsBefore(span.period / 1000) * 1000);
      const measured = (
        await metrics.read(
          planned.flatMap(({ queries }) => queries),
          { from, to: span.to },
        )
      ).values();
      return {
        period_seconds: span.period / 1000,
        series: planned.flatMap((series) => seriesOf(series, series.combine(series.queries.map(() => measured.next().value ?? [])), span)),
      };
    },
  });
