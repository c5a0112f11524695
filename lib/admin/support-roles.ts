import { ArnFormat, Duration, Lazy, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { ReadWriteType, Trail } from 'aws-cdk-lib/aws-cloudtrail';
import { Rule, CfnRule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { AccountRootPrincipal, ManagedPolicy, Policy, PolicyDocument, PolicyStatement, Role, CfnRole } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { RoleTier } from '../../contract/admin/support.ts';
import { directoryPartitions } from '../../contract/deployment/keys.ts';
import { accessLogGroup, functionLogGroup, nameInStack } from '../../contract/deployment/monitored-resources.ts';
import { maxSessionSeconds, allSessionsDenied, sessionsPolicyName, trustWithoutCases } from '../../contract/deployment/support-roles.ts';
import type { DeploymentContext } from '../deployment-context.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import type { BackgroundConcurrency } from '../lambda/background-concurrency.ts';
import { deploymentName } from '../lambda/deployment-stack.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction, type LambdaEnvironment } from '../lambda/lambda-function.ts';
import { resourceOf } from '../lambda/resource-of.ts';
import { WorkQueue } from '../lambda/work-queue.ts';
import type { ImportedUserPool } from '../sign-in/imported-user-pool.ts';
import { allowItems, each, writeActions } from '../state/allow-items.ts';
import type { Storage } from '../state/imported-storage.ts';
import { apisIn } from './monitoring.ts';

export type SupportRolesProps = {
  /** ARNs of the principals that may assume the roles while a support case allows it. */
  readonly principals: readonly string[];
  /** Whether the deployment has a trail of its own, or relies on one of the AWS account. */
  readonly trail: DeploymentContext['supportTrail'];
  readonly storage: Storage;
  readonly userPool: ImportedUserPool;
  readonly concurrency: BackgroundConcurrency;
  readonly code: LambdaCode;
};

const archiveTimeout = Duration.seconds(28);

/** Maximum characters of a stack's name that CloudFormation keeps when it generates names of resources. */
const longestUncutName = 24;

const tierDescriptions = { DIAG: 'reads logs and metrics', CONFIG_READ: 'reads configuration, never mail and never secrets' } as const satisfies Record<
  RoleTier,
  string
>;

/** The ARNs of each tier: of its role, and of the policy with its rights. */
export type SupportRoleArns = Readonly<Record<RoleTier, { readonly role: string; readonly rights: string }>>;

/** Makes the environment variables about the support roles. */
export const supportEnvironment = (stack: Stack, { DIAG, CONFIG_READ }: SupportRoleArns, principals: readonly string[]): LambdaEnvironment => ({
  supportRoles: stack.toJsonString({ DIAG: DIAG.role, CONFIG_READ: CONFIG_READ.role }),
  supportPrincipals: principals.join(' ') || undefined,
});

/**
 * Allows reading and writing the trust policies of the support roles and their policies of ended sessions, as long as
 * the roles have their boundaries. Also allows looking up events in CloudTrail, an action without resources.
 */
export const grantManageSupportAccess = (support: LambdaFunction, arns: SupportRoleArns): void => {
  const resources = Object.values(arns).map(({ role }) => role);
  allowActions(support, { actions: ['iam:GetRole', 'iam:GetRolePolicy', 'iam:UpdateAssumeRolePolicy'], resources });
  for (const { role, rights } of Object.values(arns)) {
    allowActions(support, { actions: ['iam:PutRolePolicy'], resources: [role], conditions: { StringEquals: { 'iam:PermissionsBoundary': rights } } });
  }
  allowActions(support, { actions: ['cloudtrail:LookupEvents'], resources: ['*'] });
};

/**
 * Creates a role for each tier of support access (docs/specification.md#support). In the template, no principal can
 * assume a role. The support Lambda writes the external ids of open cases into the trust policies, and ended sessions
 * into a policy of each role. The rights of a tier are one managed policy, which is also the permissions boundary of
 * its role: other policies can't add to them. An EventBridge rule and a queue pass the role assumptions from CloudTrail
 * to the archive.
 */
export class SupportRoles extends Construct {
  readonly roles: Readonly<Record<RoleTier, Role>>;
  /** The rights of each tier. */
  private readonly tierPolicies: Readonly<Record<RoleTier, ManagedPolicy>>;
  /** Role assumptions that are not in the archive yet. */
  readonly assumptionQueue: WorkQueue;
  private readonly principals: readonly string[];

  constructor(scope: Construct, id: string, props: SupportRolesProps) {
    super(scope, id);
    const { principals, trail, storage, concurrency, code } = props;
    this.principals = principals;
    this.tierPolicies = { DIAG: this.addTierPolicy('DIAG'), CONFIG_READ: this.addTierPolicy('CONFIG_READ') };
    this.grantRead(props);
    this.roles = { DIAG: this.addRole('DIAG'), CONFIG_READ: this.addRole('CONFIG_READ') };
    this.assumptionQueue = new WorkQueue(this, 'Waiting', { consumerTimeout: archiveTimeout });
    this.assumptionQueue.invokeOrSchedule(this.addArchive(storage, code), concurrency.queues['role-assumptions']);
    this.addAssumptionRule();
    if (principals.length > 0 && trail === 'deployment') this.addTrail();
  }

  /** Environment variables about the roles. */
  get environment(): LambdaEnvironment {
    return supportEnvironment(Stack.of(this), this.arns, this.principals);
  }

  /** The ARNs by which other stacks refer to the roles. */
  get arns(): SupportRoleArns {
    const arnsOf = (tier: RoleTier) => ({ role: this.roles[tier].roleArn, rights: this.tierPolicies[tier].managedPolicyArn });
    return { DIAG: arnsOf('DIAG'), CONFIG_READ: arnsOf('CONFIG_READ') };
  }

  private addTierPolicy(tier: RoleTier): ManagedPolicy {
    // CloudFormation replaces a managed policy when its description changes.
    const description = `What support access ${tier} may do at most: ${tierDescriptions[tier]}`;
    return new ManagedPolicy(this, `${tier}Rights`, { description });
  }

  /** Allows each tier to read its part of the stack. The APIs may be added to the stack later. */
  private grantRead({ storage, userPool }: SupportRolesProps): void {
    const stack = Stack.of(this);
    const allow = (tier: RoleTier, actions: string[], resources: string[]) =>
      this.tierPolicies[tier].addStatements(new PolicyStatement({ actions, resources }));
    // By pattern: the policies are boundaries of roles, of which IAM takes one of 6,144 characters for each role. All
    // names of this deployment begin with its name and a hyphen.
    const deployment = deploymentName(this);
    const names = nameInStack(deployment, '*');
    const arnsOf = (service: string, resource: string) => stack.formatArn({ service, resource, arnFormat: ArnFormat.NO_RESOURCE_NAME });
    const tables = [storage.directoryTable, storage.mailTable, storage.sendingTable];

    const logActions = ['logs:FilterLogEvents', 'logs:GetLogEvents', 'logs:DescribeLogStreams'];
    allow(
      'DIAG',
      logActions,
      [functionLogGroup(names), accessLogGroup(names)].map((group) => arnsOf('logs', `log-group:${group}:*`)),
    );
    // These actions have no resources.
    allow('DIAG', ['cloudwatch:GetMetricData', 'cloudwatch:ListMetrics'], ['*']);

    const stackActions = ['cloudformation:DescribeStacks', 'cloudformation:DescribeStackResources', 'cloudformation:GetTemplate'];
    allow('CONFIG_READ', stackActions, [stack.stackId, arnsOf('cloudformation', `stack/${names}`)]);
    allow('CONFIG_READ', ['lambda:GetFunctionConfiguration'], [arnsOf('lambda', `function:${names}`)]);
    // CloudFormation names the queues, and may cut the name of the stack to fit 80 characters.
    const queueNames = deployment.length > longestUncutName ? `${deployment.slice(0, longestUncutName)}*` : names;
    allow('CONFIG_READ', ['sqs:GetQueueAttributes'], [arnsOf('sqs', queueNames)]);
    allow(
      'CONFIG_READ',
      ['dynamodb:DescribeTable'],
      tables.map(({ tableArn }) => tableArn),
    );
    allow('CONFIG_READ', ['cognito-idp:DescribeUserPool'], [userPool.pool.userPoolArn]);
    const apiArns = () => apisIn(stack).map(({ id }) => `arn:${stack.partition}:apigateway:${stack.region}::/apis/${id}`);
    allow('CONFIG_READ', ['apigateway:GET'], Lazy.list({ produce: apiArns }));
    // This action has no resources.
    allow('CONFIG_READ', ['ses:GetAccount'], ['*']);
  }

  private addRole(tier: RoleTier): Role {
    const role = new Role(this, tier, {
      description: `Support access ${tier}: ${tierDescriptions[tier]}`,
      assumedBy: new AccountRootPrincipal(),
      maxSessionDuration: Duration.seconds(maxSessionSeconds),
      managedPolicies: [this.tierPolicies[tier]],
      permissionsBoundary: this.tierPolicies[tier],
    });
    resourceOf(role, CfnRole).assumeRolePolicyDocument = trustWithoutCases(this.principals);
    // A resource of its own. CloudFormation can delete a role only after its policies, so it must know this one. An
    // update of the role leaves the policy as the support Lambda wrote it.
    const document = PolicyDocument.fromJson(allSessionsDenied);
    new Policy(this, `${tier}Sessions`, { policyName: sessionsPolicyName, document, roles: [role] });
    return role;
  }

  private addArchive(storage: Storage, code: LambdaCode): LambdaFunction {
    const archive = new LambdaFunction(this, 'Archive', {
      code,
      name: 'role-assumptions',
      description: 'Stores role assumptions of support access with their case',
      environment: { directoryTable: storage.directoryTable.tableName, supportRoles: this.environment.supportRoles },
      timeout: archiveTimeout,
    });
    allowItems(archive, storage.directoryTable, writeActions, each(directoryPartitions.supportAssumptions));
    return archive;
  }

  /**
   * CloudTrail treats AssumeRole as a read-only call, and EventBridge passes such calls only to a rule in the state
   * below.
   */
  private addAssumptionRule(): void {
    const rule = new Rule(this, 'Assumed', {
      description: 'A support role was assumed',
      eventPattern: {
        source: ['aws.sts'],
        detailType: ['AWS API Call via CloudTrail'],
        detail: {
          eventSource: ['sts.amazonaws.com'],
          eventName: ['AssumeRole'],
          requestParameters: { roleArn: Object.values(this.roles).map(({ roleArn }) => roleArn) },
        },
      },
      targets: [new SqsQueue(this.assumptionQueue.queue)],
    });
    resourceOf(rule, CfnRule).state = 'ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS';
  }

  /**
   * EventBridge receives calls only if a trail records them. The trail's bucket outlives the stack; its objects expire.
   */
  private addTrail(): void {
    const records = new Bucket(this, 'Records', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      removalPolicy: RemovalPolicy.RETAIN,
      lifecycleRules: [
        { id: 'records-expire', expiration: Duration.days(90) },
        { id: 'abort-multipart', abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    });
    new Trail(this, 'Trail', {
      bucket: records,
      managementEvents: ReadWriteType.ALL,
      isMultiRegionTrail: false,
      includeGlobalServiceEvents: true,
      enableFileValidation: true,
    });
  }
}
