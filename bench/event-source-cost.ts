import { aerc, browser, bulwark, type ListeningClient } from '../test/support/event-source-clients.ts';
import { eventSourceWorld, type EventSourceUsage, type EventSourceWorld } from '../test/support/event-source-world.ts';
import { prices as pushPrices } from './push-counts.ts';
import { TableMeter, type TableUsage } from './table-meter.ts';

/** Prices in USD a million: us-east-1, without the free tier, November 2026. */
export const eventSourcePrices = {
  readUnits: pushPrices.readUnits,
  writeUnits: pushPrices.writeUnits,
  /** HTTP API, the first 300 million of a month. */
  httpRequests: 1,
  queueCalls: pushPrices.queued,
  /** A request, and 20 ms with 1 GB on arm64: the mean of 100 in the sandbox. */
  lambdaCalls: 0.2 + 0.02 * 13.3334,
  /** Log lines: 0.35 KB of API Gateway for each request, 0.35 KB of Lambda for each call, at 0.50 a GB. */
  logOfHttpRequests: 0.175,
  logOfLambdaCalls: 0.175,
} as const;

export const monthSeconds = 730 * 3600;

/** USD of a month for what was used in so many seconds. */
export const monthlyPrice = (used: EventSourceUsage & Pick<TableUsage, 'readUnits' | 'writeUnits'>, seconds: number): number => {
  const { httpRequests, queueCalls, lambdaCalls, readUnits, writeUnits, logOfHttpRequests, logOfLambdaCalls } = eventSourcePrices;
  const million = used.httpRequests * (httpRequests + logOfHttpRequests) + used.queueCalls * queueCalls
    + used.lambdaCalls * (lambdaCalls + logOfLambdaCalls) + used.readUnits * readUnits + used.writeUnits * writeUnits;
  return million / 1e6 * monthSeconds / seconds;
};

export type IdleClient = {
  readonly connectionsPerMinute: number;
  readonly httpRequestsPerMinute: number;
  readonly dollarsPerMonth: number;
  readonly states: number;
  readonly failures: number;
};

/** A client that listens for so long while nothing happens. */
export const idleClient = async (
  start: (world: EventSourceWorld) => ListeningClient, seconds = 3600,
): Promise<IdleClient> => {
  const meter = new TableMeter();
  const world = await eventSourceWorld((table) => meter.watch(table));
  Object.assign(world.used, { httpRequests: 0, lambdaCalls: 0, queueCalls: 0 } satisfies EventSourceUsage);
  const client = start(world);
  const usage = await meter.measure(() => client.run(seconds));
  return {
    connectionsPerMinute: client.connections / seconds * 60,
    httpRequestsPerMinute: world.used.httpRequests / seconds * 60,
    dollarsPerMonth: monthlyPrice({ ...world.used, ...usage }, seconds),
    states: client.states.length,
    failures: client.failures,
  };
};

export const idleClients = { aerc, Bulwark: bulwark, browser } as const;
