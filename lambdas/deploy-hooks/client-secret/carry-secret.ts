import { DescribeUserPoolClientCommand, type CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { PutSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { property, type CustomResourceAction } from '../../../core/runtime/custom-resource.ts';

/**
 * Carries the secret of a user pool's client to Secrets Manager when the client is made or another takes its place.
 * It shows up nowhere else: not in the answer to CloudFormation, not in the log. On Delete nothing is left to do, the secret's own resource goes with the stack.
 */
export const carrySecret = (cognito: Pick<CognitoIdentityProviderClient, 'send'>, secrets: Pick<SecretsManagerClient, 'send'>): CustomResourceAction =>
  async (event) => {
    const clientId = property(event, 'clientId');
    const secretArn = property(event, 'secretArn');
    if (event.RequestType === 'Delete') return { physicalId: event.PhysicalResourceId ?? secretArn };
    const { UserPoolClient } = await cognito.send(new DescribeUserPoolClientCommand({ UserPoolId: property(event, 'userPoolId'), ClientId: clientId }));
    const secret = UserPoolClient?.ClientSecret;
    if (!secret) throw new Error(`the client ${clientId} has no secret`);
    await secrets.send(new PutSecretValueCommand({ SecretId: secretArn, SecretString: secret, ClientRequestToken: event.RequestId }));
    return { physicalId: secretArn };
  };
