import { entriesOf } from '../../contract/values/typed-entries.ts';

/** The date of the prices, and where they are: the list prices of us-east-1 on AWS's pricing pages. */
export const pricesOf = { month: 'November 2026', region: 'us-east-1' } as const;

/** A unit that AWS bills: USD for `per` units, and the units of a month that are always free. */
type Price = { readonly page: string; readonly unit: string; readonly usd: number; readonly per: number; readonly free?: number };

/** List prices by the names that a bill uses. `free` has only the units that are free every month without end. */
export const prices = {
  lambdaCalls: { page: 'AWS Lambda pricing', unit: 'calls of a Lambda', usd: 0.2, per: 1e6, free: 1e6 },
  lambdaTime: { page: 'AWS Lambda pricing', unit: 'GB-seconds, arm64', usd: 0.0000133334, per: 1, free: 400_000 },
  httpRequests: { page: 'Amazon API Gateway pricing', unit: 'HTTP API requests of up to 512 KB', usd: 1, per: 1e6 },
  restRequests: { page: 'Amazon API Gateway pricing', unit: 'REST API requests, streamed ones of up to 10 MB', usd: 3.5, per: 1e6 },
  socketMessages: { page: 'Amazon API Gateway pricing', unit: 'WebSocket messages of up to 32 KB', usd: 1, per: 1e6 },
  socketMinutes: { page: 'Amazon API Gateway pricing', unit: 'WebSocket connection minutes', usd: 0.25, per: 1e6 },
  readUnits: { page: 'Amazon DynamoDB pricing for on-demand capacity', unit: 'read request units', usd: 0.125, per: 1e6 },
  writeUnits: { page: 'Amazon DynamoDB pricing for on-demand capacity', unit: 'write request units', usd: 0.625, per: 1e6 },
  tableGigabytes: { page: 'Amazon DynamoDB pricing for on-demand capacity', unit: 'GB of tables', usd: 0.25, per: 1, free: 25 },
  recoveryGigabytes: { page: 'Amazon DynamoDB pricing for on-demand capacity', unit: 'GB of tables with point-in-time recovery', usd: 0.2, per: 1 },
  s3Gigabytes: { page: 'Amazon S3 pricing', unit: 'GB of objects, S3 Standard up to 50 TB', usd: 0.023, per: 1 },
  s3Writes: { page: 'Amazon S3 pricing', unit: 'PUT and COPY requests', usd: 0.005, per: 1000 },
  s3Reads: { page: 'Amazon S3 pricing', unit: 'GET requests', usd: 0.0004, per: 1000 },
  queueRequests: { page: 'Amazon SQS pricing', unit: 'requests of standard queues', usd: 0.4, per: 1e6, free: 1e6 },
  topicPublishes: { page: 'Amazon SNS pricing', unit: 'publishes of up to 64 KB; those to SQS are free', usd: 0.5, per: 1e6, free: 1e6 },
  mailIn: { page: 'Amazon SES pricing', unit: 'incoming messages', usd: 0.1, per: 1000 },
  mailInChunks: { page: 'Amazon SES pricing', unit: 'incoming chunks of 256 KB', usd: 0.09, per: 1000 },
  mailOut: { page: 'Amazon SES pricing', unit: 'outgoing messages', usd: 0.1, per: 1000 },
  alarmMetrics: { page: 'Amazon CloudWatch pricing', unit: 'metrics that alarms read', usd: 0.1, per: 1, free: 10 },
  metricRequests: { page: 'Amazon CloudWatch pricing', unit: 'GetMetricStatistics requests', usd: 0.01, per: 1000, free: 1e6 },
  metricReads: { page: 'Amazon CloudWatch pricing', unit: "metrics that GetMetricData reads, as for the console's charts", usd: 0.01, per: 1000 },
  logGigabytes: { page: 'Amazon CloudWatch pricing', unit: 'GB of logs', usd: 0.5, per: 1, free: 5 },
  secrets: { page: 'AWS Secrets Manager pricing', unit: 'secrets, a month', usd: 0.4, per: 1 },
  activeUsers: { page: 'Amazon Cognito pricing', unit: 'monthly active users, Essentials', usd: 0.015, per: 1, free: 10_000 },
  machineTokens: { page: 'Amazon Cognito pricing', unit: 'tokens of headless clients, up to 250,000', usd: 2.25, per: 1000 },
} as const satisfies Record<string, Price>;

export type PriceName = keyof typeof prices;

/** Numbers of billed units, by the name of their price. */
export type Units = { readonly [Name in PriceName]?: number };

/** USD for the units at list price. `isFreeUsed` subtracts the units that are free every month. */
export const usdOf = (units: Units, isFreeUsed: boolean): number =>
  entriesOf(units).reduce((sum, [name, count]) => {
    const { usd, per, free = 0 }: Price = prices[name];
    return sum + (Math.max(0, count - (isFreeUsed ? free : 0)) * usd) / per;
  }, 0);

/**
 * SES's price plans, of an account and region (developer guide, "Pricing plans"; price list of us-east-1, 2026-07-22): USD a month
 * and for 1,000 outgoing messages, up to ten million. It has no other prices for receiving.
 */
export const sesPlans = {
  NONE: { monthly: 0, mailOut: prices.mailOut.usd },
  ESSENTIALS: { monthly: 0, mailOut: 0.16 },
  PRO: { monthly: 105, mailOut: 0.22 },
  ENTERPRISE: { monthly: 500, mailOut: 0.23 },
} as const;

/** USD that SES bills for a GB of attachments, without a plan. */
export const sesAttachmentGigabyte = 0.12;
