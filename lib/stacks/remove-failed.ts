import {
  DeleteStackCommand, UpdateTerminationProtectionCommand, paginateDescribeStackEvents, waitUntilStackDeleteComplete,
  type CloudFormationClient,
} from '@aws-sdk/client-cloudformation';
import { DeleteUserPoolCommand, ListUsersCommand, UpdateUserPoolCommand, type CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import {
  DeleteTableCommand, UpdateTableCommand, paginateScan, waitUntilTableExists, waitUntilTableNotExists, type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { DeleteBucketCommand, ListObjectVersionsCommand, type S3Client } from '@aws-sdk/client-s3';
import { dataStackName } from '../../contract/deployment/monitored-resources.ts';
import { secretPartition } from '../../contract/deployment/partitions.ts';
import { findStack } from './find-stack.ts';

export type RemoveFailedDependencies = {
  readonly cloudFormation: CloudFormationClient;
  readonly tables: DynamoDBClient;
  readonly buckets: S3Client;
  readonly pools: CognitoIdentityProviderClient;
  readonly say: (step: string) => void;
};

/** Maximum seconds of one operation of AWS. */
const maxWaitTime = 600;

/** The states of a stack whose creation failed, so that it never had a deployment. */
const failedStates = ['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED'];

/** A kind of resource that a failed deployment leaves: whether one has content, and how it is removed. */
type LeftKind = {
  readonly hasContent: (id: string, dependencies: RemoveFailedDependencies) => Promise<boolean>;
  readonly remove: (id: string, dependencies: RemoveFailedDependencies) => Promise<void>;
};

const tableKind: LeftKind = {
  /** The secrets that each deployment generates are no content. */
  async hasContent(TableName, { tables }) {
    const notSecret = { FilterExpression: 'pk <> :secret', ExpressionAttributeValues: { ':secret': { S: secretPartition } } };
    for await (const { Items = [] } of paginateScan({ client: tables }, { TableName, ...notSecret })) if (Items.length > 0) return true;
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

/** The retained resources that the stack made. Its events name them, also after the stack was rolled back. */
const findLeft = async (stack: string, { cloudFormation: client }: RemoveFailedDependencies): Promise<readonly Left[]> => {
  const left = new Map<string, Left>();
  for await (const { StackEvents = [] } of paginateDescribeStackEvents({ client }, { StackName: stack })) {
    for (const { ResourceType: type = '', PhysicalResourceId: id, ResourceStatus: status } of StackEvents) {
      if (type in leftKinds && id && status === 'CREATE_COMPLETE') left.set(id, { type, id });
    }
  }
  return [...left.values()];
};

/**
 * Removes what a first deployment that failed left: the tables, the bucket and the user pool of its data stack, which are
 * retained and protected, and the stack. It removes nothing unless all of them are empty. A repeated call goes on.
 * @returns whether there was such a stack.
 * @throws Error for a stack that was deployed, and when something has content.
 */
export const removeFailed = async (dependencies: RemoveFailedDependencies, stackName: string): Promise<boolean> => {
  const stack = dataStackName(stackName);
  const found = await findStack(dependencies.cloudFormation, stack);
  if (!found) return false;
  const { StackStatus: status = '' } = found;
  if (!failedStates.includes(status)) throw new Error(`${stack} is ${status}. Only what a first deployment left when it failed is removed.`);
  const left = await findLeft(stack, dependencies);
  for (const each of left) if (await hasContent(each, dependencies)) throw new Error(`${each.id} is not empty, so nothing is removed.`);
  for (const each of left) await remove(each, dependencies);
  const { cloudFormation: client, say } = dependencies;
  say(`${stack}: is removed`);
  await client.send(new UpdateTerminationProtectionCommand({ StackName: stack, EnableTerminationProtection: false }));
  await client.send(new DeleteStackCommand({ StackName: stack }));
  await waitUntilStackDeleteComplete({ client, maxWaitTime }, { StackName: stack });
  return true;
};
