import { CognitoIdentityProviderClient, DescribeUserPoolClientCommand } from '@aws-sdk/client-cognito-identity-provider';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { invoked } from '../../../core/runtime/invocation.ts';
import { customResource, property, type CustomResourceAction } from '../../../core/runtime/lambda/custom-resource.ts';

/** Copies an app client's secret from Cognito to Secrets Manager. The secret is in no response and no log. */
export const copyClientSecret =
  (cognito: Pick<CognitoIdentityProviderClient, 'send'>, secretsManager: Pick<SecretsManagerClient, 'send'>): CustomResourceAction =>
  async (event) => {
    const clientId = property(event, 'clientId');
    const secretArn = property(event, 'secretArn');
    if (event.RequestType === 'Delete') return { physicalId: event.PhysicalResourceId ?? secretArn };
    const describe = new DescribeUserPoolClientCommand({ UserPoolId: property(event, 'userPoolId'), ClientId: clientId });
    const { UserPoolClient: client } = await cognito.send(describe);
    if (!client?.ClientSecret) throw new Error(`the client ${clientId} has no secret`);
    await secretsManager.send(new PutSecretValueCommand({ SecretId: secretArn, SecretString: client.ClientSecret, ClientRequestToken: event.RequestId }));
    return { physicalId: secretArn };
  };

export const handler = invoked(customResource('client-secret', copyClientSecret(new CognitoIdentityProviderClient(), new SecretsManagerClient())));
