import type * as z from 'zod';
import type { SESReputation } from '../../../contract/admin/status.ts';
import type { MetricPoint, MetricQuery, Metrics } from './metrics.ts';

/**
 * Maximum age of the rates in milliseconds. SES publishes them a few times a day, if the account has sent enough mail.
 */
const reputationAge = 24 * 60 * 60 * 1000;

/** A rate of fewer messages says nothing: one bounce of twenty messages would be 5 %. */
const leastMessages = { count: 100, within: 14 * 24 * 60 * 60 * 1000 };

const query = (metric: string, statistic: MetricQuery['statistic']): MetricQuery => ({ namespace: 'AWS/SES', metric, dimensions: {}, statistic, period: 3600 });
const queries = [query('Reputation.BounceRate', 'Average'), query('Reputation.ComplaintRate', 'Average'), query('Send', 'Sum')];

/**
 * The newest bounce and complaint rates of the last day, for all mail of the AWS account in this region. Empty when it sent
 * fewer than 100 messages in two weeks.
 */
export const readReputation = async (metrics: Metrics, now: Date): Promise<z.input<typeof SESReputation>> => {
  const [bounceRates, complaintRates, sent = []] = await metrics.read(queries, { from: new Date(now.getTime() - leastMessages.within), to: now });
  if (sent.reduce((sum, { value }) => sum + value, 0) < leastMessages.count) return {};
  const newest = (points: readonly MetricPoint[] = []): number | undefined => points.find(({ at }) => at.getTime() >= now.getTime() - reputationAge)?.value;
  return { bounce_rate: newest(bounceRates), complaint_rate: newest(complaintRates) };
};
