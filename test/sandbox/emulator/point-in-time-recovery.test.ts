import { setTimeout as delay } from 'node:timers/promises';
import {
  DeleteItemCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ListTagsOfResourceCommand,
  PutItemCommand,
  RestoreTableToPointInTimeCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateContinuousBackupsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { eventually, globalTable, ref, withEmulator } from '../../support/test-emulator.ts';

const template = {
  Resources: {
    Recoverable: globalTable({
      Replicas: [{ Region: ref('AWS::Region'), PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true }, Tags: [{ Key: 'a', Value: 'b' }] }],
      StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    }),
    Plain: globalTable(),
  },
  Outputs: { recoverable: { Value: ref('Recoverable') }, plain: { Value: ref('Plain') } },
};

const fixture = withEmulator();
let source: string;
let plain: string;
let dynamodb: DynamoDBClient;
beforeAll(async () => {
  ({ recoverable: source, plain } = (await fixture.deploy(template)) as { recoverable: string; plain: string });
  dynamodb = new DynamoDBClient(fixture.clientConfig);
});

const put = (name: string, value: string) => ({ TableName: source, Item: { pk: { S: name }, value: { S: value } } });
const content = async (TableName: string): Promise<Record<string, string | undefined>> => {
  const { Items = [] } = await dynamodb.send(new ScanCommand({ TableName, ConsistentRead: true }));
  return Object.fromEntries(Items.map((item) => [item['pk']!.S!, item['value']?.S]));
};
const statusOf = async (TableName: string) => (await dynamodb.send(new DescribeTableCommand({ TableName }))).Table!;
const restore = (SourceTableName: string, TargetTableName: string, RestoreDateTime: Date) =>
  dynamodb.send(new RestoreTableToPointInTimeCommand({ SourceTableName, TargetTableName, RestoreDateTime }));

describe('a table with point-in-time recovery', () => {
  test('is restored to each of several times, into new tables that have none of its settings', async () => {
    const times: Date[] = [];
    const note = async (): Promise<void> => {
      await delay(20);
      times.push(new Date());
      await delay(20);
    };
    await dynamodb.send(new PutItemCommand(put('first', 'one')));
    await dynamodb.send(new PutItemCommand(put('second', 'one')));
    await note();
    await dynamodb.send(
      new UpdateItemCommand({
        TableName: source,
        Key: { pk: { S: 'first' } },
        UpdateExpression: 'SET #v = :v',
        ExpressionAttributeNames: { '#v': 'value' },
        ExpressionAttributeValues: { ':v': { S: 'two' } },
      }),
    );
    await dynamodb.send(new DeleteItemCommand({ TableName: source, Key: { pk: { S: 'second' } } }));
    await note();
    await dynamodb.send(new TransactWriteItemsCommand({ TransactItems: [{ Put: put('first', 'three') }, { Put: put('third', 'three') }] }));

    await restore(source, 'At-first', times[0]!);
    expect((await statusOf('At-first')).TableStatus).toBe('CREATING');
    await restore(source, 'At-second', times[1]!);
    const restored = await eventually(async () => {
      const table = await statusOf('At-first');
      return table.TableStatus === 'ACTIVE' && table;
    });
    expect(await content('At-first')).toEqual({ first: 'one', second: 'one' });
    expect(await content('At-second')).toEqual({ first: 'two' });
    expect(await content(source)).toEqual({ first: 'three', third: 'three' });

    expect(restored.LatestStreamArn).toBeUndefined();
    const { TimeToLiveDescription } = await dynamodb.send(new DescribeTimeToLiveCommand({ TableName: 'At-first' }));
    expect(TimeToLiveDescription?.TimeToLiveStatus).toBe('DISABLED');
    expect((await dynamodb.send(new ListTagsOfResourceCommand({ ResourceArn: restored.TableArn! }))).Tags ?? []).toEqual([]);
    const { ContinuousBackupsDescription } = await dynamodb.send(new DescribeContinuousBackupsCommand({ TableName: 'At-first' }));
    expect(ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus).toBe('DISABLED');
  });

  test('has a window, outside of which a restore is refused', async () => {
    const { ContinuousBackupsDescription } = await dynamodb.send(new DescribeContinuousBackupsCommand({ TableName: source }));
    const { EarliestRestorableDateTime, LatestRestorableDateTime } = ContinuousBackupsDescription!.PointInTimeRecoveryDescription!;
    expect(EarliestRestorableDateTime!.getTime()).toBeLessThan(LatestRestorableDateTime!.getTime());
    for (const outside of [-3_600_000, 3_600_000]) {
      await expect(restore(source, 'Outside', new Date(Date.now() + outside))).rejects.toMatchObject({ name: 'InvalidRestoreTimeException' });
    }
    await expect(restore(source, 'At-first', new Date())).rejects.toMatchObject({ name: 'TableAlreadyExistsException' });
  });
});

test('a table without point-in-time recovery can be restored only after it was enabled', async () => {
  await expect(restore(plain, 'Refused', new Date())).rejects.toMatchObject({ name: 'PointInTimeRecoveryUnavailableException' });
  await dynamodb.send(new UpdateContinuousBackupsCommand({ TableName: plain, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }));
  await restore(plain, 'Accepted', new Date());
  expect((await statusOf('Accepted')).TableStatus).toBe('CREATING');
});
