import { readable, refOf, synthesize } from '../stack-under-test.ts';

const { ofType } = synthesize({ domain: 'example.com', lambdaConcurrency: 1_000 });
const notify = ofType('AWS::Lambda::Function').find(({ Properties }) => Properties['FunctionName'] === 'Postrider-notify')!;
const mappings = ofType('AWS::Lambda::EventSourceMapping')
  .filter(({ Properties }) => refOf(Properties['FunctionName']) === notify.id)
  .map(({ Properties }) => Properties);
const sourceOf = (mapping: Record<string, unknown>) => readable(mapping['EventSourceArn']);
const filtersOf = (name: string): unknown[] => {
  const mapping = mappings.find((each) => sourceOf(each) === `<Storage${name}.StreamArn>`)!;
  return (mapping['FilterCriteria'] as { Filters: { Pattern: string }[] }).Filters.map(({ Pattern }) => JSON.parse(Pattern) as unknown);
};

describe('the notify Lambda', () => {
  test('reads both streams, ten batches of the mail table’s shards at once, and retries failed records for as long as a socket may be open', () => {
    expect(mappings.map(sourceOf).sort()).toEqual(['<StorageDirectory.StreamArn>', '<StorageMail.StreamArn>']);
    expect(Object.fromEntries(mappings.map((mapping) => [sourceOf(mapping), mapping['ParallelizationFactor']]))).toEqual({
      '<StorageMail.StreamArn>': 10,
      '<StorageDirectory.StreamArn>': 1,
    });
    for (const mapping of mappings) {
      expect(mapping).toMatchObject({
        StartingPosition: 'TRIM_HORIZON',
        BatchSize: 100,
        BisectBatchOnFunctionError: true,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        MaximumRecordAgeInSeconds: 7200,
      });
      expect(mapping).not.toHaveProperty('MaximumRetryAttempts');
      expect(mapping).not.toHaveProperty('MaximumBatchingWindowInSeconds');
      const { OnFailure: onFailure } = mapping['DestinationConfig'] as { OnFailure: { Destination: unknown } };
      expect(readable(onFailure.Destination)).toBe('<PushFailedNotifications.Arn>');
    }
  });

  test('is invoked for heads of accounts, expired connections, inactive users and revoked tokens only', () => {
    expect(filtersOf('Mail')).toEqual([
      { eventName: ['INSERT', 'MODIFY'], dynamodb: { Keys: { sk: { S: ['HEAD'] } } } },
      { eventName: ['REMOVE'], userIdentity: { principalId: ['dynamodb.amazonaws.com'] }, dynamodb: { Keys: { pk: { S: [{ prefix: 'connection#' }] } } } },
    ]);
    expect(filtersOf('Directory')).toEqual([
      { dynamodb: { Keys: { pk: { S: ['user'] } }, NewImage: { is_active: { BOOL: [false] } } } },
      { dynamodb: { Keys: { pk: { S: ['user'] } }, NewImage: { is_deleted: { BOOL: [true] } } } },
      { dynamodb: { Keys: { pk: { S: ['user'] } }, NewImage: { tokens_revoked_at: { S: [{ exists: true }] } } } },
    ]);
  });
});

describe('the management URL of open sockets', () => {
  const urlIn = (values: Record<string, unknown>): string => {
    const of = synthesize(values)
      .ofType('AWS::Lambda::Function')
      .find(({ Properties }) => Properties['FunctionName'] === 'Postrider-notify')!;
    return readable((of.Properties['Environment'] as { Variables: Record<string, unknown> }).Variables['WEB_SOCKET_MANAGEMENT_URL']);
  };

  test('is the stage’s URL at API Gateway, also with custom domains', () => {
    const own = 'https://<WebSocketApi>.execute-api.<AWS::Region>.<AWS::URLSuffix>/jmap';
    expect(urlIn({ domain: 'example.com' })).toBe(own);
    expect(urlIn({ domain: 'example.com', hostedZoneId: 'Z0123456789ABCDEFGHIJ' })).toBe(own);
  });

  test('is webSocketManagement of publicUrls with the API’s id', () => {
    expect(urlIn({ domain: 'example.com', publicUrls: '{"webSocketManagement":"https://gateway.example.net/{apiId}/jmap"}' })).toBe(
      'https://gateway.example.net/<WebSocketApi>/jmap',
    );
  });
});
