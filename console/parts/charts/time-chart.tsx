import { LineChart, type LineChartProps } from '@cloudscape-design/components';
import { useTimeFormats } from '../text/time.tsx';
import type { ChartLine } from './metric-series.ts';

export type TimeChartProps = {
  readonly title: string;
  readonly lines: readonly ChartLine[];
  readonly limits?: readonly { readonly title: string; readonly value: number }[];
  readonly format: (value: number) => string;
  /** Minutes on the axis, and the time in milliseconds at which the lines were read, the end of the axis. */
  readonly lookback: number;
  readonly readAt: number;
  /** Pixels. */
  readonly height: number;
  /** Minimum value at the top of the axis. */
  readonly least: number;
  /** Whether the axis has fractions, for example for a rate. */
  readonly hasFractions?: boolean;
};

const day = 1440;
const isMidnight = (at: Date, isUtc: boolean): boolean => (isUtc ? at.getUTCHours() + at.getUTCMinutes() : at.getHours() + at.getMinutes()) === 0;

/** The label of a time on the axis: the time of day, and at midnight the date. */
const timeLabel =
  ({ axisTime, axisDay, timeZone }: ReturnType<typeof useTimeFormats>, lookback: number) =>
  (at: Date): string => {
    if (lookback <= day) return axisTime(at);
    return isMidnight(at, timeZone === 'UTC') ? axisDay(at) : `${axisDay(at)}\n${axisTime(at)}`;
  };

/** Space above the highest line for its label, as a factor. */
const headroom = 1.1;

/** The maximum of the axis. It is never zero, so that a line of zeros is at the bottom. */
const axisTop = ({ lines, limits = [], least }: TimeChartProps): number =>
  Math.max(least, ...lines.flatMap(({ points }) => points.map(({ y }) => y)), ...limits.map(({ value }) => value)) * headroom;

/** A line chart of values by time. Loaded when the first chart is shown. */
export const TimeChart = (props: TimeChartProps) => {
  const { title, lines, limits = [], format, lookback, readAt, height, hasFractions = false } = props;
  const formats = useTimeFormats();
  const series: LineChartProps<Date>['series'] = [
    ...lines.map(({ title: name, points }) => ({ type: 'line' as const, title: name, data: points, valueFormatter: format })),
    ...limits.map(({ title: name, value }) => ({ type: 'threshold' as const, title: name, y: value, valueFormatter: format })),
  ];
  return (
    <LineChart<Date>
      ariaLabel={title}
      series={series}
      xScaleType="time"
      height={height}
      hideFilter
      detailPopoverSize="medium"
      xDomain={[new Date(readAt - lookback * 60_000), new Date(readAt)]}
      yDomain={[0, axisTop(props)]}
      xTickFormatter={timeLabel(formats, lookback)}
      {...(formats.timeZone && { xTitle: formats.timeZone })}
      yTickFormatter={(value) => (hasFractions || Number.isInteger(value) ? format(value) : '')}
    />
  );
};
