import { isObject } from '../../contract/jmap/data-type.ts';
import type { Units } from './aws-prices.ts';

/** Hours and minutes of a month. */
export const [hours, minutes] = [730, 730 * 60];

/**
 * Assumptions of docs/cost.md beside the counted units. A Lambda call is billed for a fixed time and for each DynamoDB
 * trip; a mapping of a queue with a maximum concurrency keeps five pollers, which wait 20 seconds each (Lambda's guide,
 * "Configuring scaling behavior for SQS event source mappings").
 */
export const assumed = {
  callMilliseconds: 20,
  tripMilliseconds: 10,
  pollers: 5,
  pollSeconds: 20,
  logOctetsOfCall: 600,
  mailboxSize: 1_000,
  openingsOfDay: 20,
  changesOfDay: 50,
  partsOfDay: 20,
  messageOctets: 75_000,
} as const;

/** A CloudFormation resource that costs money even without traffic. */
type Resource = { readonly Type: string; readonly Properties?: Record<string, unknown> };
export type Template = { readonly Resources: Readonly<Record<string, Resource>> };

/** What an operation uses of DynamoDB. `trips`: its serial calls. */
type TableUsage = { readonly trips: number; readonly readUnits: number; readonly writeUnits: number };

export const add = (...all: readonly Units[]): Units => {
  const sum: Record<string, number> = {};
  for (const units of all) for (const [name, count] of Object.entries(units)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
};
export const times = (count: number, units: Units): Units => Object.fromEntries(Object.entries(units).map(([name, each]) => [name, count * each]));

/** The billed units of one Lambda call with its DynamoDB usage. */
export const call = (gigabytes: number, { trips, readUnits, writeUnits }: TableUsage): Units => ({
  lambdaCalls: 1,
  lambdaTime: (gigabytes * (assumed.callMilliseconds + trips * assumed.tripMilliseconds)) / 1000,
  logGigabytes: assumed.logOctetsOfCall / 1e9,
  readUnits,
  writeUnits,
});

export const noUsage: TableUsage = { trips: 0, readUnits: 0, writeUnits: 0 };
const oneRead: TableUsage = { trips: 1, readUnits: 1, writeUnits: 0 };

/** Runs of a schedule in a month. @throws for a schedule without a rate. */
const runsOf = (expression: string): number => {
  const [, count = '', unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const perHour = { minute: 60, hour: 1, day: 1 / 24 }[unit];
  if (!perHour) throw new Error(`the schedule ${expression} is not a rate expression`);
  return Math.round((hours * perHour) / Number(count));
};

const metricsOf = ({ Properties: properties = {} }: Resource): number => {
  const metrics = properties['Metrics'];
  return Array.isArray(metrics) ? metrics.filter((metric) => isObject(metric) && metric['MetricStat']).length : 1;
};

/**
 * The usage of one run of the watch in an idle deployment without problems, as the average of an hour. It asks about each
 * queue, and about each API and other metrics. `test/lib/cost.test.ts` counts it.
 */
export const watchRun = ({ Resources }: Template) => {
  const ofType = (type: string) => Object.values(Resources).filter(({ Type }) => Type === type);
  // Queues on which clients of the event source wait keep messages for a minute, and are not watched.
  const queues = ofType('AWS::SQS::Queue').filter(({ Properties }) => Properties?.['MessageRetentionPeriod'] !== 60);
  return { trips: 50 / 12, readUnits: 77 / 12, writeUnits: 1, queueRequests: queues.length, metricRequests: ofType('AWS::ApiGatewayV2::Api').length + 63 / 12 };
};

/** The watch is a scheduled call with one read. These are its other calls, to DynamoDB, SQS and CloudWatch. */
const watchUnits = (template: Template): Units => {
  const { queueRequests, metricRequests, ...usage } = watchRun(template);
  const { lambdaCalls: _counted, logGigabytes: _alsoCounted, ...used } = call(0.25, usage);
  return times(hours * 12, { ...used, readUnits: usage.readUnits - oneRead.readUnits, queueRequests, metricRequests });
};

/** The monthly cost of the template's resources without mail and clients, in lines of a bill. */
export const idleUnits = ({ Resources }: Template): Record<string, Units> => {
  const ofType = (type: string) =>
    Object.entries(Resources)
      .filter(([, { Type }]) => Type === type)
      .map(([id, resource]) => ({ id, ...resource }));
  const memoryOf = (lambdaId: string) => Number(Resources[lambdaId]?.Properties?.['MemorySize']) / 1024;
  const queues = ofType('AWS::Lambda::EventSourceMapping').filter(({ Properties }) => Properties?.['ScalingConfig']);
  const schedules = ofType('AWS::Events::Rule').filter(({ Properties }) => Properties?.['ScheduleExpression']);
  const scheduled = schedules.map(({ id, Properties }) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the form that the CDK gives to each schedule
    const [{ Arn }] = Properties!['Targets'] as [{ Arn: { 'Fn::GetAtt': [string] } }];
    const run = call(memoryOf(Arn['Fn::GetAtt'][0]), oneRead);
    // A drain asks its queue instead of a table.
    const units = id.includes('Drain') ? { ...run, readUnits: 0, queueRequests: 1 } : run;
    return times(runsOf(String(Properties!['ScheduleExpression'])), units);
  });
  const polls = queues.length * assumed.pollers * (3600 / assumed.pollSeconds) * hours;
  return {
    [`${queues.length} queues that Lambda polls`]: { queueRequests: polls },
    [`${schedules.length} schedules, with their Lambdas`]: add(...scheduled),
    'what the watch reads and writes': watchUnits({ Resources }),
    alarms: { alarmMetrics: ofType('AWS::CloudWatch::Alarm').reduce((sum, alarm) => sum + metricsOf(alarm), 0) },
    'secrets of headless clients': { secrets: ofType('AWS::SecretsManager::Secret').length },
  };
};
