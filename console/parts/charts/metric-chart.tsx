import { Box, Container, Header } from '@cloudscape-design/components';
import { Suspense, type ReactNode } from 'react';
import { loadedLater } from '../../page/load-part.tsx';
import { chartWords } from '../../words/pages/monitoring.ts';
import { BlockSkeleton } from '../view/loading.tsx';
import type { TimeChartProps } from './time-chart.tsx';

export type MetricChartProps = Omit<TimeChartProps, 'lines'> & {
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** The lines; undefined until they are read. */
  readonly lines: TimeChartProps['lines'] | undefined;
  readonly empty?: { readonly title: string; readonly text: string };
};

const TimeChart = loadedLater(async () => (await import('./time-chart.tsx')).TimeChart);

/** Pixels of a chart around its lines: the axis and the legend. */
const frameHeight = 70;

/** A chart in its own container. It has the same height while it is loading and when it is empty. */
export const MetricChart = (props: MetricChartProps) => {
  const { title, description, actions, lines, height, empty = chartWords.empty } = props;
  const loading = <BlockSkeleton height={`${height + frameHeight}px`} />;
  const isEmpty = lines?.every(({ points }) => points.length === 0);
  return (
    <Container
      fitHeight
      header={
        <Header variant="h2" description={description} actions={actions}>
          {title}
        </Header>
      }
    >
      {lines === undefined && loading}
      {isEmpty === true && (
        <div className="chart-empty" style={{ minBlockSize: height + frameHeight }}>
          <Box textAlign="center" color="text-body-secondary">
            <b>{empty.title}</b>
            <Box color="inherit">{empty.text}</Box>
          </Box>
        </div>
      )}
      {lines && isEmpty === false && (
        <Suspense fallback={loading}>
          <TimeChart {...props} lines={lines} />
        </Suspense>
      )}
    </Container>
  );
};
