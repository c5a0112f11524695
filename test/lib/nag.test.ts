import { AwsSolutionsChecks } from 'cdk-nag';
import { everything } from './stack-under-test.ts';
import { stacksFor } from './stacks-for.ts';

/** Exceptions to the rules, each with its resources and its reason. A finding at any other resource fails the test. */
const acknowledged: readonly { readonly rule: RegExp; readonly where: RegExp; readonly reason: string }[] = [
  {
    rule: /^AwsSolutions-APIG(1|6)$/,
    where: /^Postrider\/JmapApi\/Blobs\/(Api\/DeploymentStage\.upload|Download)\/Resource$/,
    reason: 'logs of a REST API need a role for the whole AWS account; the Lambdas log failures',
  },
  {
    rule: /^AwsSolutions-APIG2$/,
    where: /^Postrider\/JmapApi\/Blobs\/Api\/Resource$/,
    reason: 'every body is valid: an upload is any file, and a download has none',
  },
  {
    rule: /^AwsSolutions-APIG3$/,
    where: /^Postrider\/JmapApi\/Blobs\/(Api\/DeploymentStage\.upload|Download)\/Resource$/,
    reason: 'a web ACL costs 5 USD a month; the other APIs, which are HTTP APIs, can have none',
  },
  {
    rule: /^AwsSolutions-(APIG4|COG4)$/,
    where: /^Postrider\/JmapApi\/Blobs\/Api\/Default\/(\{accountId\}\/)?ANY\/Resource$/,
    reason: 'the Lambda checks tokens itself, because the bodies of 401 and 403 are part of the interface',
  },
  {
    rule: /^AwsSolutions-S1$/,
    where: /^Postrider-data\/Storage\/Bucket\/Resource$/,
    reason: 'an access log would need a second bucket, and the Lambdas, which alone use the bucket, log their access themselves',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:(lambda:<AWS::Region>:<AWS::AccountId>:function:|sqs:<AWS::Region>:<AWS::AccountId>:|logs:<AWS::Region>:<AWS::AccountId>:log-group:\/aws\/[a-z/]+\/|cloudformation:<AWS::Region>:<AWS::AccountId>:stack\/)Postrider-\*(:\*)?\]$/,
    where: /^Postrider\/Support\/(DIAG|CONFIG_READ)Rights\/Resource$/,
    reason: 'a boundary is one policy of 6,144 characters, which the names of all resources exceed; the pattern is the names of this stack',
  },
  {
    rule: /^AwsSolutions-IAM4\[Policy::arn:<AWS::Partition>:iam::aws:policy\/(service-role\/AWSBackupServiceRolePolicyForBackup|AWSBackupServiceRolePolicyForS3Backup)\]$/,
    where: /^Postrider-data\/Backups\/Role\/Resource$/,
    reason: 'only AWS Backup assumes the role, and AWS keeps the policies in step with the calls of that service',
  },
  {
    rule: /^AwsSolutions-COG8$/,
    where: /^Postrider-data\/UserPool\/Pool\/Resource$/,
    reason: 'the Plus plan costs per user and month; an operator who wants its threat protection can turn it on',
  },
  { rule: /^AwsSolutions-SMG4$/, where: /^Postrider-data\/HeadlessClients\/\w+Secret\/Resource$/, reason: 'a new client secret needs a new app client' },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:s3:::<SharedMailBucketName>\/(inbound|messages|uploads|media|outgoing|snapshots|search)\/\*\]$/,
    where: /^Postrider(-admin)?\/(AccountRemoval|AdminApi|InboundMail|Indexer|JmapApi|MailCleanup|OutboundMail|Watch)\/\w+Role\/DefaultPolicy\/Resource$/,
    reason: 'object keys are unknown at deployment; a folder of the bucket is the narrowest grant',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:identity\/\*\]$/,
    where: /^Postrider(-admin)?\/(AdminApi\/(domains|email-identities|users)|OutboundMail\/Submit|InboundMail\/Deliver)Role\/DefaultPolicy\/Resource$/,
    reason: 'operators add domains and addresses, whose identities do not exist yet',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    where:
      /^Postrider(-admin|-data)?\/(AdminApi\/(status|monitoring)Role|InboundMail\/(ActivationRole|ReceiptRules\/UpdateRole)|Prerequisites\/CheckRole)\/DefaultPolicy\/Resource$/,
    reason: 'ses:GetAccount, lambda:GetAccountSettings, cloudwatch:GetMetricData and the calls for receipt rules and rule sets have no resource',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:\/aws\/(lambda|vendedlogs\/apis)\/Postrider-[\w-]+:\*\]$/,
    where: /^Postrider-admin\/AdminApi\/monitoringRole\/DefaultPolicy\/Resource$/,
    reason: 'the ARN of a log group ends with `:*`; the policy names each group, which are in several stacks',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    where: /^Postrider-admin\/AdminApi\/(domains|email-identities|setup)Role\/DefaultPolicy\/Resource$/,
    reason: 'route53:ListHostedZones, ses:ListEmailIdentities and ses:GetAccount have no resource',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:route53:::hostedzone\/\*\]$/,
    where: /^Postrider-admin\/AdminApi\/domainsRole\/DefaultPolicy\/Resource$/,
    reason: 'the hosted zones of domains are unknown at deployment; conditions limit the record types and the actions',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    where: /^Postrider-admin\/ChangeRequestWorker\/WorkerRole\/DefaultPolicy\/Resource$/,
    reason: 'ses:GetAccount, ses:PutAccountDetails, lambda:GetAccountSettings and Service Quotas’ calls about requests have no resource',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    where: /^Postrider(-admin)?\/(AdminApi\/supportRole\/DefaultPolicy|Support\/(DIAG|CONFIG_READ)Rights)\/Resource$/,
    reason: 'cloudtrail:LookupEvents, cloudwatch:GetMetricData, cloudwatch:ListMetrics and ses:GetAccount have no resource',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    where: /^Postrider\/Watch\/LambdaRole\/DefaultPolicy\/Resource$/,
    reason: 'cloudwatch:GetMetricStatistics, ses:GetAccount and ses:ListEmailIdentities have no resource',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:cloudformation:<AWS::Region>:<AWS::AccountId>:stack\/Postrider\/\*\]$/,
    where: /^Postrider-data\/DeployedClients\/HookRole\/DefaultPolicy\/Resource$/,
    reason: 'the ARN of a stack ends with a random id, and the stack does not exist yet at the first deployment',
  },
  {
    rule: /^AwsSolutions-S1$/,
    where: /^Postrider\/Support\/Records\/Resource$/,
    reason: 'the bucket holds CloudTrail’s records, whose digests reveal changes; an access log would need a third bucket',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<WebSocketApi\w+>\/jmap\/(POST|DELETE)\/@connections\/\*\]$/,
    where: /^Postrider\/(Push\/(?:Notify|Delivery)|JmapApi\/Jmap|WebSocketApi\/PushSocket)Role\/DefaultPolicy\/Resource$/,
    reason: 'connection ids are unknown at deployment; sending to sockets of this API and closing them is the narrowest grant',
  },
  { rule: /^AwsSolutions-SQS3$/, where: /^Postrider\/Push\/FailedNotifications\/Resource$/, reason: 'it is itself the dead-letter queue of a stream' },
  {
    rule: /^AwsSolutions-SQS3$/,
    where: /^Postrider\/JmapApi\/EventSourceWaits\/Wait\d+\/Resource$/,
    reason: 'a message only ends a wait; one that nobody receives within a minute has no purpose any more',
  },
  {
    rule: /^AwsSolutions-APIG4$/,
    where: /^Postrider(-admin)?\/(AdminApi|JmapApi|WebSocketApi)\//,
    reason: 'the Lambdas verify tokens: 401 and 403 are part of the interface (RFC 9728 §5.1), and some paths need no token',
  },
  { rule: /^AwsSolutions-APIG4$/, where: /^Postrider\/(Console|Webmail)\//, reason: 'it serves public files; what they show comes from an API with a token' },
  {
    rule: /^AwsSolutions-APIG1$/,
    where: /^Postrider\/WebSocketApi\/Stage\/Resource$/,
    reason: 'access logs of WebSocket APIs need a role for the whole AWS account; the HTTP APIs have access logs',
  },
];

describe('the AwsSolutions rules of cdk-nag', () => {
  const violations = Object.values(stacksFor(everything)).flatMap((stack) => new AwsSolutionsChecks().validateScope(stack).violations);
  const findings = violations.flatMap(({ ruleName, violatingResources }) =>
    violatingResources.map(({ constructPath, resourceLogicalId }) => ({ rule: ruleName, where: constructPath ?? resourceLogicalId ?? '' })),
  );
  const covers = ({ rule, where }: (typeof acknowledged)[number], finding: (typeof findings)[number]) => rule.test(finding.rule) && where.test(finding.where);

  test('hold, except for the exceptions that give a reason', () => {
    expect(findings.filter((finding) => !acknowledged.some((each) => covers(each, finding)))).toEqual([]);
  });

  test('have no exception without a finding', () => {
    expect(acknowledged.filter((each) => !findings.some((finding) => covers(each, finding))).map(({ rule }) => String(rule))).toEqual([]);
  });
});
