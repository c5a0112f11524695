import { ListUsersCommand, type CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { paginateScan, type AttributeValue, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteObjectCommand, ListObjectVersionsCommand, type ListObjectVersionsCommandOutput, type ObjectVersion, type S3Client } from '@aws-sdk/client-s3';
import { directoryPartitions as directory, secretPartition, sendingPartitions } from '../../contract/deployment/keys.ts';
import { setupObject } from '../../contract/deployment/receipt-rule-set.ts';

/**
 * Partitions that a deployment writes before anybody uses it: its secrets and app clients, what the watch finds, and app
 * clients that registered themselves.
 */
const ownPartitions: ReadonlySet<string> = new Set([
  secretPartition,
  directory.deployedClients,
  directory.watch,
  directory.problems,
  directory.suspectedProblems,
  directory.problemChanges,
  directory.setup,
  directory.clientRegistrations,
  directory.clientRegistrationCap,
  directory.registeredClients,
  sendingPartitions.provider,
]);

/** The audit log of a deployment without users has only what its Lambdas did. */
const auditPrefix = directory.audit('');

/** The names of partitions in messages. Other partitions are named by their keys. */
const contentNames: Readonly<Record<string, string>> = {
  [directory.users]: 'users',
  [directory.accounts]: 'accounts',
  [directory.domains]: 'domains',
  [directory.addresses]: 'addresses',
};

type StoredItem = Readonly<Record<string, AttributeValue>>;

/** Whether a person or an admin put the item there. A name that is only reserved belongs to nothing yet. */
const isContent = ({ pk, state }: StoredItem): boolean => {
  const partition = pk?.S ?? '';
  return !ownPartitions.has(partition) && !partition.startsWith(auditPrefix) && !(partition === directory.userEmails && state?.S === 'creating');
};

/** The kinds of items in a table that the deployment did not write by itself: `users, domains`. Undefined without any. It stops at the first page with such items. */
export const contentOfTable = async (client: DynamoDBClient, TableName: string): Promise<string | undefined> => {
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
    const partitions = new Set(Items.filter(isContent).map(({ pk }) => pk?.S ?? ''));
    if (partitions.size === 0) continue;
    const named = Object.keys(contentNames)
      .filter((partition) => partitions.has(partition))
      .map((partition) => contentNames[partition]);
    return (named.length > 0 ? named : [...partitions].slice(0, 3).map((partition) => `items of ${partition}`)).join(', ');
  }
  return undefined;
};

/** Whether the object is the one by which SES tests that it may write. */
const isSetupObject = ({ Key: key = '' }: ObjectVersion): boolean => key.endsWith(`/${setupObject}`);

/** All versions of the objects in a bucket, also of deleted ones, page by page. */
async function* versionsIn(client: S3Client, Bucket: string): AsyncGenerator<readonly ObjectVersion[]> {
  let page: ListObjectVersionsCommandOutput | undefined;
  do {
    const { NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page ?? {};
    page = await client.send(new ListObjectVersionsCommand({ Bucket, KeyMarker, VersionIdMarker }));
    yield [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])];
  } while (page.IsTruncated);
}

/** An object in the bucket that SES did not put there for a test: `the object messages/…`. */
export const contentOfBucket = async (client: S3Client, bucket: string): Promise<string | undefined> => {
  for await (const versions of versionsIn(client, bucket)) {
    const found = versions.find((version) => !isSetupObject(version));
    if (found) return `the object ${found.Key}`;
  }
  return undefined;
};

/** Deletes SES's test objects, which are in the way of the bucket's deletion. */
export const removeSetupObjects = async (client: S3Client, Bucket: string): Promise<void> => {
  for await (const versions of versionsIn(client, Bucket)) {
    for (const { Key, VersionId } of versions.filter(isSetupObject)) await client.send(new DeleteObjectCommand({ Bucket, Key, VersionId }));
  }
};

/** Whether a user pool has users: `users`. */
export const contentOfPool = async (client: CognitoIdentityProviderClient, UserPoolId: string): Promise<string | undefined> =>
  ((await client.send(new ListUsersCommand({ UserPoolId, Limit: 1 }))).Users ?? []).length > 0 ? 'users' : undefined;
