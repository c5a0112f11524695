import {
  DeleteStackCommand, UpdateTerminationProtectionCommand, paginateDescribeStackEvents, paginateListStackResources, waitUntilStackDeleteComplete,
  type CloudFormationClient, type StackEvent, type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import {
  DeleteUserPoolCommand, DeleteUserPoolDomainCommand, DescribeUserPoolCommand, ListUsersCommand, UpdateUserPoolCommand, type CognitoIdentityProviderClient,
} from '@aws-sdk/client-cognito-identity-provider';
import {
  DeleteTableCommand, UpdateTableCommand, paginateScan, waitUntilTableExists, waitUntilTableNotExists, type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { DeleteBucketCommand, ListObjectVersionsCommand, type S3Client } from '@aws-sdk/client-s3';
import { adminStackName, dataStackName } from '../../contract/deployment/monitored-resources.ts';
import { directoryPartitions, secretPartition } from '../../contract/deployment/partitions.ts';
import { findStack, isCreationFailed } from './find-stack.ts';

export type RemoveFailedDependencies = {
  readonly cloudFormation: CloudFormationClient;
  readonly tables: DynamoDBClient;
  readonly buckets: S3Client;
  readonly pools: CognitoIdentityProviderClient;
  readonly say: (step: string) => void;
};

/** Maximum seconds of one operation of AWS. */
const maxWaitTime = 600;

/** A kind of resource that a failed deployment leaves: whether one has content, and how it is removed. */
type LeftKind = {
  readonly hasContent: (id: string, dependencies: RemoveFailedDependencies) => Promise<boolean>;
  readonly remove: (id: string, dependencies: RemoveFailedDependencies) => Promise<void>;
};

const tableKind: LeftKind = {
  /** The secrets that each deployment generates, and the record of its app clients, are no content. */
  async hasContent(TableName, { tables }) {
    const others = {
      FilterExpression: 'NOT (pk IN (:secret, :clients))',
      ExpressionAttributeValues: { ':secret': { S: secretPartition }, ':clients': { S: directoryPartitions.deployedClients } },
    };
    for await (const { Items = [] } of paginateScan({ client: tables }, { TableName, ...others })) if (Items.length > 0) return true;
    return false;
  },
  async remove(TableName, { tables: client }) {
    await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
    await waitUntilTableExists({ client, maxWaitTime }, { TableName });
    await client.send(new DeleteTableCommand({ TableName }));
    await waitUntilTableNotExists({ client, maxWaitTime }, { TableName });
  },
};

const leftKinds: { readonly [type: string]: LeftKind } = {
  'AWS::DynamoDB::GlobalTable': tableKind,
  'AWS::S3::Bucket': {
    async hasContent(Bucket, { buckets }) {
      const { Versions = [], DeleteMarkers = [] } = await buckets.send(new ListObjectVersionsCommand({ Bucket, MaxKeys: 1 }));
      return Versions.length + DeleteMarkers.length > 0;
    },
    remove: async (Bucket, { buckets }) => void await buckets.send(new DeleteBucketCommand({ Bucket })),
  },
  'AWS::Cognito::UserPool': {
    hasContent: async (UserPoolId, { pools }) => ((await pools.send(new ListUsersCommand({ UserPoolId, Limit: 1 }))).Users ?? []).length > 0,
    async remove(UserPoolId, { pools }) {
      const { Domain } = (await pools.send(new DescribeUserPoolCommand({ UserPoolId }))).UserPool ?? {};
      if (Domain !== undefined) await pools.send(new DeleteUserPoolDomainCommand({ Domain, UserPoolId }));
      await pools.send(new UpdateUserPoolCommand({ UserPoolId, DeletionProtection: 'INACTIVE' }));
      await pools.send(new DeleteUserPoolCommand({ UserPoolId }));
    },
  },
};

type Left = { readonly type: string; readonly id: string };

const isMissing = (error: unknown): boolean => /NotFound|NoSuchBucket/.test((error as Error).name);

/** Whether a resource has content. One that an earlier call removed has none. */
const hasContent = ({ type, id }: Left, dependencies: RemoveFailedDependencies): Promise<boolean> =>
  leftKinds[type]!.hasContent(id, dependencies).catch((error: unknown) => {
    if (isMissing(error)) return false;
    throw error;
  });

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
 * Removes what a first deployment that failed left, in whichever of its stacks: the stacks, and the tables, the bucket and
 * the user pool, which are retained and protected. It removes nothing unless all of these are empty. A repeated call goes
 * on.
 * @returns whether there was such a deployment.
 * @throws Error for a deployment that was completed, and when something has content.
 */
export const removeFailed = async (dependencies: RemoveFailedDependencies, stackName: string): Promise<boolean> => {
  // In the order of a deployment.
  const [data, services, admin] = [dataStackName(stackName), stackName, adminStackName(stackName)];
  const find = (name: string) => findStack(dependencies.cloudFormation, name);
  if (!await find(data)) return false;
  const last = await find(admin);
  if (last && !isCreationFailed(last.StackStatus)) {
    throw new Error(`${admin} is ${last.StackStatus}. Only what a first deployment left when it failed is removed.`);
  }
  const left = await findLeft(data, dependencies);
  for (const each of left) if (await hasContent(each, dependencies)) throw new Error(`${each.id} is not empty, so nothing is removed.`);
  for (const name of [admin, services]) if (await find(name)) await deleteStack(name, dependencies);
  for (const each of left) await remove(each, dependencies);
  await deleteStack(data, dependencies);
  return true;
};
