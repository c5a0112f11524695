import { readable, refOf, synthesize } from '../stack-under-test.ts';

const { ofType } = synthesize({ domain: 'example.com' });
const indexer = ofType('AWS::Lambda::Function').find(({ Properties }) => Properties['FunctionName'] === 'Postrider-indexer')!;
const mappings = ofType('AWS::Lambda::EventSourceMapping')
  .filter(({ Properties }) => refOf(Properties['FunctionName']) === indexer.id)
  .map(({ Properties }) => Properties);

describe('the indexer Lambda', () => {
  test('reads the mail table’s stream, with ten retries, and dead letters for records that keep failing', () => {
    expect(mappings).toHaveLength(1);
    expect(readable(mappings[0]!['EventSourceArn'])).toBe('<StorageMail.StreamArn>');
    expect(mappings[0]).toMatchObject({
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: 1000,
      ParallelizationFactor: 1,
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumRetryAttempts: 10,
      MaximumBatchingWindowInSeconds: 60,
    });
    const { OnFailure: onFailure } = mappings[0]!['DestinationConfig'] as { OnFailure: { Destination: unknown } };
    expect(readable(onFailure.Destination)).toBe('<PushFailedNotifications.Arn>');
  });

  test('is invoked for log items and heads of accounts only', () => {
    const { Filters } = mappings[0]!['FilterCriteria'] as { Filters: { Pattern: string }[] };
    expect(Filters.map(({ Pattern }) => JSON.parse(Pattern) as unknown)).toEqual([
      { eventName: ['INSERT', 'MODIFY'], dynamodb: { Keys: { pk: { S: [{ suffix: '#log' }] } } } },
    ]);
  });

  test('is one of two readers of the mail table’s stream', () => {
    const readers = ofType('AWS::Lambda::EventSourceMapping').filter(({ Properties }) => readable(Properties['EventSourceArn']) === '<StorageMail.StreamArn>');
    expect(readers).toHaveLength(2);
  });
});
