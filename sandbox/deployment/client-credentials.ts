import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { requestTokens, type Tokens } from '../clients/hosted-sign-in.ts';
import { SandboxError } from '../process/sandbox-error.ts';
import type { HeadlessClient } from '../state/sandbox-description.ts';
import { awsClientConfig, type AwsTarget } from './aws-target.ts';

/** Reads the client's secret from Secrets Manager. */
export const clientSecret = async (client: HeadlessClient, place: AwsTarget): Promise<string> => {
  const secrets = new SecretsManagerClient(awsClientConfig(place));
  try {
    const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: client.clientSecretArn }));
    if (!SecretString) throw new SandboxError(`The secret of client ${client.clientId} is empty.`);
    return SecretString;
  } finally {
    secrets.destroy();
  }
};

/**
 * Gets a machine's token by client_credentials with HTTP Basic (RFC 6749 §4.4, §2.3.1). `scope` is space-separated;
 * empty requests all scopes of the client.
 */
export const clientToken = async (client: HeadlessClient, scope: string, place: AwsTarget & { readonly authUrl: string }): Promise<Tokens> => {
  const secret = await clientSecret(client, place);
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scope) form.set('scope', scope);
  return requestTokens(place.authUrl, form, { authorization: `Basic ${Buffer.from(`${client.clientId}:${secret}`).toString('base64')}` });
};
