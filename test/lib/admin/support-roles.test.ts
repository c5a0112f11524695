import { allSessionsDenied } from '../../../contract/deployment/support-roles.ts';
import { everySetting, everything, plainId, readable, refOf, synthesize } from '../stack-under-test.ts';

type Statement = { readonly Effect: string; readonly Action: string | string[]; readonly Resource: unknown };

const withSupporters = synthesize(everything);
const withEverySetting = synthesize(everySetting);
const without = synthesize({ domain: 'example.com' });
const list = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);
const rolesOf = ({ ofType }: typeof without) => ofType('AWS::IAM::Role').filter(({ id }) => id.startsWith('Support') && !/Role[0-9A-F]{8}$/.test(id));

const roleOf = (stack: typeof without, name: string) => rolesOf(stack).find(({ id }) => plainId(id) === name)!;
const inlineOf = (stack: typeof without, name: string) =>
  stack.ofType('AWS::IAM::Policy').filter(({ Properties }) => (Properties['Roles'] as unknown[]).some((role) => refOf(role) === roleOf(stack, name).id));
const rightsOf = (stack: typeof without, name: string) => {
  const [{ Ref: id }] = roleOf(stack, name).Properties['ManagedPolicyArns'] as [{ Ref: string }];
  const policy = stack.ofType('AWS::IAM::ManagedPolicy').find((each) => each.id === id)!;
  return policy.Properties['PolicyDocument'] as { Statement: Statement[] };
};

/** The statements of a tier's policy, each as `effect action resource`. */
const grantsOf = (stack: typeof without, name: string): string[] =>
  rightsOf(stack, name).Statement.flatMap(({ Effect, Action, Resource }) =>
    list(Action).flatMap((action) => list(Resource).map((resource) => `${Effect} ${action} ${readable(resource)}`)),
  );

const intrinsics = ['Ref', 'Fn::GetAtt', 'Fn::Join'];

/** A policy document at its maximum length: with the longest partition and region, a long stack name and long ARNs. */
const longest = (document: object): string =>
  JSON.stringify(document, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || !intrinsics.includes(Object.keys(value)[0]!)) return value;
    return readable(value)
      .replaceAll('<AWS::Partition>', 'aws-us-gov')
      .replaceAll('<AWS::Region>', 'ap-southeast-1')
      .replaceAll('<AWS::AccountId>', '111122223333')
      .replaceAll(/<AWS::StackId>|<[^>]+\.Arn>/g, 'x'.repeat(100))
      .replaceAll('Postrider', 'x'.repeat(16));
  });

describe('support roles', () => {
  test('are one for each tier, which no principal can assume, with sessions of an hour', () => {
    const roles = rolesOf(without);
    expect(roles.map(({ id }) => plainId(id)).sort((a, b) => a.localeCompare(b))).toEqual(['SupportCONFIGREAD', 'SupportDIAG']);
    for (const { Properties } of roles) {
      expect(Properties).toMatchObject({
        MaxSessionDuration: 3600,
        AssumeRolePolicyDocument: { Statement: [{ Effect: 'Deny', Principal: { AWS: '*' }, Action: 'sts:AssumeRole' }] },
      });
    }
  });

  test('name the supporters in the template without access, so that a change of supporters resets the roles', () => {
    for (const { Properties } of rolesOf(withSupporters)) {
      expect(Properties['AssumeRolePolicyDocument']).toEqual({
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Principal: { AWS: ['arn:aws:iam::111122223333:role/supporters'] },
            Action: 'sts:AssumeRole',
            Condition: { DateLessThan: { 'aws:CurrentTime': '1970-01-01T00:00:00Z' } },
          },
        ],
      });
    }
  });

  test.each(['SupportDIAG', 'SupportCONFIGREAD'])('limit %s to one managed policy, which is its boundary too and within IAM’s size limit', (name) => {
    for (const stack of [without, withSupporters]) {
      const { ManagedPolicyArns: attached, PermissionsBoundary: boundary, Policies: inline } = roleOf(stack, name).Properties;
      expect(attached).toEqual([boundary]);
      expect(inline).toBeUndefined();
      expect(longest(rightsOf(stack, name)).length).toBeLessThanOrEqual(6144);
    }
  });

  test.each(['SupportDIAG', 'SupportCONFIGREAD'])(
    'give %s one other policy, which denies all sessions in the template and is deleted with the role',
    (name) => {
      const policies = inlineOf(withSupporters, name);
      expect(policies.map(({ Properties }) => Properties)).toEqual([
        { PolicyName: 'ended-sessions', PolicyDocument: allSessionsDenied, Roles: [{ Ref: roleOf(withSupporters, name).id }] },
      ]);
    },
  );

  test('let DIAG read logs and metrics', () => {
    const grants = grantsOf(withSupporters, 'SupportDIAG');
    expect(new Set(grants.map((grant) => grant.split(' ')[1]))).toEqual(
      new Set(['logs:FilterLogEvents', 'logs:GetLogEvents', 'logs:DescribeLogStreams', 'cloudwatch:GetMetricData', 'cloudwatch:ListMetrics']),
    );
    expect(grants.filter((grant) => grant.endsWith(' *'))).toEqual(['Allow cloudwatch:GetMetricData *', 'Allow cloudwatch:ListMetrics *']);
  });

  test('let CONFIG_READ read configuration, but no mail, items, secrets or code', () => {
    const grants = grantsOf(withSupporters, 'SupportCONFIGREAD');
    expect(new Set(grants.map((grant) => grant.split(' ')[1]))).toEqual(
      new Set([
        'cloudformation:DescribeStacks',
        'cloudformation:DescribeStackResources',
        'cloudformation:GetTemplate',
        'lambda:GetFunctionConfiguration',
        'sqs:GetQueueAttributes',
        'dynamodb:DescribeTable',
        'cognito-idp:DescribeUserPool',
        'apigateway:GET',
        'ses:GetAccount',
      ]),
    );
    expect(grants.filter((grant) => grant.endsWith(' *'))).toEqual(['Allow ses:GetAccount *']);
    expect(grants.filter((grant) => /s3:|secretsmanager:|GetItem|Query|Scan|ReceiveMessage|UserPoolClient/.test(grant))).toEqual([]);
  });

  test('cover every Lambda, log group and queue of the deployment by name, and those of no other stack name', () => {
    const resourcesOf = (tier: string, action: string) =>
      grantsOf(withSupporters, tier)
        .filter((grant) => grant.includes(action))
        .map((grant) => grant.split(' ')[2]!.split('<AWS::AccountId>:')[1]!);
    expect(resourcesOf('SupportCONFIGREAD', 'lambda:GetFunctionConfiguration')).toEqual(['function:Postrider-*']);
    expect(resourcesOf('SupportCONFIGREAD', 'sqs:GetQueueAttributes')).toEqual(['Postrider-*']);
    const logGroups = resourcesOf('SupportDIAG', 'logs:FilterLogEvents').map((resource) => resource.replace('log-group:', '').replace('*:*', ''));
    expect(logGroups.sort()).toEqual(['/aws/lambda/Postrider-', '/aws/vendedlogs/apis/Postrider-']);
    for (const { Properties } of withSupporters.ofType('AWS::Logs::LogGroup')) {
      expect(logGroups.some((prefix) => String(Properties['LogGroupName']).startsWith(prefix))).toBe(true);
    }
    // CloudFormation names a queue `<stack>-<logical id>-<random>`.
    for (const { Properties } of withSupporters.ofType('AWS::SQS::Queue')) expect(Properties).not.toHaveProperty('QueueName');
    for (const { Properties } of withSupporters.ofType('AWS::Lambda::Function')) expect(Properties['FunctionName']).toMatch(/^Postrider-/);
  });
});

describe('assumptions of support roles', () => {
  test('reach the archive’s queue by a rule for AssumeRole of exactly these roles, which includes read-only calls', () => {
    const [rule] = without.ofType('AWS::Events::Rule').filter(({ id }) => id.startsWith('SupportAssumed'));
    expect(rule!.Properties).toMatchObject({
      State: 'ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS',
      EventPattern: {
        source: ['aws.sts'],
        'detail-type': ['AWS API Call via CloudTrail'],
        detail: { eventSource: ['sts.amazonaws.com'], eventName: ['AssumeRole'] },
      },
    });
    const { detail } = rule!.Properties['EventPattern'] as { detail: { requestParameters: { roleArn: unknown[] } } };
    expect(detail.requestParameters.roleArn.map(readable)).toEqual(['<SupportDIAG.Arn>', '<SupportCONFIGREAD.Arn>']);
    expect((rule!.Properties['Targets'] as { Arn: unknown }[]).map(({ Arn }) => readable(Arn))).toEqual(['<SupportWaitingQueue.Arn>']);
  });

  test('have a trail with supportPrincipals only, unless the AWS account has one', () => {
    expect(without.ofType('AWS::CloudTrail::Trail')).toEqual([]);
    expect(withEverySetting.ofType('AWS::CloudTrail::Trail')).toEqual([]);
    expect(withSupporters.ofType('AWS::CloudTrail::Trail')).toMatchObject([
      {
        Properties: {
          IsLogging: true,
          IsMultiRegionTrail: false,
          IncludeGlobalServiceEvents: true,
          EnableLogFileValidation: true,
          EventSelectors: [{ ReadWriteType: 'All', IncludeManagementEvents: true }],
        },
      },
    ]);
  });
});
