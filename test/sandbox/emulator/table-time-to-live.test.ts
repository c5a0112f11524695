import { DynamoDBClient, GetItemCommand, PutItemCommand, ScanCommand, type AttributeValue } from '@aws-sdk/client-dynamodb';
import { eventually, getAtt, globalTable, lambda, noteCode, ref, withEmulator } from '../../support/test-emulator.ts';

/** Writes each record to the table `Seen`. */
const handler = `${noteCode}
exports.handler = async ({ Records }) => {
  for (const record of Records) await note({ pk: { S: record.dynamodb.Keys.pk.S + ' ' + record.eventName }, record: { S: JSON.stringify(record) } });
};`;

const template = {
  Resources: {
    Seen: globalTable(),
    Passing: globalTable({ StreamSpecification: { StreamViewType: 'NEW_IMAGE' }, TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true } }),
    ...lambda('Handler', handler, { Environment: { Variables: { SEEN: ref('Seen') } } }),
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: getAtt('Passing', 'StreamArn'),
        FunctionName: ref('Handler'),
        StartingPosition: 'TRIM_HORIZON',
        BatchSize: 10,
        FilterCriteria: { Filters: [{ Pattern: JSON.stringify({ eventName: ['REMOVE'] }) }] },
      },
    },
  },
  Outputs: { seen: { Value: ref('Seen') }, passing: { Value: ref('Passing') } },
};

const fixture = withEmulator();
let outputs: Record<string, string>;
let dynamodb: DynamoDBClient;
beforeAll(async () => {
  outputs = await fixture.deploy(template);
  dynamodb = new DynamoDBClient(fixture.clientConfig);
});

const put = async (name: string, expiresAt: AttributeValue): Promise<void> => {
  await dynamodb.send(new PutItemCommand({ TableName: outputs['passing'], Item: { pk: { S: name }, expiresAt } }));
};
const isThere = async (name: string): Promise<boolean> =>
  (await dynamodb.send(new GetItemCommand({ TableName: outputs['passing'], Key: { pk: { S: name } }, ConsistentRead: true }))).Item !== undefined;
const seen = async (): Promise<Record<string, unknown>[]> => {
  const { Items = [] } = await dynamodb.send(new ScanCommand({ TableName: outputs['seen'], ConsistentRead: true }));
  return Items.map((item) => JSON.parse(item['record']!.S!) as Record<string, unknown>);
};
const inSeconds = (seconds: number): AttributeValue => ({ N: String(Math.floor(Date.now() / 1000) + seconds) });

describe('expired items', () => {
  test('are deleted with a REMOVE record of the service; other items are kept', async () => {
    await put('over', inSeconds(-1));
    await put('not yet', inSeconds(3600));
    await put('no time', { S: '1' });
    const records = await eventually(async () => {
      const found = await seen();
      return found.length > 0 && found;
    });
    expect(records).toMatchObject([
      { eventName: 'REMOVE', userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' }, dynamodb: { Keys: { pk: { S: 'over' } } } },
    ]);
    expect(await Promise.all(['over', 'not yet', 'no time'].map(isThere))).toEqual([false, true, true]);
  });
});
