import { randomBytes } from 'node:crypto';
import { property, type CustomResourceAction } from '../../../core/runtime/lambda/custom-resource.ts';
import { storedSecretKey, type StoredSecretName } from '../../../core/storage/stored-secret.ts';
import type { Table } from '../../../core/storage/table.ts';

/** Returns the table in which a secret is stored. */
type SecretTables = (name: StoredSecretName) => Pick<Table, 'get' | 'write'>;

const names = ['copy-mark', 'page-token', 'vapid'] as const satisfies readonly StoredSecretName[];

const secretName = (given: string): StoredSecretName => {
  const name = names.find((each) => each === given);
  if (name === undefined) throw new Error(`there is no secret ${given}`);
  return name;
};

/** Stores a random secret once. An existing value is never replaced, and Delete keeps it. */
export const storeSecret =
  (tableOf: SecretTables): CustomResourceAction =>
  async (event) => {
    const name = secretName(property(event, 'name'));
    const physicalId = `secret:${name}`;
    if (event.RequestType === 'Delete') return { physicalId: event.PhysicalResourceId ?? physicalId };
    const table = tableOf(name);
    const key = storedSecretKey(name);
    if (await table.get(key)) return { physicalId };
    const value = randomBytes(48).toString('base64url');
    await table.write([{ put: { ...key, value }, if: { absent: true } }]).catch(async (error: unknown) => {
      // Another run for the same event may have stored it.
      if (!(await table.get(key))) throw error;
    });
    return { physicalId };
  };
