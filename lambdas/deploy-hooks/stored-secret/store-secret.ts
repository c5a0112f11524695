import { randomBytes } from 'node:crypto';
import { property, type CustomResourceAction } from '../../../core/runtime/lambda/custom-resource.ts';
import { storedSecretKey, type StoredSecretName } from '../../../core/storage/stored-secret.ts';
import type { Table } from '../../../core/storage/table.ts';

/** Where releases before this one kept the secrets: in Secrets Manager, with the ARN in a variable of a Lambda. */
export type FormerSecrets = {
  /** The value of a variable of a Lambda as it is deployed now; undefined without the Lambda or the variable. */
  readVariable(functionName: string, variable: string): Promise<string | undefined>;
  /** @throws when the secret cannot be read. */
  readSecret(arn: string): Promise<string>;
};

export type StoreSecretConnections = {
  readonly tableOf: (name: StoredSecretName) => Pick<Table, 'get' | 'write'>;
  readonly former: FormerSecrets;
};

/** A property that the template may leave out. */
const optionalProperty = (properties: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = properties[name];
  return typeof value === 'string' && value ? value : undefined;
};

/**
 * Stores a random secret of the deployment in its table, once. A value that exists stays, whatever happens to the
 * stack. An update from a release that kept the secret in Secrets Manager copies it from there: CloudFormation replaces
 * the Lambda whose variable has the ARN after this resource, and deletes the former secret at the end. If that secret
 * cannot be read, the update fails, and nothing is lost. Delete leaves the item to the table's removal policy.
 */
export const storeSecret = ({ tableOf, former }: StoreSecretConnections): CustomResourceAction => async (event) => {
  const name = property(event, 'name') as StoredSecretName;
  const physicalId = `secret:${name}`;
  if (event.RequestType === 'Delete') return { physicalId: event.PhysicalResourceId ?? physicalId };
  const table = tableOf(name);
  const key = storedSecretKey(name);
  if (await table.get(key)) return { physicalId };
  const { ResourceProperties: properties } = event;
  const [functionName, variable] = [optionalProperty(properties, 'formerFunction'), optionalProperty(properties, 'formerVariable')];
  const formerArn = functionName && variable ? await former.readVariable(functionName, variable) : undefined;
  const value = formerArn ? await former.readSecret(formerArn) : randomBytes(48).toString('base64url');
  await table.write([{ put: { ...key, value }, if: { absent: true } }]).catch(async (error: unknown) => {
    // Another run of the same event may have stored it.
    if (!await table.get(key)) throw error;
  });
  return { physicalId };
};
