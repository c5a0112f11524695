import { ArnFormat, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { ReadWriteType, Trail } from 'aws-cdk-lib/aws-cloudtrail';
import { Rule, type CfnRule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { AccountRootPrincipal, ManagedPolicy, Policy, PolicyDocument, PolicyStatement, Role, type CfnRole } from 'aws-cdk-lib/aws-iam';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { RoleTier } from '../contract/admin/support.ts';
import { nameInStack } from '../contract/monitored-resources.ts';
import { maxSession, noSessionGoesOn, sessionsPolicyName } from '../contract/support-sessions.ts';
import { trustOfNobody } from '../contract/support-trust.ts';
import type { LambdaCode } from './lambda-entries.ts';
import { LambdaFunction, type LambdaEnvironment } from './lambda-function.ts';
import { apisIn, logGroupsIn, ofKind } from './monitoring.ts';
import type { Storage } from './storage.ts';
import type { UserPool } from './user-pool.ts';
import { WorkQueue } from './work-queue.ts';

export type SupportRolesProps = {
  /** ARNs of those who may assume the roles while a case lets them. */
  readonly principals: readonly string[];
  readonly storage: Storage;
  readonly code: LambdaCode;
};

const archiveTimeout = Duration.seconds(28);
const tiers = { DIAG: 'reads logs and metrics', CONFIG_READ: 'reads configuration, never mail and never secrets' } as const satisfies Record<RoleTier, string>;

/**
 * A role for each tier of support access. The template's trust policies trust nobody; the support Lambda writes the external ids of open cases into
 * them, and into a policy of each role which sessions have ended. What a tier may do is one managed policy, which is its role's boundary too, so that no
 * other policy can ever give more. What CloudTrail tells of their assumptions goes by a rule and a queue into the archive.
 */
export class SupportRoles extends Construct {
  readonly roles: Readonly<Record<RoleTier, Role>>;
  /** What each tier may do, and no more. */
  private readonly rights: Readonly<Record<RoleTier, ManagedPolicy>>;
  /** Assumptions on their way into the archive. */
  readonly waiting: WorkQueue;
  private readonly principals: readonly string[];

  constructor(scope: Construct, id: string, { principals, storage, code }: SupportRolesProps) {
    super(scope, id);
    this.principals = principals;
    this.rights = { DIAG: this.addRights('DIAG'), CONFIG_READ: this.addRights('CONFIG_READ') };
    this.roles = { DIAG: this.addRole('DIAG'), CONFIG_READ: this.addRole('CONFIG_READ') };
    this.waiting = new WorkQueue(this, 'Waiting', { holds: 'an assumption of a support role', consumerTimeout: archiveTimeout });
    this.addArchive(storage, code);
    this.followAssumptions();
    if (principals.length > 0) this.addTrail();
  }

  /** What Lambdas are told of the roles. */
  get environment(): LambdaEnvironment {
    return {
      supportRoles: Stack.of(this).toJsonString({ DIAG: this.roles.DIAG.roleArn, CONFIG_READ: this.roles.CONFIG_READ.roleArn }),
      supportPrincipals: this.principals.join(' ') || undefined,
    };
  }

  /**
   * Reading and writing who may assume exactly these roles and which of their sessions have ended, as long as the roles have their boundaries; and asking
   * CloudTrail, which knows no resource for that.
   */
  grantKeepAccess(support: LambdaFunction): void {
    const resources = Object.values(this.roles).map(({ roleArn }) => roleArn);
    support.addToRolePolicy(new PolicyStatement({ actions: ['iam:GetRole', 'iam:GetRolePolicy', 'iam:UpdateAssumeRolePolicy'], resources }));
    for (const tier of ['DIAG', 'CONFIG_READ'] as const) {
      support.addToRolePolicy(new PolicyStatement({
        actions: ['iam:PutRolePolicy'],
        resources: [this.roles[tier].roleArn],
        conditions: { StringEquals: { 'iam:PermissionsBoundary': this.rights[tier].managedPolicyArn } },
      }));
    }
    support.addToRolePolicy(new PolicyStatement({ actions: ['cloudtrail:LookupEvents'], resources: ['*'] }));
  }

  /** Lets the tiers see everything that was made in the stack so far, each what it is for. */
  letSee(stack: Stack, { storage, userPool }: { readonly storage: Storage; readonly userPool: UserPool }): void {
    const functions = ofKind(stack, LambdaFunction);
    const allow = (tier: RoleTier, actions: string[], resources: string[]) => this.rights[tier].addStatements(new PolicyStatement({ actions, resources }));
    // By name: two of the Lambdas know the roles, which need their boundaries before they can be made.
    const arnOf = ({ shortName }: LambdaFunction) =>
      stack.formatArn({ service: 'lambda', resource: 'function', resourceName: nameInStack(stack.stackName, shortName), arnFormat: ArnFormat.COLON_RESOURCE_NAME });
    allow('DIAG', ['logs:FilterLogEvents', 'logs:GetLogEvents', 'logs:DescribeLogStreams'], logGroupsIn(stack).map(({ logGroupArn }) => logGroupArn));
    // Neither of the actions knows resources.
    allow('DIAG', ['cloudwatch:GetMetricData', 'cloudwatch:ListMetrics'], ['*']);
    allow('CONFIG_READ', ['cloudformation:DescribeStacks', 'cloudformation:DescribeStackResources', 'cloudformation:GetTemplate'], [stack.stackId]);
    allow('CONFIG_READ', ['lambda:GetFunctionConfiguration'], functions.map(arnOf));
    allow('CONFIG_READ', ['sqs:GetQueueAttributes'], ofKind(stack, Queue).map(({ queueArn }) => queueArn));
    allow('CONFIG_READ', ['dynamodb:DescribeTable'], [storage.directoryTable, storage.mailTable, storage.sendingTable].map(({ tableArn }) => tableArn));
    allow('CONFIG_READ', ['cognito-idp:DescribeUserPool'], [userPool.pool.userPoolArn]);
    allow('CONFIG_READ', ['apigateway:GET'], apisIn(stack).map(({ id }) => `arn:${stack.partition}:apigateway:${stack.region}::/apis/${id}`));
    // The action knows no resource.
    allow('CONFIG_READ', ['ses:GetAccount'], ['*']);
  }

  private addRights(tier: RoleTier): ManagedPolicy {
    return new ManagedPolicy(this, `${tier}Rights`, { description: `What support access ${tier} may do at most: ${tiers[tier]}` });
  }

  private addRole(tier: RoleTier): Role {
    const role = new Role(this, tier, {
      description: `Support access ${tier}: ${tiers[tier]}`,
      assumedBy: new AccountRootPrincipal(),
      maxSessionDuration: Duration.seconds(maxSession),
      managedPolicies: [this.rights[tier]],
      permissionsBoundary: this.rights[tier],
    });
    (role.node.defaultChild as CfnRole).assumeRolePolicyDocument = trustOfNobody(this.principals);
    // A resource of its own: CloudFormation, which deletes a role only without policies, knows it then, and a change of the role does not write it anew.
    new Policy(this, `${tier}Sessions`, { policyName: sessionsPolicyName, document: PolicyDocument.fromJson(noSessionGoesOn), roles: [role] });
    return role;
  }

  private addArchive(storage: Storage, code: LambdaCode): void {
    const archive = new LambdaFunction(this, 'Archive', {
      code,
      name: 'role-assumptions',
      description: 'Keeps who assumed a support role, with the case',
      environment: { directoryTable: storage.directoryTable.tableName, supportRoles: this.environment.supportRoles },
      timeout: archiveTimeout,
    });
    storage.grantKeepDirectory(archive, 'support-assumption#*');
    archive.addEventSource(new SqsEventSource(this.waiting.queue, { batchSize: 10, reportBatchItemFailures: true }));
  }

  /** CloudTrail counts AssumeRole among the calls that only read, which a rule gets in this state only. */
  private followAssumptions(): void {
    const rule = new Rule(this, 'Assumed', {
      description: 'Somebody assumed a support role',
      eventPattern: {
        source: ['aws.sts'],
        detailType: ['AWS API Call via CloudTrail'],
        detail: { eventSource: ['sts.amazonaws.com'], eventName: ['AssumeRole'], requestParameters: { roleArn: Object.values(this.roles).map(({ roleArn }) => roleArn) } },
      },
      targets: [new SqsQueue(this.waiting.queue)],
    });
    (rule.node.defaultChild as CfnRule).state = 'ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS';
  }

  /** EventBridge hears of calls only where a trail records them. Its bucket stays when the stack goes, and empties itself. */
  private addTrail(): void {
    const records = new Bucket(this, 'Records', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      removalPolicy: RemovalPolicy.RETAIN,
      lifecycleRules: [{ id: 'records-expire', expiration: Duration.days(90) }, { id: 'abort-multipart', abortIncompleteMultipartUploadAfter: Duration.days(1) }],
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
