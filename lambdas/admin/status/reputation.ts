import type * as z from 'zod';
import type { SESReputation } from '../../../contract/admin/status.ts';
import type { MetricQuery, Metrics } from '../../../core/aws/cloudwatch/metrics.ts';

/** SES reckons the rates anew a few times a day, while there is enough mail to tell them from. */
const recent = 24 * 60 * 60;

const rate = (metric: string): MetricQuery => ({ namespace: 'AWS/SES', metric, dimensions: {}, statistic: 'Average', period: 3600 });

/** The newest rates of the last day, of all mail of the AWS account in this region. */
export const reputation = async (metrics: Metrics, now: Date): Promise<z.input<typeof SESReputation>> => {
  const time = { from: new Date(now.getTime() - recent * 1000), to: now };
  const [bounces, complaints] = await metrics.read([rate('Reputation.BounceRate'), rate('Reputation.ComplaintRate')], time);
  return { bounce_rate: bounces?.[0], complaint_rate: complaints?.[0] };
};
