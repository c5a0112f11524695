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
  ResourceProperties: { name: 'vapid' },
  ...overrides,
});

/** A deployment with an empty table. */
const deployment = () => {
  const table = memoryTable();
  return { table, action: storeSecret(() => table), read: () => storedSecret(table, 'vapid')() };
};

describe('the stored-secret hook', () => {
  test('stores 64 random characters in a new deployment, and returns none of them to CloudFormation', async () => {
    const [one, other] = [deployment(), deployment()];
    expect(await one.action(event())).toEqual({ physicalId: 'secret:vapid' });
    await other.action(event());
    expect(await one.read()).toMatch(/^[\w-]{64}$/);
    expect(await one.read()).not.toBe(await other.read());
  });

  test('keeps the stored value at each later event', async () => {
    const { action, read } = deployment();
    await action(event());
    const value = await read();
    for (const RequestType of ['Create', 'Update', 'Delete', 'Create'] as const) {
      expect(await action(event({ RequestType, ...(RequestType !== 'Create' && { PhysicalResourceId: 'secret:vapid' }) }))).toEqual({
        physicalId: 'secret:vapid',
      });
    }
    expect(await read()).toBe(value);
  });
});

describe('a stored secret', () => {
  test('is read once, and again after a failure', async () => {
    const { table, action } = deployment();
    let reads = 0;
    const read = storedSecret(
      {
        get: (key) => {
          reads++;
          return table.get(key);
        },
      },
      'vapid',
    );
    await expect(read()).rejects.toThrow('the secret vapid is not stored');
    await action(event());
    expect(await read()).toBe(await read());
    expect(reads).toBe(2);
  });
});
