import type { Key, Table } from './table.ts';

/** The secrets of the deployment itself, each in the table whose Lambdas need it. */
export type StoredSecretName = 'page-token' | 'vapid';

/** The key of a secret's item. Its `value` has 64 random letters and digits or more. */
export const storedSecretKey = (name: StoredSecretName): Key => ({ pk: 'secret', sk: name });

/**
 * Returns a function that reads a secret of the deployment once and keeps it. After a failed read the next call reads
 * again. `lambdas/deploy-hooks/stored-secret` writes it before the Lambda is deployed.
 */
export const storedSecret = (table: Pick<Table, 'get'>, name: StoredSecretName): (() => Promise<string>) => {
  let secret: Promise<string> | undefined;
  const read = async (): Promise<string> => {
    const value = (await table.get(storedSecretKey(name)))?.['value'];
    if (typeof value !== 'string' || !value) throw new Error(`the secret ${name} is not stored`);
    return value;
  };
  return () => secret ??= read().catch((error: unknown) => {
    secret = undefined;
    throw error;
  });
};
