import { BatchWriteItemCommand, DynamoDBClient, paginateScan, type AttributeValue } from '@aws-sdk/client-dynamodb';
import { DeleteObjectCommand, ListObjectVersionsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import type { SandboxDescription } from '../../sandbox/state/sandbox-description.ts';

const clientsOf = (sandbox: SandboxDescription) => ({
  dynamodb: new DynamoDBClient(awsClientConfig(sandbox)),
  s3: new S3Client({ ...awsClientConfig(sandbox), forcePathStyle: true }),
});

const allItems = async (dynamodb: DynamoDBClient, TableName: string): Promise<Record<string, AttributeValue>[]> => {
  const items: Record<string, AttributeValue>[] = [];
  for await (const { Items = [] } of paginateScan({ client: dynamodb }, { TableName, ConsistentRead: true })) items.push(...Items);
  return items;
};

/** The items of a table, as a text that is equal for equal tables. */
export const contentOfTable = async (sandbox: SandboxDescription, table: string): Promise<string> =>
  JSON.stringify((await allItems(clientsOf(sandbox).dynamodb, table)).map((item) => JSON.stringify(item)).sort());

/**
 * A script that went wrong: deletes every item and every raw message of an account, as a program of the operator could.
 */
export const deleteAccountItems = async (sandbox: SandboxDescription, table: string, bucket: string, accountId: string): Promise<void> => {
  const { dynamodb, s3 } = clientsOf(sandbox);
  const items = (await allItems(dynamodb, table)).filter(({ pk }) => pk!.S!.startsWith(`${accountId}#`));
  for (let from = 0; from < items.length; from += 25) {
    const requests = items.slice(from, from + 25).map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk: pk!, sk: sk! } } }));
    await dynamodb.send(new BatchWriteItemCommand({ RequestItems: { [table]: requests } }));
  }
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: `messages/${accountId}/` }));
  for (const { Key } of Contents) await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
};

/** Deletes an object with all of its versions, as an erasure does. */
export const eraseObject = async (sandbox: SandboxDescription, bucket: string, key: string): Promise<void> => {
  const { s3 } = clientsOf(sandbox);
  const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket: bucket, Prefix: key }));
  for (const { VersionId } of [...Versions, ...DeleteMarkers]) await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: key, VersionId }));
};
