import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

/** Reads a secret once and keeps it; a failed read is tried again by the next caller. */
export const secretReader = (arn: string, client = new SecretsManagerClient()): (() => Promise<string>) => {
  let reading: Promise<string> | undefined;
  const read = async (): Promise<string> => {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: arn }));
    if (!SecretString) throw new Error('the secret is empty');
    return SecretString;
  };
  return () => reading ??= read().catch((error: unknown) => {
    reading = undefined;
    throw error;
  });
};
