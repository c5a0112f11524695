import { secretKey } from '../../contract/deployment/keys.ts';
import type { Key, Table } from './table.ts';

/** The deployment's own secrets. Each is in the table whose Lambdas need it. */
export type StoredSecretName = 'copy-mark' | 'page-token' | 'vapid';

/** The key of a secret's item. Its `value` has at least 64 random letters and digits. */
export const storedSecretKey = (name: StoredSecretName): Key => secretKey(name);

/** Reads a secret of the deployment once and keeps it in memory. `lambdas/deploy-hooks/stored-secret` has stored it. */
export const storedSecret = (table: Pick<Table, 'get'>, name: StoredSecretName): (() => Promise<string>) => {
  let secret: Promise<string> | undefined;
  const read = async (): Promise<string> => {
    const value = (await table.get(storedSecretKey(name)))?.['value'];
    if (typeof value !== 'string' || !value) throw new Error(`the secret ${name} is not stored`);
    return value;
  };
  return () =>
    (secret ??= read().catch((error: unknown) => {
      secret = undefined;
      throw error;
    }));
};
