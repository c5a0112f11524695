import { SpaceBetween } from '@cloudscape-design/components';
import { ReputationCharts } from '../../parts/charts/reputation-charts.tsx';
import { MailChart } from './mail-chart.tsx';

type OverviewChartsProps = {
  /** Milliseconds between two calls, or false. */
  readonly flow: number | false;
  readonly slow: number | false;
};

/** The charts of the first page. They are loaded when a person sees them. */
export const OverviewCharts = ({ flow, slow }: OverviewChartsProps) => (
  <SpaceBetween size="l">
    <MailChart refetchInterval={flow} />
    <ReputationCharts refetchInterval={slow} />
  </SpaceBetween>
);
