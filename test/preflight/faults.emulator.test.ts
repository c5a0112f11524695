import { ApiGatewayV2Client, CreateDomainNameCommand, DeleteDomainNameCommand } from '@aws-sdk/client-apigatewayv2';
import { CloudFormationClient, DeleteStackCommand } from '@aws-sdk/client-cloudformation';
import {
  CognitoIdentityProviderClient,
  CreateUserPoolCommand,
  CreateUserPoolDomainCommand,
  DeleteUserPoolDomainCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { CreateRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import { LambdaClient, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import { CreateHostedZoneCommand, DeleteHostedZoneCommand, Route53Client } from '@aws-sdk/client-route-53';
import { CreateReceiptRuleSetCommand, SESClient, SetActiveReceiptRuleSetCommand } from '@aws-sdk/client-ses';
import { CreateEmailIdentityCommand, DeleteEmailIdentityCommand, PutAccountDetailsCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { DeleteParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { awsPreflightPorts } from '../../preflight/adapters/aws-preflight-ports.ts';
import { cdkSynthesis, type SynthesizedStack } from '../../preflight/adapters/synthesis.ts';
import { bootstrapRoles } from '../../preflight/facts.ts';
import { startResolver } from '../../sandbox/services/resolver/resolver.ts';
import { callerAllowed, policyDocument } from '../sandbox/emulator/iam-caller.ts';
import { publishedRecords, type PublishedRecord } from '../support/published-records.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { freePort, getAtt, lambda, tryStack, withEmulator } from '../support/test-emulator.ts';
import { preflightRun } from './preflight-run.ts';

const fixture = withEmulator({ enforceIam: true, environment: { LAMBDA_ACCOUNT_CONCURRENCY: '1000' } });
const home = temporaryDirectory('file');

const bootstrapParameter = '/cdk-bootstrap/hnb659fds/version';
const domain = 'example.com';

let port: number;
let resolver: Awaited<ReturnType<typeof startResolver>>;
let stacks: readonly SynthesizedStack[];
let zoneId: string;
let servers: readonly string[];
let publish: ReturnType<typeof publishedRecords>;

/** The environment of the AWS SDK for a caller of the emulator. */
const useCaller = ({ accessKeyId, secretAccessKey }: { accessKeyId?: string; secretAccessKey?: string }): void => {
  const values = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
};

/** Steps that take the fault of a test back. */
const repairs: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const repair of repairs.splice(0).toReversed()) await repair();
  useCaller(fixture.clientConfig.credentials);
});

/** Publishes records in the domain's zone until the test ends. */
const publishFor = async (...records: readonly PublishedRecord[]): Promise<void> => {
  await publish(domain, records);
  repairs.push(() => publish(domain, records, 'DELETE'));
};

/** Makes a hosted zone until the test ends. @returns its id. */
const makeZone = async (name: string, more: object = {}): Promise<string> => {
  const route53 = new Route53Client(fixture.clientConfig);
  const { HostedZone: zone } = await route53.send(new CreateHostedZoneCommand({ Name: name, CallerReference: `${name} again`, ...more }));
  repairs.push(() => route53.send(new DeleteHostedZoneCommand({ Id: zone!.Id! })));
  return zone!.Id!.replace('/hostedzone/', '');
};

/** Makes a stack, which may fail, until the test ends. */
const makeStack = async (StackName: string, Resources: Readonly<Record<string, object>>): Promise<void> => {
  const cloudFormation = new CloudFormationClient(fixture.clientConfig);
  await tryStack(cloudFormation, StackName, { Resources });
  repairs.push(() => cloudFormation.send(new DeleteStackCommand({ StackName })));
};

/** Makes a Lambda that reserves executions, until the test ends. */
const reserveFor = async (FunctionName: string, ReservedConcurrentExecutions: number): Promise<void> => {
  await makeStack(`Lambda-${FunctionName}`, lambda('Reserving', 'exports.handler = async () => {};', { FunctionName }));
  // The emulator's CloudFormation ignores ReservedConcurrentExecutions.
  await new LambdaClient(fixture.clientConfig).send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions }));
};

const setBootstrapVersion = (version: number) =>
  new SSMClient(fixture.clientConfig).send(new PutParameterCommand({ Name: bootstrapParameter, Type: 'String', Value: String(version), Overwrite: true }));

beforeAll(async () => {
  const { endpoint, region, credentials } = fixture.clientConfig;
  Object.assign(process.env, { AWS_ENDPOINT_URL: endpoint, AWS_REGION: region, AWS_DEFAULT_REGION: region, AWS_EC2_METADATA_DISABLED: 'true', HOME: home() });
  useCaller(credentials);
  port = await freePort();
  resolver = await startResolver({ port, emulator: endpoint });
  publish = publishedRecords(new Route53Client(fixture.clientConfig));
  await publish(domain, [[`www.${domain}`, 'A', '192.0.2.1']]);
  const ports = awsPreflightPorts('Postrider', [`127.0.0.1:${port}`]);
  zoneId = (await ports.dnsProvider.findZone(domain))!.id;
  servers = await ports.publicDns.nameServers(domain);
  await setBootstrapVersion(30);
  const iam = new IAMClient(fixture.clientConfig);
  for (const role of bootstrapRoles) {
    await iam.send(
      new CreateRoleCommand({
        RoleName: `cdk-hnb659fds-${role}-000000000000-${region}`,
        AssumeRolePolicyDocument: JSON.stringify(policyDocument({ Effect: 'Allow', Principal: { AWS: '*' }, Action: 'sts:AssumeRole' })),
      }),
    );
  }
  stacks = await cdkSynthesis(['-c', `domain=${domain}`])();
});
afterAll(() => resolver.stop());

const run = (args: readonly string[] = [], region?: string) =>
  preflightRun({ ...awsPreflightPorts('Postrider', [`127.0.0.1:${port}`]), synthesize: async () => stacks }, args, region);

const withZone = () => ['-c', `hostedZoneId=${zoneId}`];

test('the preflight lets a deployment to an account of the emulator begin', async () => {
  const { code, out } = await run(withZone());
  expect([code, out]).toEqual([0, expect.stringMatching(/\n0 fail, 1 attention, 1 unknown, .*A deployment can begin\./)]);
});

type Fault = {
  /** Makes the fault. @returns the settings with which the preflight meets it. */
  readonly provoke: () => Promise<readonly string[] | void>;
  readonly region?: string;
  readonly subject: string;
  /** The line about the subject. */
  readonly line: RegExp;
};

const faults: Readonly<Record<string, Fault>> = {
  'no credentials': { provoke: async () => useCaller({}), subject: 'credentials', line: /^fail \| .*none that AWS accepts: .*credentials.*AWS_PROFILE/i },
  'no bootstrap': {
    provoke: async () => {
      await new SSMClient().send(new DeleteParameterCommand({ Name: bootstrapParameter }));
      repairs.push(() => setBootstrapVersion(30));
    },
    subject: 'CDK bootstrap',
    line: /^fail \| .*no bootstrap stack \| run npx cdk bootstrap aws:\/\/000000000000\/us-east-1/,
  },
  'an old bootstrap': {
    provoke: async () => {
      await setBootstrapVersion(5);
      repairs.push(() => setBootstrapVersion(30));
    },
    subject: 'CDK bootstrap',
    line: /^fail \| .*version 5; the deployment needs 6/,
  },
  'a caller who may neither assume the roles nor deploy': {
    provoke: async () =>
      useCaller(
        (
          await callerAllowed(fixture, 'reader', {
            Action: ['ssm:GetParameter', 'iam:SimulatePrincipalPolicy', 'cloudformation:DescribeStacks'],
            Resource: '*',
          })
        ).credentials,
      ),
    subject: 'rights to deploy',
    line: /^fail \| .*can't be assumed, and IAM denies you cloudformation:CreateChangeSet, .*allow sts:AssumeRole/,
  },
  'a question that AWS denies': {
    provoke: async () => useCaller((await callerAllowed(fixture, 'deployer', { Action: ['sts:AssumeRole', 'ssm:GetParameter'], Resource: '*' })).credentials),
    subject: 'hosted zone',
    line: /^unknown \| .*AWS denies the question.*allow route53:ListHostedZones/,
  },
  'a region in which SES receives no mail': {
    provoke: async () => undefined,
    region: 'ap-east-2',
    subject: 'SES receives mail here',
    line: /^fail \| .*SES receives no mail in ap-east-2\. DNS has no host inbound-smtp\.ap-east-2\.amazonaws\.com.*Set AWS_REGION/,
  },
  'an active receipt rule set of somebody else': {
    provoke: async () => {
      const ses = new SESClient();
      await ses.send(new CreateReceiptRuleSetCommand({ RuleSetName: 'Other' }));
      await ses.send(new SetActiveReceiptRuleSetCommand({ RuleSetName: 'Other' }));
      repairs.push(() => ses.send(new SetActiveReceiptRuleSetCommand({})));
    },
    subject: 'receipt rule set',
    line: /^ok \| .*Other is active and stays so/,
  },
  'the SES sandbox': {
    provoke: async () => {
      const ses = new SESv2Client();
      const details = { MailType: 'TRANSACTIONAL', WebsiteURL: 'https://example.com' } as const;
      await ses.send(new PutAccountDetailsCommand({ ...details, ProductionAccessEnabled: false }));
      repairs.push(() => ses.send(new PutAccountDetailsCommand({ ...details, ProductionAccessEnabled: true })));
    },
    subject: 'SES production access',
    line: /^attention \| .*verified addresses only.*Request production access/,
  },
  'an SES identity of somebody else': {
    provoke: async () => {
      const ses = new SESv2Client();
      await ses.send(new CreateEmailIdentityCommand({ EmailIdentity: domain }));
      repairs.push(() => ses.send(new DeleteEmailIdentityCommand({ EmailIdentity: domain })));
    },
    subject: `SES identity ${domain}`,
    line: /^attention \| .*somebody else made it/,
  },
  'a sender of invitations that SES has not verified': {
    provoke: async () => ['-c', `signInMailFrom=no-reply@${domain}`],
    subject: 'invitations',
    line: /^fail \| .*not verified example\.com.*Deploy without signInMailFrom/,
  },
  'concurrency that other Lambdas reserve': { provoke: () => reserveFor('other', 800), subject: 'Lambda concurrency', line: /^fail \| .*leave 200 unreserved/ },
  'a hosted zone that the account does not have': {
    provoke: async () => ['-c', 'hostedZoneId=Z0000000000ABSENT'],
    subject: 'hosted zone',
    line: /^fail \| .*no hosted zone Z0000000000ABSENT.*list-hosted-zones/,
  },
  'a private zone': {
    provoke: async () => [
      '-c',
      `hostedZoneId=${await makeZone('private.example.com', { HostedZoneConfig: { PrivateZone: true }, VPC: { VPCRegion: 'us-east-1', VPCId: 'vpc-1' } })}`,
    ],
    subject: 'hosted zone',
    line: /^fail \| .*is private/,
  },
  'the zone of another domain': {
    provoke: async () => ['-c', `hostedZoneId=${await makeZone('example.org')}`],
    subject: 'hosted zone',
    line: /^fail \| .*the zone is example\.org, which does not hold example\.com/,
  },
  'a zone that nobody asks': {
    provoke: async () => {
      await publish(domain, [[domain, 'NS', 'ns-9.elsewhere.test']]);
      repairs.push(() => publish(domain, [[domain, 'NS', ...servers]]));
      return withZone();
    },
    subject: 'hosted zone',
    line: /^fail \| .*ns-9\.elsewhere\.test answers for example\.com, not this zone.*set the NS records at the registrar to/,
  },
  'a zone that the settings leave out': { provoke: async () => undefined, subject: 'hosted zone', line: /^attention \| .*pass -c hostedZoneId=Z/ },
  'mail that another provider gets today': {
    provoke: () => publishFor([domain, 'MX', '10 mx.elsewhere.test']),
    subject: 'who gets mail today',
    line: /^attention \| .*10 mx\.elsewhere\.test.*replace it by 10 inbound-smtp\.us-east-1\.amazonaws\.com/,
  },
  'CAA records without Amazon': {
    provoke: async () => {
      await publishFor([domain, 'CAA', '0 issue "letsencrypt.org"']);
      return withZone();
    },
    subject: 'certificate',
    line: /^fail \| .*allow letsencrypt\.org, not Amazon.*CAA 0 issue "amazon\.com"/,
  },
  'a record with one of the custom names': {
    provoke: async () => {
      await publishFor([`jmap.${domain}`, 'A', '192.0.2.1']);
      return withZone();
    },
    subject: 'records at these names',
    line: /^fail \| .*jmap\.example\.com A already/,
  },
  'a custom domain name of another stack': {
    provoke: async () => {
      const apis = new ApiGatewayV2Client();
      const DomainName = `api.${domain}`;
      await apis.send(
        new CreateDomainNameCommand({ DomainName, DomainNameConfigurations: [{ CertificateArn: 'arn:aws:acm:us-east-1:000000000000:certificate/1' }] }),
      );
      repairs.push(() => apis.send(new DeleteDomainNameCommand({ DomainName })));
      return withZone();
    },
    subject: 'custom domain names',
    line: /^fail \| .*API Gateway has api\.example\.com already/,
  },
  'a sign-in name of another user pool': {
    provoke: async () => {
      const cognito = new CognitoIdentityProviderClient();
      const { UserPool: pool } = await cognito.send(new CreateUserPoolCommand({ PoolName: 'other' }));
      const taken = { Domain: 'example-mail', UserPoolId: pool!.Id! };
      await cognito.send(new CreateUserPoolDomainCommand(taken));
      repairs.push(() => cognito.send(new DeleteUserPoolDomainCommand(taken)));
      return ['-c', 'authDomainPrefix=example-mail'];
    },
    subject: 'name of the sign-in',
    line: /^fail \| .*example-mail belongs to the user pool us-east-1_.*pass another -c authDomainPrefix=/,
  },
  'a deployment that exists': {
    provoke: () => makeStack('Postrider', { Queue: { Type: 'AWS::SQS::Queue' } }),
    subject: 'stack Postrider ',
    line: /^ok \| .*this is an update of a deployment/,
  },
  'services whose first deployment failed': {
    provoke: () =>
      makeStack('Postrider', { Custom: { Type: 'Custom::Missing', Properties: { ServiceToken: 'arn:aws:lambda:us-east-1:000000000000:function:missing' } } }),
    subject: 'stack Postrider ',
    line: /^attention \| .*an earlier deployment failed \(ROLLBACK_COMPLETE\); cdk deploy deletes the stack and makes it again/,
  },
  'an update that reserves more than others leave': {
    provoke: async () => {
      await makeStack('Postrider', { Queue: { Type: 'AWS::SQS::Queue' } });
      await reserveFor('other', 800);
    },
    subject: 'Lambda concurrency',
    line: /^fail \| .*leave 200 unreserved, and the deployment reserves 252/,
  },
  'an update of a deployment that has reserved what it needs': {
    provoke: async () => {
      await makeStack('Postrider', { Queue: { Type: 'AWS::SQS::Queue' } });
      await reserveFor('other', 600);
      await reserveFor('Postrider-pre-token', 100);
    },
    subject: 'Lambda concurrency',
    line: /^ok/,
  },
  'a first deployment that failed': {
    provoke: () =>
      makeStack('Postrider-data', {
        ...lambda('Refusing', 'exports.handler = async () => { throw new Error("refused"); };'),
        Custom: { Type: 'Custom::Refusing', Properties: { ServiceToken: getAtt('Refusing', 'Arn') } },
      }),
    subject: 'stack Postrider-data',
    line: /^attention \| .*an earlier first deployment failed.*npm run remove-failed -- Postrider/,
  },
};

describe('the preflight finds, in the emulator,', () => {
  test.each(Object.entries(faults))('%s', async (_, { provoke, region, subject, line: expected }) => {
    const settings = (await provoke()) ?? [];
    if (region !== undefined) {
      process.env['AWS_REGION'] = region;
      repairs.push(async () => {
        process.env['AWS_REGION'] = fixture.clientConfig.region;
      });
    }
    const { code, line, out } = await run(settings, region);
    expect([line(subject), code]).toEqual([expect.stringMatching(expected), expected.source.startsWith('^fail') ? 1 : 0]);
    if (code === 1) expect(out).toMatch(/A deployment would fail: do first what the lines with "fail" say\.$/m);
  });
});
