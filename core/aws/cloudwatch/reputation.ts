import type * as z from 'zod';
import type { SESReputation } from '../../../contract/admin/status.ts';
import type { MetricQuery, Metrics } from './metrics.ts';

/**
 * Maximum age of the rates in milliseconds. SES publishes them a few times a day, if the account has sent enough mail.
 */
const reputationAge = 24 * 60 * 60 * 1000;

const reputationQuery = (metric: string): MetricQuery => ({ namespace: 'AWS/SES', metric, dimensions: {}, statistic: 'Average', period: 3600 });

/** The newest bounce and complaint rates of the last day, for all mail of the AWS account in this region. */
export const readReputation = async (metrics: Metrics, now: Date): Promise<z.input<typeof SESReputation>> => {
  const time = { from: new Date(now.getTime() - reputationAge), to: now };
  const [bounceRates, complaintRates] = await metrics.read([reputationQuery('Reputation.BounceRate'), reputationQuery('Reputation.ComplaintRate')], time);
  return { bounce_rate: bounceRates?.[0]?.value, complaint_rate: complaintRates?.[0]?.value };
};
