import { randomBytes } from 'node:crypto';
import { DynamoDBClient, GetItemCommand, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { accessTokenOf } from './access-tokens.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { invokeLambda } from './invoke-lambda.ts';
import { jmapClient, receivedEmail, type JmapClient, type MailboxEmail } from './jmap-client.ts';
import { sendBySmtp, uniqueSubject } from './send-by-smtp.ts';

describeWith(
  'users',
  'smtp',
  'emulator',
)('a destroyed Email', () => {
  const [dynamodb, s3] = [new DynamoDBClient(awsClientConfig(deployed)), new S3Client(awsClientConfig(deployed))];
  const subject = uniqueSubject('Destroyed');
  let alice: JmapClient;
  let email: MailboxEmail;

  beforeAll(async () => {
    alice = await jmapClient(await accessTokenOf('alice'));
    await sendBySmtp([sandboxUser('alice').email], { subject, text: 'Hello', attachments: [{ filename: 'a.bin', content: randomBytes(5000) }] });
    email = await receivedEmail(alice, 'inbox', subject, ['subject', 'blobId', 'attachments']);
  });
  afterAll(() => {
    for (const client of [dynamodb, s3]) client.destroy();
  });

  const blobIds = (): string[] => [email['blobId'] as string, (email['attachments'] as { blobId: string }[])[0]!.blobId];
  const statuses = async (): Promise<number[]> => (await Promise.all(blobIds().map((blobId) => alice.download(blobId)))).map(({ status }) => status);
  const objectsWith = async (Prefix: string): Promise<number> =>
    (await s3.send(new ListObjectsV2Command({ Bucket: deployed.outputs['mailBucketName'], Prefix }))).KeyCount ?? 0;
  const messageObject = (): string => `messages/${alice.accountId}/${email.id.slice(1)}`;
  const record = async () =>
    (
      await dynamodb.send(
        new GetItemCommand({
          TableName: deployed.outputs['mailTableName'],
          Key: { pk: { S: `${alice.accountId}#email` }, sk: { S: email.id } },
          ConsistentRead: true,
        }),
      )
    ).Item;
  /** Makes the Email's retention end an hour ago, so that the Email can no longer be restored. */
  const endRetention = () =>
    dynamodb.send(
      new UpdateItemCommand({
        TableName: deployed.outputs['mailTableName'],
        Key: { pk: { S: `${alice.accountId}#email` }, sk: { S: email.id } },
        UpdateExpression: 'SET recoverableUntil = :ended',
        ConditionExpression: 'attribute_exists(recoverableUntil)',
        ExpressionAttributeValues: { ':ended': { N: String(Math.floor(Date.now() / 1000) - 3600) } },
      }),
    );
  const referenceCount = async (): Promise<number> =>
    (
      await dynamodb.send(
        new QueryCommand({
          TableName: deployed.outputs['mailTableName'],
          KeyConditionExpression: 'pk = :pk',
          Select: 'COUNT',
          ConsistentRead: true,
          ExpressionAttributeValues: { ':pk': { S: `${alice.accountId}#ref` } },
        }),
      )
    ).Count ?? 0;

  test('does not download any more, and its removal leaves nothing in bucket and table', async () => {
    expect(await statuses()).toEqual([200, 200]);
    expect(await objectsWith(messageObject())).toBe(1);
    const [result] = await alice.call(['Email/set', { destroy: [email.id] }]);
    expect(result!['destroyed']).toEqual([email.id]);
    expect(await statuses()).toEqual([404, 404]);
    const references = await referenceCount();

    await endRetention();
    // The sweep of the next day would put this message into the queue.
    const body = JSON.stringify({ accountId: alice.accountId, emailIds: [email.id] });
    const event = { Records: [{ messageId: '1', receiptHandle: '1', body, attributes: { ApproximateReceiveCount: '1' } }] };
    expect(await invokeLambda('mail-cleanup', event)).toEqual({ batchItemFailures: [] });
    expect(await objectsWith(messageObject())).toBe(0);
    expect(await record()).toEqual({
      pk: expect.anything() as unknown,
      sk: expect.anything() as unknown,
      v: { N: '1' },
      expiresAt: expect.anything() as unknown,
    });
    expect(await referenceCount()).toBeLessThan(references);
  });

  test('the daily runs that find ended retentions have the permissions they need', async () => {
    for (const name of ['mail-cleanup', 'account-removal']) {
      expect({ name, result: await invokeLambda(name, { sweep: true }) }).toEqual({ name, result: { batchItemFailures: [] } });
    }
  });
});
