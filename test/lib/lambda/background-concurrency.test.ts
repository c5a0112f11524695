import { backgroundConcurrency, backgroundShare, leastConcurrency, queueShare, shardsOfNewTable } from '../../../lib/lambda/background-concurrency.ts';
import { everything, refOf, synthesize } from '../stack-under-test.ts';

type Mapping = {
  readonly FunctionName: unknown;
  readonly EventSourceArn: { readonly 'Fn::GetAtt': readonly [string, string] };
  readonly ScalingConfig?: { readonly MaximumConcurrency: number };
  readonly ParallelizationFactor?: number;
  readonly MaximumBatchingWindowInSeconds?: number;
  readonly FilterCriteria?: { readonly Filters: readonly { readonly Pattern: string }[] };
};

/** Whether all records that pass the filters have the same partition key, so that they are in one shard. */
const hasOnePartitionKey = ({ FilterCriteria: criteria }: Mapping): boolean => {
  const keys =
    criteria?.Filters.map(({ Pattern }) => (JSON.parse(Pattern) as { dynamodb: { Keys: { pk?: { S: unknown[] } } } }).dynamodb.Keys.pk?.S ?? []) ?? [];
  const values = new Set(keys.flat());
  return keys.length > 0 && keys.every(({ length }) => length === 1) && values.size === 1 && typeof [...values][0] === 'string';
};

/** All mappings of a template, and the concurrency that they may use together while the tables are new. */
const usageOf = (settings: Readonly<Record<string, unknown>>) => {
  const { ofType } = synthesize({ ...everything, ...settings });
  const mappings = ofType('AWS::Lambda::EventSourceMapping').map(({ Properties }) => Properties as Mapping);
  /**
   * Whether the mapping is the one of the receipt rules. It is not counted, because only admins' changes of addresses
   * and domains start the Lambda. The indexer is not counted either: it runs for a moment once a minute.
   */
  const isOfAdmins = ({ FilterCriteria: criteria }: Mapping) => criteria?.Filters.some(({ Pattern }) => Pattern.includes('"domain-name"'));
  const counted = mappings.filter((mapping) => (mapping.MaximumBatchingWindowInSeconds ?? 0) < 60 && !isOfAdmins(mapping));
  expect(mappings.length - counted.length).toBe(2);
  const isStream = ({ EventSourceArn: source }: Mapping) => source['Fn::GetAtt'][1] === 'StreamArn';
  const ofStream = (mapping: Mapping) => (mapping.ParallelizationFactor ?? 1) * (hasOnePartitionKey(mapping) ? 1 : shardsOfNewTable);
  const queues = counted.filter((mapping) => !isStream(mapping));
  return {
    queues,
    unbounded: queues.filter(({ ScalingConfig: scaling }) => !(scaling && scaling.MaximumConcurrency >= leastConcurrency)),
    sumOfQueues: queues.reduce((sum, { ScalingConfig: scaling }) => sum + (scaling?.MaximumConcurrency ?? Infinity), 0),
    streams: mappings.filter(isStream),
    sumOfStreams: counted.filter(isStream).reduce((sum, mapping) => sum + ofStream(mapping), 0),
    ofType,
  };
};

describe('Lambdas that no client waits for', () => {
  test.each([undefined, 24, 1_000])('use at most 60% for queues, with lambdaConcurrency %p', (limit) => {
    const { sumOfQueues, unbounded } = usageOf(limit === undefined ? {} : { lambdaConcurrency: limit });
    expect(unbounded).toEqual([]);
    expect(sumOfQueues).toBeLessThanOrEqual(queueShare * (limit ?? 10));
  });

  test.each([undefined, 24, 1_000])('use at most 90% for queues and the streams of new tables, with lambdaConcurrency %p', (limit) => {
    const { sumOfQueues, sumOfStreams } = usageOf(limit === undefined ? {} : { lambdaConcurrency: limit });
    expect(sumOfQueues + sumOfStreams).toBeLessThanOrEqual(backgroundShare * (limit ?? 10));
  });

  test('that carry mail have a mapping in a new account; those of the other queues run by a schedule, one at a time', () => {
    const { queues, ofType } = usageOf({});
    const named = Object.fromEntries(ofType('AWS::Lambda::Function').map(({ id, Properties }) => [id, String(Properties['FunctionName'])]));
    expect(Object.fromEntries(queues.map(({ FunctionName: name, ScalingConfig: scaling }) => [named[refOf(name)], scaling?.MaximumConcurrency]))).toEqual({
      'Postrider-deliver': 2,
      'Postrider-submit': 2,
    });
    const drains = ofType('AWS::Events::Rule')
      .filter(({ id }) => id.includes('Drain'))
      .map(({ Properties }) => {
        const [{ Arn: arn, RetryPolicy: retries }] = Properties['Targets'] as [{ Arn: { 'Fn::GetAtt': [string] }; RetryPolicy: unknown }];
        expect(retries).toEqual({ MaximumRetryAttempts: 0 });
        return [named[arn['Fn::GetAtt'][0]], Properties['ScheduleExpression']];
      });
    expect(Object.fromEntries(drains)).toEqual({
      'Postrider-account-removal': 'rate(2 minutes)',
      'Postrider-mail-cleanup': 'rate(5 minutes)',
      'Postrider-mail-events': 'rate(1 minute)',
      'Postrider-role-assumptions': 'rate(1 minute)',
      'Postrider-push-delivery': 'rate(1 minute)',
    });
  });

  test('all have a mapping from lambdaConcurrency 24 on, and none is scheduled', () => {
    const { queues, ofType } = usageOf({ lambdaConcurrency: 24 });
    expect(queues).toHaveLength(7);
    expect(ofType('AWS::Events::Rule').filter(({ id }) => id.includes('Drain'))).toEqual([]);
  });

  test('use at most 90% together, for any limit', () => {
    for (let limit = 10; limit <= 1_200; limit++) {
      const { queues, batchesOfShard } = backgroundConcurrency(limit);
      const mapped = Object.values(queues).filter((consumption) => consumption !== 'scheduled');
      const sum = mapped.reduce((total, maximum) => total + maximum, shardsOfNewTable * batchesOfShard + 1);
      expect({ limit, isWithin: sum <= backgroundShare * limit, least: Math.min(...mapped) >= leastConcurrency }).toEqual({
        limit,
        isWithin: true,
        least: true,
      });
    }
  });

  test('are reserved for mail, sign-in and downloads from lambdaConcurrency 1000 on, as many as the mapping of a queue has at most', () => {
    const reservedIn = (settings: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(
        synthesize({ ...everything, ...settings })
          .ofType('AWS::Lambda::Function')
          .flatMap(({ Properties: { FunctionName: name, ReservedConcurrentExecutions: reserved } }) => (reserved === undefined ? [] : [[name, reserved]])),
      );
    expect(reservedIn({})).toEqual({});
    expect(reservedIn({ lambdaConcurrency: 1000 })).toEqual({
      'Postrider-deliver': 50,
      'Postrider-submit': 2,
      'Postrider-pre-token': 100,
      'Postrider-downloads': 100,
    });
    const { queues } = usageOf({ lambdaConcurrency: 1000 });
    expect(queues.map(({ ScalingConfig: scaling }) => scaling?.MaximumConcurrency)).toEqual(expect.arrayContaining([50, 2]));
  });

  test('have one call a shard for each stream in a new account', () => {
    const { streams } = usageOf({});
    expect(streams.length).toBeGreaterThan(1);
    for (const { ParallelizationFactor: factor } of streams) expect(factor).toBe(1);
  });
});
