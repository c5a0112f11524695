import { callOf } from '../../api/send-call.ts';

/** The metrics from which `mailState` derives whether mail flows. */
const flowMetrics = ['MAIL_RECEIVED', 'MAIL_SENT', 'QUEUE_WAITING', 'QUEUE_AGE', 'DEAD_LETTERS', 'API_ERRORS', 'FUNCTION_THROTTLES'] as const;

const hour = { lookback_minutes: 60 };

/** What the first page reads. The first script sends these calls, while the page and its libraries are loaded. */
export const overviewCalls = {
  flow: callOf('monitoring', 'GetMetricSeries', { ...hour, metrics: [...flowMetrics] }),
  failures: callOf('monitoring', 'GetMetricSeries', { ...hour, metrics: ['FUNCTION_ERRORS'] }),
  readiness: callOf('setup', 'GetReadiness', {}),
  status: callOf('status', 'GetStatus', {}),
  problems: callOf('status', 'ListProblems', { page_size: 100 }),
};
