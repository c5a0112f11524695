import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { Code, Function as Lambda, Runtime } from 'aws-cdk-lib/aws-lambda';
import { maxInlinePolicyLength, maxTrustPolicyLength } from '../../contract/deployment/support-roles.ts';
import { HttpEndpoint } from '../../lib/endpoints/http-endpoint.ts';
import { everything, refOf, synthesize, variablesOf } from './stack-under-test.ts';

/** The longest name that the setting stackName permits. */
const stackName = `S${'x'.repeat(39)}`;
const { json, templates, ofType } = synthesize({
  ...everything,
  stackName,
  removalPolicy: 'destroy',
  supportPrincipals: JSON.stringify(Array.from({ length: 5 }, (_, index) => `arn:aws:iam::11112222333${index}:role/${'r'.repeat(80)}`)),
});

/** The longest values of CloudFormation's pseudo parameters. */
const pseudo: Record<string, string> = {
  'AWS::Partition': 'aws-us-gov',
  'AWS::Region': 'ap-southeast-1',
  'AWS::AccountId': '111122223333',
  'AWS::StackName': stackName,
  'AWS::URLSuffix': 'amazonaws.com.cn',
  'AWS::NoValue': '',
  'AWS::StackId': `arn:aws-us-gov:cloudformation:ap-southeast-1:111122223333:stack/${stackName}/${'0'.repeat(36)}`,
};
const random = 'X'.repeat(13);

/**
 * The longest value of a reference to a resource, or to its ARN. CloudFormation generates names of at most 128
 * characters.
 */
const valueOf = (id: string, attribute?: string): string => {
  if (id in pseudo) return pseudo[id]!;
  const { Type, Properties } = json.Resources[id]!;
  // The id of an API has ten characters.
  if (Type === 'AWS::ApiGatewayV2::Api' || Type === 'AWS::ApiGateway::RestApi') return 'x'.repeat(10);
  const name = ((Properties['FunctionName'] ?? Properties['LogGroupName'] ?? `${stackName}-${id}-${random}`) as string).slice(0, 128);
  const arn = (resource: string) => `arn:aws-us-gov:cognito-idp:ap-southeast-1:111122223333:${resource}`;
  if (attribute?.endsWith('Arn') || Type === 'AWS::SNS::Topic' || Type === 'AWS::IAM::ManagedPolicy' || Type.endsWith('Secret')) {
    return arn(attribute === 'StreamArn' ? `table/${name}/stream/2026-11-22T00:00:00.000` : `log-group:${name}:*`);
  }
  return name;
};

/** A value of the template with each intrinsic function replaced by its longest value. */
const resolved = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== 'object' || value === null) return value;
  const [[name, argument] = ['', undefined]] = Object.entries(value);
  if (name === 'Ref') return valueOf(argument as string);
  if (name === 'Fn::GetAtt') return valueOf(...(argument as [string, string]));
  if (name === 'Fn::Join') {
    const [separator, parts] = argument as [string, unknown[]];
    return (resolved(parts) as string[]).join(separator);
  }
  if (name.startsWith('Fn::')) return 'x'.repeat(128);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolved(each)]));
};

const lengthOf = (document: unknown): number => JSON.stringify(resolved(document)).length;

describe('with the longest stack name, in a region and a partition with long names', () => {
  test('managed policies have at most 6,144 characters (IAM quotas)', () => {
    const lengths = ofType('AWS::IAM::ManagedPolicy').map(({ id, Properties }) => ({ id, length: lengthOf(Properties['PolicyDocument']) }));
    expect(lengths.length).toBeGreaterThan(1);
    expect(lengths.filter(({ length }) => length > 6_144)).toEqual([]);
  });

  test('the inline policies of each role have at most 10,240 characters together', () => {
    const lengths = ofType('AWS::IAM::Role').map(({ id, Properties }) => {
      const own = (Properties['Policies'] as { PolicyDocument: unknown }[] | undefined)?.map(({ PolicyDocument }) => PolicyDocument) ?? [];
      const attached = ofType('AWS::IAM::Policy').filter(({ Properties: policy }) => (policy['Roles'] as unknown[]).some((role) => refOf(role) === id));
      return { id, length: [...own, ...attached.map((policy) => policy.Properties['PolicyDocument'])].reduce<number>((sum, each) => sum + lengthOf(each), 0) };
    });
    expect(lengths.filter(({ length }) => length > maxInlinePolicyLength)).toEqual([]);
  });

  test('trust policies have at most 2,048 characters', () => {
    const lengths = ofType('AWS::IAM::Role').map(({ id, Properties }) => ({ id, length: lengthOf(Properties['AssumeRolePolicyDocument']) }));
    expect(lengths.filter(({ length }) => length > maxTrustPolicyLength)).toEqual([]);
  });

  test('the variables of each Lambda have at most 4 KB, and its name 64 characters', () => {
    for (const lambda of ofType('AWS::Lambda::Function')) {
      const variables = resolved(variablesOf(lambda)) as Record<string, string>;
      const octets = Object.entries(variables).reduce((sum, [name, value]) => sum + Buffer.byteLength(`${name}${value}`), 0);
      expect({ id: lambda.id, isWithin: octets <= 4_096, octets }).toEqual({ id: lambda.id, isWithin: true, octets });
      expect(String(lambda.Properties['FunctionName']).length).toBeLessThanOrEqual(64);
      expect(String(resolved(lambda.Properties['Description'])).length).toBeLessThanOrEqual(256);
    }
  });

  test.each([
    ['AWS::SES::ConfigurationSet', 'Name', 64],
    ['AWS::Cognito::UserPool', 'UserPoolName', 128],
    ['AWS::ApiGatewayV2::Api', 'Name', 128],
    ['AWS::Logs::LogGroup', 'LogGroupName', 512],
    ['AWS::IAM::Role', 'Description', 1_000],
    ['AWS::IAM::ManagedPolicy', 'Description', 1_000],
    ['AWS::CloudWatch::Alarm', 'AlarmDescription', 1_024],
    ['AWS::Events::Rule', 'Description', 512],
    ['AWS::SNS::Topic', 'DisplayName', 100],
    ['AWS::Logs::MetricFilter', 'FilterPattern', 1_024],
  ])('each %s has a %s of at most %i characters', (type, property, most) => {
    const lengths = ofType(type).map(({ id, Properties }) => ({ id, length: String(resolved(Properties[property] ?? '')).length }));
    expect(lengths.length).toBeGreaterThan(0);
    expect(lengths.filter(({ length }) => length > most)).toEqual([]);
  });

  test('each value in Parameter Store has at most 4 KB, the maximum of a standard parameter', () => {
    const lengths = ofType('AWS::SSM::Parameter').map(({ id, Properties }) => ({ id, length: Buffer.byteLength(String(resolved(Properties['Value']))) }));
    expect(lengths.filter(({ length }) => length > 4_096)).toEqual([]);
  });

  test.each(Object.entries(templates))('the template of the %s stack has at most 200 parameters, 200 outputs and 1 MB', (_, template) => {
    expect(Object.keys(template.Parameters ?? {}).length).toBeLessThanOrEqual(200);
    expect(Object.keys(template.Outputs ?? {}).length).toBeLessThanOrEqual(200);
    expect(JSON.stringify(template).length).toBeLessThan(1_000_000);
  });
});

test('a second throttled route of an HTTP API keeps the throttle of the first', () => {
  const stack = new Stack(new App(), 'Api');
  const code = Code.fromInline('exports.handler = () => {};');
  const handler = new Lambda(stack, 'Handler', { code, runtime: Runtime.NODEJS_24_X, handler: 'index.handler' });
  const endpoint = new HttpEndpoint(stack, 'Endpoint', { name: 'api', description: 'two routes', throttle: { rate: 9, burst: 9 }, cors: {} });
  endpoint.addRoute(HttpMethod.POST, '/one', handler, { rate: 1, burst: 2 });
  endpoint.addRoute(HttpMethod.POST, '/two', handler, { rate: 3, burst: 4 });
  Template.fromStack(stack).hasResourceProperties('AWS::ApiGatewayV2::Stage', {
    RouteSettings: { 'POST /one': { ThrottlingRateLimit: 1, ThrottlingBurstLimit: 2 }, 'POST /two': { ThrottlingRateLimit: 3, ThrottlingBurstLimit: 4 } },
  });
});
