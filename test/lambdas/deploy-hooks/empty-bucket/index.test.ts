import type { CustomResourceEvent } from '../../../../core/runtime/lambda/custom-resource.ts';
import { sdkObjects } from '../../../../core/storage/s3/sdk-objects.ts';
import { emptyBucket } from '../../../../lambdas/deploy-hooks/empty-bucket/index.ts';

type Command = {
  readonly input: { readonly Bucket: string; readonly Delete?: { readonly Objects: readonly { readonly Key: string; readonly VersionId: string }[] } };
};

/**
 * A bucket that lists at most a thousand versions and refuses to delete some keys. Every fifth version is a delete
 * marker.
 */
const bucket = (count: number, undeletable: readonly string[] = []) => {
  const keys = new Set(Array.from({ length: count }, (_, index) => `messages/${index}`));
  let calls = 0;
  const send = async (command: Command) => {
    calls++;
    expect(command.input.Bucket).toBe('mail');
    if (!command.input.Delete) {
      const listed = [...keys].slice(0, 1000).map((Key) => ({ Key, VersionId: 'v1' }));
      const isMarker = ({ Key }: { Key: string }) => Key.endsWith('5');
      return { Versions: listed.filter((each) => !isMarker(each)), DeleteMarkers: listed.filter(isMarker) };
    }
    expect(command.input.Delete.Objects.every(({ VersionId }) => VersionId === 'v1')).toBe(true);
    const refused = command.input.Delete.Objects.filter(({ Key }) => undeletable.includes(Key));
    for (const { Key } of command.input.Delete.Objects) if (!undeletable.includes(Key)) keys.delete(Key);
    return refused.length > 0 ? { Errors: refused.map(({ Key }) => ({ Key, Code: 'AccessDenied' })) } : {};
  };
  return { keys, calls: () => calls, action: emptyBucket((name) => sdkObjects(name, { send } as never)) };
};
const event = (RequestType: CustomResourceEvent['RequestType']): CustomResourceEvent => ({
  RequestType,
  RequestId: 'r',
  StackId: 's',
  LogicalResourceId: 'l',
  ResponseURL: 'https://answer.example',
  ResourceProperties: { bucketName: 'mail' },
});

describe('the empty-bucket hook', () => {
  test('deletes all versions and delete markers on Delete, even more than one listing contains', async () => {
    const { keys, action } = bucket(2500);
    expect(await action(event('Delete'))).toEqual({ physicalId: 'emptied:mail' });
    expect(keys.size).toBe(0);
  });

  test.each(['Create', 'Update'] as const)('changes nothing on %s', async (type) => {
    const { keys, calls, action } = bucket(3);
    expect(await action(event(type))).toEqual({ physicalId: 'emptied:mail' });
    expect([keys.size, calls()]).toEqual([3, 0]);
  });

  test('fails with the reason when an object cannot be deleted, and does not try again', async () => {
    const { action } = bucket(3, ['messages/1']);
    await expect(action(event('Delete'))).rejects.toThrow('1 objects could not be deleted: AccessDenied');
  });
});
