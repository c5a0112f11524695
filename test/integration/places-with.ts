import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { mapConcurrently } from '../../core/runtime/map-concurrently.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { logGroups, logLines } from '../../sandbox/deployment/lambda-logs.ts';
import { deployed } from './deployment.ts';

/** The name of each table, log group and object of the deployment that has one of the texts. */
export const placesWith = async (texts: readonly string[]): Promise<string[]> => {
  const config = awsClientConfig(deployed);
  const [dynamodb, logs, s3] = [new DynamoDBClient(config), new CloudWatchLogsClient(config), new S3Client({ ...config, forcePathStyle: true })];
  const has = (content: string): boolean => texts.some((text) => content.includes(text));
  const places: string[] = [];
  for (const TableName of ['directoryTableName', 'mailTableName', 'sendingTableName'].map((name) => deployed.outputs[name]!)) {
    for await (const { Items } of paginateScan({ client: dynamodb }, { TableName })) if (has(JSON.stringify(Items))) places.push(TableName);
  }
  for (const group of await logGroups(logs)) if (has(JSON.stringify(await logLines(logs, group)))) places.push(group);
  const Bucket = deployed.outputs['mailBucketName']!;
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket })) {
    await mapConcurrently(
      Contents,
      async ({ Key }) => {
        const object = await s3.send(new GetObjectCommand({ Bucket, Key })).catch(() => undefined);
        if (has((await object?.Body?.transformToString('latin1')) ?? '')) places.push(Key!);
      },
      { atOnce: 8 },
    );
  }
  for (const client of [dynamodb, logs, s3]) client.destroy();
  return places;
};
