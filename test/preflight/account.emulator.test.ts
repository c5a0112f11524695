import { ApiGatewayV2Client } from '@aws-sdk/client-apigatewayv2';
import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CognitoIdentityProviderClient, CreateUserPoolCommand, CreateUserPoolDomainCommand } from '@aws-sdk/client-cognito-identity-provider';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { CreateHostedZoneCommand, Route53Client } from '@aws-sdk/client-route-53';
import { SESClient } from '@aws-sdk/client-ses';
import type { SESv2Client } from '@aws-sdk/client-sesv2';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { awsAccountPlan } from '../../preflight/adapters/account-plan.ts';
import { awsDeployAccess } from '../../preflight/adapters/deploy-access.ts';
import { awsExistingResources } from '../../preflight/adapters/existing-resources.ts';
import { clientConfigFor, createStack, withTestEmulator } from '../support/test-emulator.ts';

const emulator = withTestEmulator();

describe('the account over AWS', () => {
  let account: ReturnType<typeof awsDeployAccess> & ReturnType<typeof awsExistingResources>;
  let made: { readonly zoneId: string; readonly poolId: string };
  beforeAll(async () => {
    await createStack(clientConfigFor(emulator.endpoint), 'Existing', { Resources: { Queue: { Type: 'AWS::SQS::Queue' } } });
    await new SSMClient().send(new PutParameterCommand({ Name: '/bootstrap/version', Type: 'String', Value: '30' }));
    const cognito = new CognitoIdentityProviderClient();
    const { UserPool: pool } = await cognito.send(new CreateUserPoolCommand({ PoolName: 'people' }));
    await cognito.send(new CreateUserPoolDomainCommand({ Domain: 'taken-prefix', UserPoolId: pool!.Id! }));
    const { HostedZone: zone } = await new Route53Client().send(new CreateHostedZoneCommand({ Name: 'zone.test', CallerReference: 'zone' }));
    account = { ...awsDeployAccess(), ...awsExistingResources() };
    made = { zoneId: zone!.Id!.replace('/hostedzone/', ''), poolId: pool!.Id! };
  });

  test.each<[title: string, ask: () => Promise<unknown>, expected: () => unknown]>([
    [
      'caller returns the account and an ARN of it',
      () => account.caller(),
      () => ({ account: '000000000000', arn: expect.stringMatching(/^arn:aws:[a-z]+::000000000000:/) as string }),
    ],
    ['bootstrapVersion returns the number of the parameter', () => account.bootstrapVersion('/bootstrap/version'), () => 30],
    ['bootstrapVersion returns undefined before the bootstrap', () => account.bootstrapVersion('/cdk-bootstrap/hnb659fds/version'), () => undefined],
    ['the plan of the account is the paid one, which does not end', awsAccountPlan(), () => ({ type: 'PAID', status: 'ACTIVE' })],
    ['stackStatus returns the status of a stack', () => account.stackStatus('Existing'), () => 'CREATE_COMPLETE'],
    ['stackStatus returns undefined for a name that is free', () => account.stackStatus('Absent'), () => undefined],
    ['poolOfDomainPrefix returns the pool of a prefix', () => account.poolOfDomainPrefix('taken-prefix'), () => made.poolId],
    ['poolOfDomainPrefix returns undefined for a prefix that is free', () => account.poolOfDomainPrefix('free-prefix'), () => undefined],
    ['hasApiDomain says no for a name that API Gateway does not have', () => account.hasApiDomain('jmap.absent.test'), () => false],
    ['activeRuleSet returns undefined while none is active', () => account.activeRuleSet(), () => undefined],
    ['reservedConcurrency returns 0 for Lambdas that do not exist', () => account.reservedConcurrency(['absent-deliver', 'absent-submit']), () => 0],
    ['pricePlan returns undefined while SES names no plan', () => account.pricePlan(), () => undefined],
    [
      'hostedZone returns the name and the name servers of a zone',
      () => account.hostedZone(made.zoneId),
      () => ({ name: 'zone.test', isPrivate: false, nameServers: expect.arrayContaining([expect.any(String)]) as string[] }),
    ],
    ['hostedZone returns undefined for an unknown id', () => account.hostedZone('Z0000000000ABSENT'), () => undefined],
  ])('%s', async (_title, ask, expected) => {
    expect(await ask()).toEqual(expected());
  });

  test('tells a refusal from an absent stack, and the price plan of now from that of the next month', async () => {
    const denied = { send: () => Promise.reject(Object.assign(new Error('User is not authorized'), { name: 'AccessDenied' })) };
    const planned = { send: async () => ({ PricingAttributes: { CurrentPlan: 'ESSENTIALS', NextPlan: 'NONE' } }) };
    const existing = awsExistingResources({
      apis: new ApiGatewayV2Client(),
      cognito: new CognitoIdentityProviderClient(),
      lambda: new LambdaClient(),
      ses: new SESClient(),
      route53: new Route53Client(),
      sending: planned as unknown as SESv2Client,
      cloudFormation: denied as unknown as CloudFormationClient,
    });
    await expect(existing.stackStatus('Existing')).rejects.toThrow('not authorized');
    expect(await existing.pricePlan()).toEqual({ current: 'ESSENTIALS', next: 'NONE' });
  });
});
