import { createHash } from 'node:crypto';
import {
  CreateChangeSetCommand, ExecuteChangeSetCommand, GetTemplateCommand, UpdateStackCommand, paginateListStackResources,
  waitUntilChangeSetCreateComplete, waitUntilStackImportComplete, waitUntilStackUpdateComplete, type CloudFormationClient, type Stack,
} from '@aws-sdk/client-cloudformation';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { dataStackName } from '../../contract/deployment/monitored-resources.ts';
import { findStack } from './find-stack.ts';
import { isRetainingData, leavingResources, pendingImport, retainingData, withoutData, type StackTemplate } from './moved-data.ts';

export type MoveDataDependencies = {
  readonly cloudFormation: CloudFormationClient;
  readonly s3: Pick<S3Client, 'send'>;
  /** The bucket of `cdk bootstrap`, from which CloudFormation reads templates. */
  readonly assetsBucket: string;
  readonly region: string;
  readonly say: (step: string) => void;
};

/** Maximum seconds of one operation of CloudFormation. */
const maxWaitTime = 1_800;

/** All capabilities that CloudFormation requires the caller to acknowledge. */
const capabilities = ['CAPABILITY_IAM' as const, 'CAPABILITY_NAMED_IAM' as const];

const templateOf = async ({ cloudFormation }: MoveDataDependencies, name: string): Promise<StackTemplate> => {
  const { TemplateBody = '{}' } = await cloudFormation.send(new GetTemplateCommand({ StackName: name, TemplateStage: 'Original' }));
  return JSON.parse(TemplateBody) as StackTemplate;
};

const physicalIdsOf = async ({ cloudFormation }: MoveDataDependencies, name: string): Promise<Record<string, string>> => {
  const ids: Record<string, string> = {};
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client: cloudFormation }, { StackName: name })) {
    for (const { LogicalResourceId, PhysicalResourceId } of StackResourceSummaries) ids[LogicalResourceId!] = PhysicalResourceId ?? '';
  }
  return ids;
};

/** Stores a template in the bucket, because a template in a request has at most 51,200 octets. */
const upload = async ({ s3, assetsBucket, region }: MoveDataDependencies, template: StackTemplate): Promise<string> => {
  const body = JSON.stringify(template);
  const key = `postrider/${createHash('sha256').update(body).digest('hex')}.json`;
  await s3.send(new PutObjectCommand({ Bucket: assetsBucket, Key: key, Body: body, ContentType: 'application/json' }));
  return `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/${assetsBucket}/${key}`;
};

const update = async (dependencies: MoveDataDependencies, stack: Stack, template: StackTemplate): Promise<void> => {
  const { cloudFormation } = dependencies;
  await cloudFormation.send(new UpdateStackCommand({
    StackName: stack.StackName,
    TemplateURL: await upload(dependencies, template),
    Capabilities: capabilities,
    Parameters: (stack.Parameters ?? []).map(({ ParameterKey }) => ({ ParameterKey, UsePreviousValue: true })),
    Tags: stack.Tags,
  }));
  await waitUntilStackUpdateComplete({ client: cloudFormation, maxWaitTime, minDelay: 1, maxDelay: 10 }, { StackName: stack.StackName });
};

const importData = async (dependencies: MoveDataDependencies, from: Stack, template: StackTemplate): Promise<void> => {
  const { cloudFormation } = dependencies;
  const pending = pendingImport(template)!;
  const [StackName, ChangeSetName] = [dataStackName(from.StackName!), `import-${Date.now()}`];
  await cloudFormation.send(new CreateChangeSetCommand({
    StackName,
    ChangeSetName,
    ChangeSetType: 'IMPORT',
    TemplateURL: await upload(dependencies, pending.template),
    ResourcesToImport: [...pending.resources],
    Capabilities: capabilities,
    RoleARN: from.RoleARN,
    Tags: from.Tags,
  }));
  const wait = { client: cloudFormation, maxWaitTime, minDelay: 1, maxDelay: 10 };
  await waitUntilChangeSetCreateComplete(wait, { StackName, ChangeSetName });
  await cloudFormation.send(new ExecuteChangeSetCommand({ StackName, ChangeSetName }));
  await waitUntilStackImportComplete(wait, { StackName });
};

/**
 * Moves the data of a deployment with one stack, as release 0.1.0 created it, into its data stack. No resource changes:
 * the old stack is told to retain the resources, then drops them from its template, and the data stack imports them.
 * The services continue to run. A repeated call continues an interrupted move, and does nothing once the data stack
 * exists.
 * @returns whether data was moved.
 */
export const moveData = async (dependencies: MoveDataDependencies, stackName: string): Promise<boolean> => {
  const dataStack = await findStack(dependencies.cloudFormation, dataStackName(stackName));
  if (dataStack && !['REVIEW_IN_PROGRESS', 'ROLLBACK_COMPLETE'].includes(dataStack.StackStatus!)) return false;
  const describe = async (): Promise<Stack> => (await findStack(dependencies.cloudFormation, stackName))!;
  if (!await findStack(dependencies.cloudFormation, stackName)) return false;
  let template = await templateOf(dependencies, stackName);
  if (!pendingImport(template)) {
    if (leavingResources(template).length === 0) return false;
    const outputs = async () => Object.fromEntries(((await describe()).Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey!, OutputValue!]));
    if (!isRetainingData(await outputs())) {
      dependencies.say(`${stackName}: its data are to be retained`);
      await update(dependencies, await describe(), retainingData(template));
      template = await templateOf(dependencies, stackName);
    }
    dependencies.say(`${stackName}: its data leave it`);
    await update(dependencies, await describe(), withoutData(template, await outputs(), await physicalIdsOf(dependencies, stackName)));
    template = await templateOf(dependencies, stackName);
  }
  dependencies.say(`${dataStackName(stackName)}: imports the data`);
  await importData(dependencies, await describe(), template);
  return true;
};
