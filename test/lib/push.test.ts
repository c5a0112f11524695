import { readable, synthesize } from './stack-under-test.ts';

const { ofType } = synthesize({ domain: 'example.com' });
const notify = ofType('AWS::Lambda::Function').find(({ Properties }) => Properties['FunctionName'] === 'Postrider-notify')!;
const mappings = ofType('AWS::Lambda::EventSourceMapping').filter(({ Properties }) => (Properties['FunctionName'] as { Ref: string }).Ref === notify.id).map(({ Properties }) => Properties);
const sourceOf = (mapping: Record<string, unknown>) => readable(mapping['EventSourceArn']);
const filtersOf = (name: string): unknown[] => {
  const mapping = mappings.find((each) => sourceOf(each) === `<Storage${name}.StreamArn>`)!;
  return (mapping['FilterCriteria'] as { Filters: { Pattern: string }[] }).Filters.map(({ Pattern }) => JSON.parse(Pattern) as unknown);
};

describe('the notifier', () => {
  test('reads both streams, many accounts side by side, and is given the rest of a batch again for as long as a socket lives', () => {
    expect(mappings.map(sourceOf).sort()).toEqual(['<StorageDirectory.StreamArn>', '<StorageMail.StreamArn>']);
    for (const mapping of mappings) {
      expect(mapping).toMatchObject({
        StartingPosition: 'TRIM_HORIZON', BatchSize: 100, ParallelizationFactor: 10, BisectBatchOnFunctionError: true,
        FunctionResponseTypes: ['ReportBatchItemFailures'], MaximumRecordAgeInSeconds: 7200,
      });
      expect(mapping).not.toHaveProperty('MaximumRetryAttempts');
      expect(mapping).not.toHaveProperty('MaximumBatchingWindowInSeconds');
      expect(readable((mapping['DestinationConfig'] as { OnFailure: { Destination: unknown } }).OnFailure.Destination)).toBe('<PushNotToldOf.Arn>');
    }
  });

  test('has an alarm when clients are told late, since what it reports as failed is no error', () => {
    const [alarm] = ofType('AWS::CloudWatch::Alarm').filter(({ Properties }) => Properties['MetricName'] === 'IteratorAge');
    expect(alarm!.Properties).toMatchObject({ Threshold: 300_000, Statistic: 'Maximum', Dimensions: [{ Name: 'FunctionName', Value: { Ref: notify.id } }], TreatMissingData: 'notBreaching' });
  });

  test('runs for heads of accounts, for connections whose time is over and for people who are not active, and for nothing else', () => {
    expect(filtersOf('Mail')).toEqual([
      { eventName: ['INSERT', 'MODIFY'], dynamodb: { Keys: { sk: { S: ['HEAD'] } } } },
      { eventName: ['REMOVE'], userIdentity: { principalId: ['dynamodb.amazonaws.com'] }, dynamodb: { Keys: { pk: { S: [{ prefix: 'connection#' }] } } } },
    ]);
    expect(filtersOf('Directory')).toEqual([
      { dynamodb: { Keys: { pk: { S: ['user'] } }, NewImage: { is_active: { BOOL: [false] } } } },
      { dynamodb: { Keys: { pk: { S: ['user'] } }, NewImage: { is_deleted: { BOOL: [true] } } } },
    ]);
  });
});

describe('where open sockets are reached', () => {
  const urlIn = (values: Record<string, unknown>): string => {
    const of = synthesize(values).ofType('AWS::Lambda::Function').find(({ Properties }) => Properties['FunctionName'] === 'Postrider-notify')!;
    return readable((of.Properties['Environment'] as { Variables: Record<string, unknown> }).Variables['WEB_SOCKET_MANAGEMENT_URL']);
  };

  test('is the stage’s own place at API Gateway, whatever name clients use', () => {
    const own = 'https://<WebSocketApi>.execute-api.<AWS::Region>.<AWS::URLSuffix>/jmap';
    expect(urlIn({ domain: 'example.com' })).toBe(own);
    expect(urlIn({ domain: 'example.com', hostedZoneId: 'Z0123456789ABCDEFGHIJ' })).toBe(own);
  });

  test('is what publicUrls says, with the API’s id in it', () => {
    expect(urlIn({ domain: 'example.com', publicUrls: '{"webSocketManagement":"https://gateway.example.net/{apiId}/jmap"}' })).toBe('https://gateway.example.net/<WebSocketApi>/jmap');
  });
});
