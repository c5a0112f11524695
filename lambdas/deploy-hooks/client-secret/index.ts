import { CognitoIdentityProviderClient, DescribeUserPoolClientCommand } from '@aws-sdk/client-cognito-identity-provider';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { customResource, property, type CustomResourceAction } from '../../../core/runtime/lambda/custom-resource.ts';

/**
 * Copies the secret of an app client from Cognito to Secrets Manager when the client is created or replaced. The secret
 * is in neither the response to CloudFormation nor the log. Delete changes nothing: CloudFormation deletes the secret.
 */
export const copyClientSecret = (
  cognito: Pick<CognitoIdentityProviderClient, 'send'>,
  secretsManager: Pick<SecretsManagerClient, 'send'>,
): CustomResourceAction => async (event) => {
  const clientId = property(event, 'clientId');
  const secretArn = property(event, 'secretArn');
  if (event.RequestType === 'Delete') return { physicalId: event.PhysicalResourceId ?? secretArn };
  const describe = new DescribeUserPoolClientCommand({ UserPoolId: property(event, 'userPoolId'), ClientId: clientId });
  const { UserPoolClient: client } = await cognito.send(describe);
  if (!client?.ClientSecret) throw new Error(`the client ${clientId} has no secret`);
  await secretsManager.send(new PutSecretValueCommand({
    SecretId: secretArn, SecretString: client.ClientSecret, ClientRequestToken: event.RequestId,
  }));
  return { physicalId: secretArn };
};

export const handler = customResource('client-secret', copyClientSecret(new CognitoIdentityProviderClient(), new SecretsManagerClient()));
