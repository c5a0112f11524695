import { ApiGatewayV2Client } from '@aws-sdk/client-apigatewayv2';
import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CognitoIdentityProviderClient, CreateUserPoolCommand, CreateUserPoolDomainCommand } from '@aws-sdk/client-cognito-identity-provider';
import { CreateHostedZoneCommand, Route53Client } from '@aws-sdk/client-route-53';
import { SESClient } from '@aws-sdk/client-ses';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { awsDeployAccess } from '../../preflight/adapters/deploy-access.ts';
import { awsExistingResources } from '../../preflight/adapters/existing-resources.ts';
import { preflightAccountSuite } from '../port-suites/preflight-account-suite.ts';
import { clientConfigFor, createStack, withTestEmulator } from '../support/test-emulator.ts';

const emulator = withTestEmulator();

describe('the account over AWS', () => {
  preflightAccountSuite(async () => {
    await createStack(clientConfigFor(emulator.endpoint), 'Existing', { Resources: { Queue: { Type: 'AWS::SQS::Queue' } } });
    await new SSMClient().send(new PutParameterCommand({ Name: '/bootstrap/version', Type: 'String', Value: '30' }));
    const cognito = new CognitoIdentityProviderClient();
    const { UserPool: pool } = await cognito.send(new CreateUserPoolCommand({ PoolName: 'people' }));
    await cognito.send(new CreateUserPoolDomainCommand({ Domain: 'taken-prefix', UserPoolId: pool!.Id! }));
    const { HostedZone: zone } = await new Route53Client().send(new CreateHostedZoneCommand({ Name: 'zone.test', CallerReference: 'zone' }));
    return { ...awsDeployAccess(), ...awsExistingResources(), zoneId: zone!.Id!.replace('/hostedzone/', ''), poolId: pool!.Id! };
  });

  test('has no bootstrap version before the bootstrap', async () => {
    expect(await awsDeployAccess().bootstrapVersion('/cdk-bootstrap/hnb659fds/version')).toBeUndefined();
  });

  test('tells a refusal from an absent stack', async () => {
    const denied = { send: () => Promise.reject(Object.assign(new Error('User is not authorized'), { name: 'AccessDenied' })) };
    const existing = awsExistingResources({
      apis: new ApiGatewayV2Client(), cognito: new CognitoIdentityProviderClient(), lambda: new LambdaClient(), ses: new SESClient(), sending: new SESv2Client(), route53: new Route53Client(),
      cloudFormation: denied as unknown as CloudFormationClient,
    });
    await expect(existing.stackStatus('Existing')).rejects.toThrow('not authorized');
  });
});
