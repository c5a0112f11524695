import { AwsSolutionsChecks } from 'cdk-nag';
import { everything, stackFor } from './stack-under-test.ts';

/** What we do otherwise than AWS's advice, why, and where: a finding outside these places fails. */
const acknowledged: readonly { readonly rule: RegExp; readonly where: RegExp; readonly because: string }[] = [
  {
    rule: /^AwsSolutions-S1$/, where: /^Postrider\/Storage\/Bucket\/Resource$/,
    because: 'the log of accesses would need a second bucket and say what the Lambdas, which alone reach the bucket, log themselves',
  },
  {
    rule: /^AwsSolutions-COG2$/, where: /^Postrider\/UserPool\/Pool\/Resource$/,
    because: 'a second factor is offered, not forced: each organisation decides when it is ready',
  },
  {
    rule: /^AwsSolutions-COG8$/, where: /^Postrider\/UserPool\/Pool\/Resource$/,
    because: 'the Plus plan costs per user and month; an operator who wants its threat protection can turn it on',
  },
  {
    rule: /^AwsSolutions-SMG4$/, where: /^Postrider\/(HeadlessClients\/\w+Secret|AdminApi\/PageTokenSecret|JmapApi\/VapidSecret)\/Resource$/,
    because: 'Cognito issues a client’s secret, so another secret is another client; the page-token key protects little; another push key would end every subscription',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::<StorageBucket\w+\.Arn>\/(inbound|messages|uploads|downloads)\/\*\]$/, where: /^Postrider\/(AccountRemoval|InboundMail|JmapApi)\/\w+Role\/DefaultPolicy\/Resource$/,
    because: 'objects are named by their content; a folder of the bucket is the narrowest grant',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:identity\/\*\]$/, where: /^Postrider\/(AdminApi\/(domains|email-identities)|OutboundMail\/Submit)Role\/DefaultPolicy\/Resource$/,
    because: 'operators add domains and addresses, whose identities do not exist yet',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::\*\]$/, where: /^Postrider\/(AdminApi\/(status|monitoring)Role|InboundMail\/ActivationRole)\/DefaultPolicy\/Resource$/,
    because: 'ses:GetAccount, lambda:GetAccountSettings, cloudwatch:GetMetricData and the calls for the active receipt rule set know no resource',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::\*\]$/, where: /^Postrider\/AdminApi\/(domains|email-identities|setup)Role\/DefaultPolicy\/Resource$/,
    because: 'route53:ListHostedZones, ses:ListEmailIdentities and ses:GetAccount know no resource',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:route53:::hostedzone\/\*\]$/, where: /^Postrider\/AdminApi\/domainsRole\/DefaultPolicy\/Resource$/,
    because: 'which hosted zone holds a domain is not known before an operator adds it; only records of the types that mail needs are written',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::\*\]$/, where: /^Postrider\/ChangeRequestWorker\/WorkerRole\/DefaultPolicy\/Resource$/,
    because: 'ses:GetAccount, ses:PutAccountDetails, lambda:GetAccountSettings and Service Quotas’ calls about requests know no resource',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::\*\]$/, where: /^Postrider\/(AdminApi\/supportRole\/DefaultPolicy|Support\/(DIAG|CONFIG_READ)Rights)\/Resource$/,
    because: 'cloudtrail:LookupEvents, cloudwatch:GetMetricData, cloudwatch:ListMetrics and ses:GetAccount know no resource',
  },
  {
    rule: /^AwsSolutions-S1$/, where: /^Postrider\/Support\/Records\/Resource$/,
    because: 'the bucket holds CloudTrail’s own records, whose digests tell of changes; a log of their readers would need a third bucket',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<WebSocketApi\w+>\/jmap\/(POST|DELETE)\/@connections\/\*\]$/, where: /^Postrider\/(Push\/Notify|JmapApi\/Jmap|WebSocketApi\/PushSocket)Role\/DefaultPolicy\/Resource$/,
    because: 'sockets come and go; sending to them and closing them, of this one API, is the narrowest grant',
  },
  {
    rule: /^AwsSolutions-SQS3$/, where: /^Postrider\/Push\/NotToldOf\/Resource$/,
    because: 'it is itself the queue for what could not be handled, of a stream',
  },
  {
    rule: /^AwsSolutions-APIG4$/, where: /^Postrider\/(AdminApi|JmapApi|WebSocketApi)\//,
    because: 'the Lambdas verify tokens: bodies and headers of 401 and 403 are part of the interface (RFC 9728 §5.1), and some paths are open by design',
  },
  {
    rule: /^AwsSolutions-APIG1$/, where: /^Postrider\/WebSocketApi\/Stage\/Resource$/,
    because: 'access logs of WebSocket APIs need a role that belongs to the whole account; HTTP APIs have theirs',
  },
];

describe('AWS’s advice (cdk-nag, AwsSolutions)', () => {
  const { violations } = new AwsSolutionsChecks().validateScope(stackFor(everything));
  const findings = violations.flatMap(({ ruleName, violatingResources }) => violatingResources.map(({ constructPath, resourceLogicalId }) => ({ rule: ruleName, where: constructPath ?? resourceLogicalId ?? '' })));
  const covers = ({ rule, where }: (typeof acknowledged)[number], finding: (typeof findings)[number]) => rule.test(finding.rule) && where.test(finding.where);

  test('is followed, but where we say why not', () => {
    expect(findings.filter((finding) => !acknowledged.some((each) => covers(each, finding)))).toEqual([]);
  });

  test('nothing is excused that is not found', () => {
    expect(acknowledged.filter((each) => !findings.some((finding) => covers(each, finding))).map(({ rule }) => String(rule))).toEqual([]);
  });
});
