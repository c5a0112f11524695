import { DynamoDBClient, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { accessTokenOf } from './access-tokens.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { jmapClient, openMailbox, type JmapClient, type MailboxEmail } from './jmap-client.ts';
import { sendBySmtp, uniqueSubject } from './send-by-smtp.ts';

describeWith('users', 'smtp', 'emulator')('a destroyed Email', () => {
  const [dynamodb, s3, lambda] = [DynamoDBClient, S3Client, LambdaClient].map((Client) => new Client(awsClientConfig(deployed))) as
    [DynamoDBClient, S3Client, LambdaClient];
  const subject = uniqueSubject('Destroyed');
  let alice: JmapClient;
  let email: MailboxEmail;

  beforeAll(async () => {
    alice = await jmapClient(await accessTokenOf('alice'));
    await sendBySmtp([sandboxUser('alice').email], { subject, text: 'Hello', attachments: [{ filename: 'a.bin', content: randomBytes(5000) }] });
    email = await eventually(async () => {
      const { emails } = await openMailbox(alice, 'inbox', ['subject', 'blobId', 'attachments']);
      const found = emails.find((each) => each.subject === subject);
      expect(found).toBeDefined();
      return found!;
    });
  }, 120_000);
  afterAll(() => { for (const client of [dynamodb, s3, lambda]) client.destroy(); });

  const blobIds = (): string[] => [email['blobId'] as string, (email['attachments'] as { blobId: string }[])[0]!.blobId];
  const statuses = async (): Promise<number[]> => (await Promise.all(blobIds().map((blobId) => alice.download(blobId)))).map(({ status }) => status);
  const objectsWith = async (Prefix: string): Promise<number> =>
    (await s3.send(new ListObjectsV2Command({ Bucket: deployed.outputs['mailBucketName'], Prefix }))).KeyCount ?? 0;
  const messageObject = (): string => `messages/${alice.accountId}/${email.id.slice(1)}`;
  const record = async () => (await dynamodb.send(new GetItemCommand({
    TableName: deployed.outputs['mailTableName'], Key: { pk: { S: `${alice.accountId}#email` }, sk: { S: email.id } }, ConsistentRead: true,
  }))).Item;
  const referenceCount = async (): Promise<number> => (await dynamodb.send(new QueryCommand({
    TableName: deployed.outputs['mailTableName'], KeyConditionExpression: 'pk = :pk', Select: 'COUNT', ConsistentRead: true,
    ExpressionAttributeValues: { ':pk': { S: `${alice.accountId}#ref` } },
  }))).Count ?? 0;

  test('does not download any more, and its removal leaves nothing in bucket and table', async () => {
    expect(await statuses()).toEqual([200, 200]);
    expect(await objectsWith(messageObject())).toBe(1);
    const [result] = await alice.call(['Email/set', { destroy: [email.id] }]);
    expect(result!['destroyed']).toEqual([email.id]);
    expect(await statuses()).toEqual([404, 404]);
    const references = await referenceCount();

    // The queue would pass this message after 15 minutes.
    const body = JSON.stringify({ accountId: alice.accountId, emailIds: [email.id] });
    const event = { Records: [{ messageId: '1', receiptHandle: '1', body, attributes: { ApproximateReceiveCount: '1' } }] };
    const { Payload } = await lambda.send(new InvokeCommand({
      FunctionName: `${deployed.stackName}-mail-cleanup`, Payload: Buffer.from(JSON.stringify(event)),
    }));
    expect(JSON.parse(Buffer.from(Payload!).toString())).toEqual({ batchItemFailures: [] });
    expect(await objectsWith(messageObject())).toBe(0);
    expect(await record()).toEqual({ pk: expect.anything() as unknown, sk: expect.anything() as unknown, v: { N: '1' }, expiresAt: expect.anything() as unknown });
    expect(await referenceCount()).toBeLessThan(references);
  }, 120_000);
});
