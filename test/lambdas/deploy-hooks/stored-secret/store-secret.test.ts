import type { CustomResourceEvent } from '../../../../core/runtime/lambda/custom-resource.ts';
import { storedSecret } from '../../../../core/storage/stored-secret.ts';
import { storeSecret } from '../../../../lambdas/deploy-hooks/stored-secret/store-secret.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';

const event = (overrides: Partial<CustomResourceEvent> = {}): CustomResourceEvent => ({
  RequestType: 'Create',
  RequestId: '0f8fad5b-d9cb-469f-a165-70867728950e',
  StackId: 's',
  LogicalResourceId: 'l',
  ResponseURL: 'https://answer.example',
  ResourceProperties: { name: 'vapid', formerFunction: 'Postrider-web-push', formerVariable: 'VAPID_SECRET_ARN' },
  ...overrides,
});

/** A deployment whose Lambdas have these variables, and Secrets Manager with these secrets. */
const deployment = (variables: Record<string, string> = {}, secrets: Record<string, string> = {}) => {
  const table = memoryTable();
  const action = storeSecret({
    tableOf: () => table,
    former: {
      readVariable: async (functionName, variable) => variables[`${functionName} ${variable}`],
      async readSecret(arn) {
        const value = secrets[arn];
        if (value === undefined) throw new Error('AccessDenied');
        return value;
      },
    },
  });
  return { table, action, read: () => storedSecret(table, 'vapid')() };
};

const released = { 'Postrider-web-push VAPID_SECRET_ARN': 'arn:vapid' };

describe('the stored-secret hook', () => {
  test('stores 64 random characters in a new deployment, and returns none of them to CloudFormation', async () => {
    const [one, other] = [deployment(), deployment()];
    expect(await one.action(event())).toEqual({ physicalId: 'secret:vapid' });
    await other.action(event());
    expect(await one.read()).toMatch(/^[\w-]{64}$/);
    expect(await one.read()).not.toBe(await other.read());
  });

  test('keeps the value that is stored, at each later event', async () => {
    const { action, read } = deployment();
    await action(event());
    const value = await read();
    for (const RequestType of ['Create', 'Update', 'Delete', 'Create'] as const) {
      expect(await action(event({ RequestType, ...(RequestType !== 'Create' && { PhysicalResourceId: 'secret:vapid' }) })))
        .toEqual({ physicalId: 'secret:vapid' });
    }
    expect(await read()).toBe(value);
  });

  test('keeps the secret of a release that had it in Secrets Manager', async () => {
    const { action, read } = deployment(released, { 'arn:vapid': 'the former secret' });
    await action(event());
    expect(await read()).toBe('the former secret');
  });

  test('fails, and stores nothing, when that secret cannot be read', async () => {
    const { table, action } = deployment(released);
    await expect(action(event())).rejects.toThrow('AccessDenied');
    expect(await table.get({ pk: 'secret', sk: 'vapid' })).toBeUndefined();
  });

  test('makes a new secret where there was no former one to keep', async () => {
    const { action, read } = deployment(released, { 'arn:vapid': 'the former secret' });
    await action(event({ ResourceProperties: { name: 'vapid' } }));
    expect(await read()).toMatch(/^[\w-]{64}$/);
  });
});

describe('a stored secret', () => {
  test('is read once, and again after a failure', async () => {
    const { table, action } = deployment();
    let reads = 0;
    const read = storedSecret({ get: (key) => { reads++; return table.get(key); } }, 'vapid');
    await expect(read()).rejects.toThrow('the secret vapid is not stored');
    await action(event());
    expect(await read()).toBe(await read());
    expect(reads).toBe(2);
  });
});
