import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

/**
 * Returns a function that reads a secret of Secrets Manager once and keeps it. After a failed read the next call reads
 * again.
 */
export const secretReader = (arn: string, client = new SecretsManagerClient()): (() => Promise<string>) => {
  let secret: Promise<string> | undefined;
  const read = async (): Promise<string> => {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: arn }));
    if (!SecretString) throw new Error('the secret is empty');
    return SecretString;
  };
  return () => secret ??= read().catch((error: unknown) => {
    secret = undefined;
    throw error;
  });
};
