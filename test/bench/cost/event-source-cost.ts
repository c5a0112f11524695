import { usdOf } from '../../../preflight/cost/aws-prices.ts';
import { aerc, browser, bulwark, jmapMua, type ListeningClient } from '../../support/event-source-clients.ts';
import { eventSourceWorld, type EventSourceUsage, type EventSourceWorld } from '../../support/event-source-world.ts';
import { TableMeter, type TableUsage } from '../counts/table-meter.ts';

/**
 * Assumptions besides the counted units: the billed time of a jmap call with one DynamoDB trip and nearly no work, and
 * the log lines of API Gateway for a request and of Lambda for a call.
 */
const assumed = { callSeconds: 0.02, lambdaGigabytes: 1, logOctetsOfRequest: 350, logOctetsOfCall: 350 } as const;

const monthSeconds = 730 * 3600;

/** USD a month for the usage measured in this many seconds. */
const monthlyPrice = (used: EventSourceUsage & Pick<TableUsage, 'readUnits' | 'writeUnits'>, seconds: number): number => {
  const { httpRequests, lambdaCalls, queueCalls, readUnits, writeUnits } = used;
  const inThatTime = usdOf(
    {
      httpRequests,
      lambdaCalls,
      readUnits,
      writeUnits,
      queueRequests: queueCalls,
      lambdaTime: lambdaCalls * assumed.callSeconds * assumed.lambdaGigabytes,
      logGigabytes: (httpRequests * assumed.logOctetsOfRequest + lambdaCalls * assumed.logOctetsOfCall) / 1e9,
    },
    false,
  );
  return (inThatTime * monthSeconds) / seconds;
};

type IdleClient = {
  readonly connectionsPerMinute: number;
  readonly httpRequestsPerMinute: number;
  readonly dollarsPerMonth: number;
  readonly states: number;
  readonly failures: number;
};

/** The usage of a client that listens for this long while nothing changes. */
export const idleClient = async (start: (world: EventSourceWorld) => ListeningClient, seconds = 3600): Promise<IdleClient> => {
  const meter = new TableMeter();
  const world = await eventSourceWorld((table) => meter.watch(table));
  Object.assign(world.used, { httpRequests: 0, lambdaCalls: 0, queueCalls: 0 } satisfies EventSourceUsage);
  const client = start(world);
  const usage = await meter.measure(() => client.run(seconds));
  return {
    connectionsPerMinute: (client.connections / seconds) * 60,
    httpRequestsPerMinute: (world.used.httpRequests / seconds) * 60,
    dollarsPerMonth: monthlyPrice({ ...world.used, ...usage }, seconds),
    states: client.states.length,
    failures: client.failures,
  };
};

export const idleClients = { aerc, Bulwark: bulwark, 'jmap-mua': jmapMua, browser } as const;
