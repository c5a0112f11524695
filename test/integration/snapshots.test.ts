import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { isSnapshotDue } from '../../core/account-index/snapshot/snapshot-name.ts';
import type { Head } from '../../core/account-log/head.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { accessTokenOf } from './access-tokens.ts';
import { deployed, describeWith } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { jmapClient, type JmapClient } from './jmap-client.ts';
import { kill, processesOf } from './lambda-processes.ts';

describeWith('users', 'processes')('snapshots of an account', () => {
  const dynamodb = new DynamoDBClient(awsClientConfig(deployed));
  const s3 = new S3Client(awsClientConfig(deployed));
  const Bucket = deployed.outputs['mailBucketName'];
  let bob: JmapClient;
  const created: string[] = [];

  beforeAll(async () => {
    bob = await jmapClient(await accessTokenOf('bob'));
  });
  afterAll(async () => {
    for (let from = 0; from < created.length; from += 80) await bob.call(['Mailbox/set', { destroy: created.slice(from, from + 80) }]);
    dynamodb.destroy();
    s3.destroy();
  });

  const readHead = async () => {
    const { Item } = await dynamodb.send(
      new GetItemCommand({ TableName: deployed.outputs['mailTableName'], Key: { pk: { S: `${bob.accountId}#log` }, sk: { S: 'HEAD' } }, ConsistentRead: true }),
    );
    return { sequence: Number(Item!['sequence']!.N), logBytes: Number(Item!['logBytes']!.N), snapshot: Item!['snapshot']?.S };
  };
  /** The key of the snapshot named in the account's head. */
  const namedKey = async (): Promise<string | undefined> => {
    const { snapshot } = await readHead();
    return snapshot && `snapshots/${bob.accountId}/${snapshot}`;
  };
  /** Creates Mailboxes until the log has more than 96 KB. */
  const createMailboxes = async (): Promise<void> => {
    const marker = created.length;
    for (let call = 0; call < 8; call++) {
      const create = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`c${i}`, { name: `Snapshot ${marker}-${call}-${i} ${'x'.repeat(150)}` }]));
      const [result] = await bob.call(['Mailbox/set', { create }]);
      created.push(...Object.values(result!['created'] as Record<string, { id: string }>).map(({ id }) => id));
    }
  };
  const mailboxCount = async (): Promise<number> => {
    const [{ list } = {}] = await bob.call(['Mailbox/get', { ids: null, properties: ['name'] }]);
    return (list as unknown[]).length;
  };

  /** Kills the JMAP Lambda, so that the next one is cold. The emulator fails the first call to the killed process. */
  const expectFromColdLambda = async (count: number): Promise<void> => {
    expect(processesOf(`${deployed.stackName}-jmap`).filter(kill).length).toBeGreaterThan(0);
    await eventually(async () => expect(await mailboxCount()).toBe(count));
  };

  test('appear in the bucket after enough commits, and a cold Lambda reads one; a damaged one is replaced', async () => {
    const before = await mailboxCount();
    const earlier = await namedKey();
    await createMailboxes();
    await eventually(async () => {
      const key = await namedKey();
      expect(key).toBeDefined();
      expect(key).not.toBe(earlier);
      // Until then, the indexer writes another one.
      expect(isSnapshotDue((await readHead()) as Head)).toBe(false);
    });
    const key = await namedKey();
    expect((await s3.send(new HeadObjectCommand({ Bucket, Key: key }))).ContentLength).toBeGreaterThan(1000);

    await expectFromColdLambda(before + created.length);
    expect(await namedKey()).toBe(key);

    // Only a Lambda that reads the snapshot notices this, takes its name from the head, and so has it written again.
    await s3.send(new PutObjectCommand({ Bucket, Key: key, Body: 'damaged' }));
    await expectFromColdLambda(before + created.length);
    await eventually(async () => {
      const repaired = await namedKey();
      expect(repaired).toBeDefined();
      expect(repaired).not.toBe(key);
    });
    await expectFromColdLambda(before + created.length);
  });
});
