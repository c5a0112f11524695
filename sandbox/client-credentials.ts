import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { awsOf, type AwsPlace } from './aws-target.ts';
import type { HeadlessClient } from './sandbox-description.ts';
import { tokensFor, type Tokens } from './hosted-sign-in.ts';
import { SandboxError } from './sandbox-error.ts';

/** The client's secret, from Secrets Manager, the only place that has it. */
export const clientSecret = async (client: HeadlessClient, place: AwsPlace): Promise<string> => {
  const secrets = new SecretsManagerClient(awsOf(place));
  try {
    const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: client.clientSecretArn }));
    if (!SecretString) throw new SandboxError(`The secret of client ${client.clientId} is empty.`);
    return SecretString;
  } finally {
    secrets.destroy();
  }
};

/** A machine's token: client_credentials with HTTP Basic (RFC 6749 §4.4, §2.3.1). `scope` is space-separated; empty asks for all that the client has. */
export const clientToken = async (
  client: HeadlessClient,
  scope: string,
  place: AwsPlace & { readonly authUrl: string },
): Promise<Tokens> => {
  const secret = await clientSecret(client, place);
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scope) form.set('scope', scope);
  return tokensFor(place.authUrl, form, { authorization: `Basic ${Buffer.from(`${client.clientId}:${secret}`).toString('base64')}` });
};
