import { DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { eventually, getAtt, lambda, noteCode, ref, withEmulator, table } from '../../support/test-emulator.ts';

/**
 * Writes the items of each invocation to the table `Seen`, by HTTP requests to the emulator, and then performs the
 * actions that the items name.
 */
const handler = `${noteCode}
exports.handler = async ({ Records }) => {
  const names = Records.map((record) => record.dynamodb.Keys.pk.S);
  await note({ pk: { S: String(Date.now()) + Math.random() }, items: { S: names.join(' ') } });
  const slow = names.find((name) => name.startsWith('slow'));
  if (slow) {
    await new Promise((resolve) => setTimeout(resolve, 40_000));
    await note({ pk: { S: 'end of ' + slow }, items: { S: 'end of ' + slow } });
  }
  if (names.some((name) => name.startsWith('poison'))) throw new Error('poison');
  const failed = Records.find((record) => record.dynamodb.Keys.pk.S.startsWith('again') && !globalThis[record.eventID]);
  if (failed) globalThis[failed.eventID] = true;
  return { batchItemFailures: failed ? [{ itemIdentifier: failed.dynamodb.SequenceNumber }] : [] };
};`;

const template = {
  Resources: {
    Seen: table(),
    Queue: { Type: 'AWS::SQS::Queue', Properties: {} },
    ...Object.assign(
      {},
      ...['One', 'Other', 'Third', 'Aging'].map((name) => ({
        ...lambda(`${name}Handler`, handler, { Timeout: 60, Environment: { Variables: { SEEN: ref('Seen') } } }),
        [name]: table({ StreamSpecification: { StreamViewType: 'KEYS_ONLY' } }),
        [`${name}Mapping`]: {
          Type: 'AWS::Lambda::EventSourceMapping',
          Properties: {
            EventSourceArn: getAtt(name, 'StreamArn'),
            FunctionName: ref(`${name}Handler`),
            StartingPosition: 'TRIM_HORIZON',
            BatchSize: 10,
            ...(name === 'Aging' ? { MaximumRecordAgeInSeconds: 3 } : { MaximumRetryAttempts: 2 }),
            BisectBatchOnFunctionError: true,
            FunctionResponseTypes: ['ReportBatchItemFailures'],
            DestinationConfig: { OnFailure: { Destination: getAtt('Queue', 'Arn') } },
          },
        },
      })),
    ),
  },
  Outputs: {
    one: { Value: ref('One') },
    other: { Value: ref('Other') },
    third: { Value: ref('Third') },
    aging: { Value: ref('Aging') },
    seen: { Value: ref('Seen') },
    queue: { Value: ref('Queue') },
  },
};

const fixture = withEmulator();
let outputs: Record<string, string>;
let dynamodb: DynamoDBClient;
beforeAll(async () => {
  outputs = await fixture.deploy(template);
  dynamodb = new DynamoDBClient(fixture.clientConfig);
});

const put = async (tableName: string, name: string): Promise<void> => {
  await dynamodb.send(new PutItemCommand({ TableName: outputs[tableName], Item: { pk: { S: name } } }));
};

/** The items of each invocation so far, in order. */
const calls = async (): Promise<string[]> => {
  const { Items } = await dynamodb.send(new ScanCommand({ TableName: outputs['seen'], ConsistentRead: true }));
  return (Items ?? []).sort((one, other) => one['pk']!.S!.localeCompare(other['pk']!.S!)).map((item) => item['items']!.S!);
};

describe('the event source mapping of a table’s stream', () => {
  test('sends a batch that always fails to the on-failure queue after its retries, and reads the next', async () => {
    await put('one', 'poison-1');
    await put('one', 'after-1');
    await eventually(async () => (await calls()).includes('after-1'));
    expect((await calls()).filter((items) => items === 'poison-1').length).toBeGreaterThanOrEqual(1);
    const queue = new SQSClient(fixture.clientConfig);
    const { Messages } = await queue.send(new ReceiveMessageCommand({ QueueUrl: outputs['queue'], WaitTimeSeconds: 5 }));
    expect(JSON.parse(Messages![0]!.Body!)).toMatchObject({ requestContext: { condition: 'RetryAttemptsExhausted' }, DDBStreamBatchInfo: { batchSize: 1 } });
  });

  test('retries from the record that the function reports as failed', async () => {
    await put('third', 'again-1');
    await eventually(async () => (await calls()).filter((items) => items.includes('again-1')).length === 2);
  });

  test('discards a batch without a retry limit when it is too old', async () => {
    await put('aging', 'poison-2');
    await put('aging', 'after-2');
    const queue = new SQSClient(fixture.clientConfig);
    await eventually(async () => (await calls()).includes('after-2'));
    expect(await calls()).toContain('poison-2');
    const { Messages } = await queue.send(
      new ReceiveMessageCommand({ QueueUrl: outputs['queue'], WaitTimeSeconds: 5, VisibilityTimeout: 0, MaxNumberOfMessages: 10 }),
    );
    expect(Messages!.map(({ Body }) => (JSON.parse(Body!) as { requestContext: { condition: string } }).requestContext.condition)).toContain(
      'MaxRecordAgeExceeded',
    );
  });

  test('is not delayed by a slow handler of another stream', async () => {
    await put('one', 'slow-1');
    await eventually(async () => (await calls()).includes('slow-1'));
    await put('other', 'quick-1');
    await eventually(async () => (await calls()).includes('quick-1'));
    expect(await calls()).not.toContain('end of slow-1');
  });

  test('continues after a restart', async () => {
    await fixture.restart();
    await put('third', 'restarted-1');
    await eventually(async () => (await calls()).some((items) => items.includes('restarted-1')), 30_000);
  });
});
