import { randomBytes } from 'node:crypto';
import { property, type CustomResourceAction } from '../../../core/runtime/lambda/custom-resource.ts';
import { storedSecretKey, type StoredSecretName } from '../../../core/storage/stored-secret.ts';
import type { Table } from '../../../core/storage/table.ts';

/** The table that has a secret. */
export type SecretTables = (name: StoredSecretName) => Pick<Table, 'get' | 'write'>;

/**
 * Stores a random secret of the deployment in its table, once. An existing value is never replaced. Delete leaves the
 * item to the table's removal policy.
 */
export const storeSecret = (tableOf: SecretTables): CustomResourceAction => async (event) => {
  const name = property(event, 'name') as StoredSecretName;
  const physicalId = `secret:${name}`;
  if (event.RequestType === 'Delete') return { physicalId: event.PhysicalResourceId ?? physicalId };
  const table = tableOf(name);
  const key = storedSecretKey(name);
  if (await table.get(key)) return { physicalId };
  const value = randomBytes(48).toString('base64url');
  await table.write([{ put: { ...key, value }, if: { absent: true } }]).catch(async (error: unknown) => {
    // Another run of the same event may have stored it.
    if (!await table.get(key)) throw error;
  });
  return { physicalId };
};
