import type { ProblemName } from '../../../contract/admin/problems.ts';
import { reputationLimits } from '../../../contract/admin/status.ts';
import { waitingMail } from '../../../contract/deployment/waiting-mail.ts';
import type { ResponseOf } from '../../api/admin-api.tsx';
import { metricTotal, newestOf, newestTotal, seriesOf, totalOf, type Series, type SeriesResponse } from '../../parts/charts/metric-series.ts';
import { overviewWords, queueName } from '../../words/pages/monitoring.ts';

/** A problem of the mail flow, with the page that helps. The list of problems has it by one of these names, once the watch found it. */
export type Problem = {
  readonly names: readonly ProblemName[];
  readonly severity: 'error' | 'warning';
  readonly text: string;
  readonly link: { readonly to: string; readonly text: string };
};

export type MailState = {
  readonly look: 'success' | 'info' | 'warning' | 'error';
  readonly headline: string;
  readonly waiting: string;
  readonly problems: readonly Problem[];
};

/**
 * Seconds after which a message that still waits is a problem. Mail is processed within seconds; a retry takes minutes. The
 * age of a message in SQS includes its delay, and removals and later sending have the longest one, of 15 minutes.
 */
const longWait = 900 + 600;

const nameOf = ({ resource = '' }: Series): string => queueName(resource);

const { links } = overviewWords;
const toErrors = { to: '/monitoring#errors', text: links.errors };
const toQueues = { to: '/queues', text: links.queues };
const toAccounts = { to: '/accounts', text: links.accounts };

/**
 * Queues in which a message waits too long. A queue without messages has no age. Mail for full accounts waits for a
 * person, not for the service.
 */
const longWaits = (flow: SeriesResponse): Problem[] => {
  const waiting = new Set(
    seriesOf(flow, 'QUEUE_WAITING')
      .filter((series) => (newestOf(series) ?? 0) > 0)
      .map(({ resource }) => resource),
  );
  return seriesOf(flow, 'QUEUE_AGE')
    .filter((series) => waiting.has(series.resource) && (newestOf(series) ?? 0) >= longWait)
    .map((series) => ({
      text: overviewWords.oldest(nameOf(series), newestOf(series)!),
      ...(series.resource === waitingMail.name
        ? { names: ['MAIL_WAITING'], severity: 'warning', link: toAccounts }
        : { names: ['QUEUE_DELAYED'], severity: 'error', link: toQueues }),
    }));
};

const deadLetters = (flow: SeriesResponse): Problem[] => {
  const found = seriesOf(flow, 'DEAD_LETTERS').filter((series) => (newestOf(series) ?? 0) > 0);
  const count = found.reduce((sum, series) => sum + newestOf(series)!, 0);
  return count === 0 ? [] : [{ names: ['DEAD_LETTERS'], severity: 'error', text: overviewWords.dead(count, found.map(nameOf).join(', ')), link: toQueues }];
};

const failedCalls = (flow: SeriesResponse, failures: SeriesResponse | undefined): Problem[] => {
  const failed = [...seriesOf(flow, 'API_ERRORS'), ...(failures ? seriesOf(failures, 'FUNCTION_ERRORS') : [])].filter((series) => totalOf(series) > 0);
  const count = failed.reduce((sum, series) => sum + totalOf(series), 0);
  const names = [...new Set(failed.map(({ resource }) => resource))].join(', ');
  return count === 0 ? [] : [{ names: ['API_ERRORS', 'LAMBDA_ERRORS'], severity: 'warning', text: overviewWords.failedCalls(count, names), link: toErrors }];
};

const throttledCalls = (flow: SeriesResponse): Problem[] => {
  const count = metricTotal(flow, 'FUNCTION_THROTTLES');
  const link = { to: '/change-requests/create', text: links.concurrency };
  return count === 0 ? [] : [{ names: ['LAMBDA_THROTTLES'], severity: 'warning', text: overviewWords.throttled(count), link }];
};

type Reputation = ResponseOf<'status', 'GetStatus'>['status']['ses']['reputation'];

const rateProblems = { bounce_rate: 'BOUNCE_RATE', complaint_rate: 'COMPLAINT_RATE' } as const;

/** Whether a rate has reached a threshold at which AWS acts. */
const highRates = (reputation: Reputation): Problem[] =>
  (['bounce_rate', 'complaint_rate'] as const).flatMap((name) => {
    const rate = reputation[name];
    if (rate === undefined || rate < reputationLimits[name].review) return [];
    const severity = rate >= reputationLimits[name].pause ? 'error' : 'warning';
    return [{ names: [rateProblems[name]], severity, text: overviewWords.rate(name, rate), link: { to: '/feedback', text: links.feedback } }];
  });

/** Facts in addition to the mail flow. Each is undefined until it is read. */
export type Circumstances = {
  /** FUNCTION_ERRORS of the last hour. */
  readonly failures: SeriesResponse | undefined;
  readonly reputation: Reputation | undefined;
};

/** Whether mail flows, from the metrics of the last hour (`overviewCalls.flow`). */
export const mailState = (flow: SeriesResponse, { failures, reputation = {} }: Circumstances): MailState => {
  const [received, sent] = [metricTotal(flow, 'MAIL_RECEIVED'), metricTotal(flow, 'MAIL_SENT')];
  const waiting = newestTotal(flow, 'QUEUE_WAITING');
  const isStuck = longWaits(flow).some(({ severity }) => severity === 'error');
  const problems = [...longWaits(flow), ...deadLetters(flow), ...highRates(reputation), ...failedCalls(flow, failures), ...throttledCalls(flow)];
  const flows = received + sent > 0;
  return {
    look: problems.some(({ severity }) => severity === 'error') ? 'error' : problems.length > 0 ? 'warning' : flows ? 'success' : 'info',
    headline: isStuck ? overviewWords.stuck(received, sent) : flows ? overviewWords.flows(received, sent) : overviewWords.quiet,
    waiting: waiting === undefined ? overviewWords.waitUnknown : waiting === 0 ? overviewWords.nothingWaits : overviewWords.waits(waiting),
    problems,
  };
};
