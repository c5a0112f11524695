import {
  DeleteStackCommand,
  UpdateTerminationProtectionCommand,
  paginateDescribeStackEvents,
  paginateListStackResources,
  waitUntilStackDeleteComplete,
  type CloudFormationClient,
  type StackEvent,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import {
  DeleteUserPoolCommand,
  DeleteUserPoolDomainCommand,
  DescribeUserPoolCommand,
  UpdateUserPoolCommand,
  type CognitoIdentityProviderClient,
} from '@aws-sdk/client-cognito-identity-provider';
import { DeleteTableCommand, UpdateTableCommand, waitUntilTableExists, waitUntilTableNotExists, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import { adminStackName, dataStackName } from '../../contract/deployment/monitored-resources.ts';
import { nameOf } from '../../contract/values/thrown.ts';
import { findStack, isCreationFailed } from './find-stack.ts';
import { contentOfBucket, contentOfPool, contentOfTable, removeSetupObjects } from './left-content.ts';

export type RemoveFailedDependencies = {
  readonly cloudFormation: CloudFormationClient;
  readonly tables: DynamoDBClient;
  readonly buckets: S3Client;
  readonly pools: CognitoIdentityProviderClient;
  readonly say: (step: string) => void;
};

/** Maximum seconds of one operation of AWS. */
const maxWaitTime = 600;

/** A kind of resource that a failed deployment leaves. */
type LeftKind = {
  readonly name: string;
  /** Names the content that the deployment did not write by itself. Undefined without such content. */
  readonly content: (id: string, dependencies: RemoveFailedDependencies) => Promise<string | undefined>;
  readonly remove: (id: string, dependencies: RemoveFailedDependencies) => Promise<void>;
};

const leftKinds: { readonly [type: string]: LeftKind } = {
  'AWS::DynamoDB::GlobalTable': {
    name: 'table',
    content: (table, { tables }) => contentOfTable(tables, table),
    async remove(TableName, { tables: client }) {
      await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
      await waitUntilTableExists({ client, maxWaitTime }, { TableName });
      await client.send(new DeleteTableCommand({ TableName }));
      await waitUntilTableNotExists({ client, maxWaitTime }, { TableName });
    },
  },
  'AWS::S3::Bucket': {
    name: 'bucket',
    content: (bucket, { buckets }) => contentOfBucket(buckets, bucket),
    async remove(Bucket, { buckets }) {
      await removeSetupObjects(buckets, Bucket);
      await buckets.send(new DeleteBucketCommand({ Bucket }));
    },
  },
  'AWS::Cognito::UserPool': {
    name: 'user pool',
    content: (pool, { pools }) => contentOfPool(pools, pool),
    async remove(UserPoolId, { pools }) {
      const { UserPool: pool = {} } = await pools.send(new DescribeUserPoolCommand({ UserPoolId }));
      if (pool.Domain !== undefined) await pools.send(new DeleteUserPoolDomainCommand({ Domain: pool.Domain, UserPoolId }));
      // A setting that is left out gets its default. Cognito refuses that of a setting which others depend on.
      const { AutoVerifiedAttributes, UserAttributeUpdateSettings } = pool;
      await pools.send(new UpdateUserPoolCommand({ UserPoolId, AutoVerifiedAttributes, UserAttributeUpdateSettings, DeletionProtection: 'INACTIVE' }));
      await pools.send(new DeleteUserPoolCommand({ UserPoolId }));
    },
  },
};

type Left = { readonly type: string; readonly id: string };

const isMissing = (error: unknown): boolean => /NotFound|NoSuchBucket/.test(String(nameOf(error)));

/** Names the content of each resource. One without content, or that an earlier call removed, is left out. */
const contentsOf = async (left: readonly Left[], dependencies: RemoveFailedDependencies): Promise<readonly string[]> => {
  const contents = await Promise.all(
    left.map(async ({ type, id }) => {
      const { name, content } = leftKinds[type]!;
      const found = await content(id, dependencies).catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
      return found === undefined ? [] : [`the ${name} ${id} has ${found}`];
    }),
  );
  return contents.flat();
};

/** @throws Error that names each resource that has content. */
const requireEmpty = async (left: readonly Left[], dependencies: RemoveFailedDependencies, removed: string): Promise<void> => {
  const contents = await contentsOf(left, dependencies);
  if (contents.length > 0) throw new Error(`${removed}, because somebody uses it: ${contents.join('; ')}.`);
};

const remove = async ({ type, id }: Left, dependencies: RemoveFailedDependencies): Promise<void> => {
  dependencies.say(`${id}: is removed`);
  await leftKinds[type]!.remove(id, dependencies).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
};

/**
 * The retained resources of the stack. Its events name them after it was rolled back, for 90 days; a stack that was made
 * lists them as long as it exists.
 */
const findLeft = async (stack: string, { cloudFormation: client }: RemoveFailedDependencies): Promise<readonly Left[]> => {
  const left = new Map<string, Left>();
  const note = ({ ResourceType: type = '', PhysicalResourceId: id }: StackEvent | StackResourceSummary): void => {
    if (type in leftKinds && id) left.set(id, { type, id });
  };
  for await (const { StackEvents = [] } of paginateDescribeStackEvents({ client }, { StackName: stack })) {
    StackEvents.filter(({ ResourceStatus: status }) => status === 'CREATE_COMPLETE').forEach(note);
  }
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName: stack })) {
    StackResourceSummaries.forEach(note);
  }
  return [...left.values()];
};

const deleteStack = async (StackName: string, { cloudFormation: client, say }: RemoveFailedDependencies): Promise<void> => {
  say(`${StackName}: is removed`);
  await client.send(new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: false }));
  await client.send(new DeleteStackCommand({ StackName }));
  await waitUntilStackDeleteComplete({ client, maxWaitTime }, { StackName });
};

/**
 * Removes what a first deployment that failed left, in whichever of its stacks: the stacks, and the tables, the buckets and
 * the user pool, which are retained and protected. It removes nothing unless those of the data stack are empty. A bucket of the
 * services, in which CloudTrail puts records of the AWS account, stays if it has some. A repeated call goes on.
 * @returns the resources that stay, with their content; undefined if there was no such deployment.
 * @throws Error for a deployment that was completed, and when something has content.
 */
export const removeFailed = async (dependencies: RemoveFailedDependencies, stackName: string): Promise<readonly string[] | undefined> => {
  // In the order of a deployment.
  const [data, services, admin] = [dataStackName(stackName), stackName, adminStackName(stackName)];
  const find = (name: string) => findStack(dependencies.cloudFormation, name);
  if (!(await find(data))) return undefined;
  const last = await find(admin);
  if (last && !isCreationFailed(last.StackStatus)) {
    throw new Error(`${admin} is ${last.StackStatus}. Only what a first deployment left when it failed is removed.`);
  }
  const left = await findLeft(data, dependencies);
  await requireEmpty(left, dependencies, 'Nothing is removed');
  const records = (await find(services)) ? await findLeft(services, dependencies) : [];
  for (const name of [admin, services]) if (await find(name)) await deleteStack(name, dependencies);
  // Until then, the services could accept a person or a message.
  await requireEmpty(left, dependencies, 'The data stays');
  const kept: string[] = [];
  for (const each of records) {
    const contents = await contentsOf([each], dependencies);
    if (contents.length === 0) await remove(each, dependencies);
    kept.push(...contents);
  }
  for (const each of left) await remove(each, dependencies);
  await deleteStack(data, dependencies);
  return kept;
};
