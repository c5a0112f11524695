import type { CustomResourceEvent } from '../../../../core/runtime/custom-resource.ts';
import { empty } from '../../../../lambdas/deploy-hooks/empty-bucket/empty.ts';

type Command = { readonly input: { readonly Bucket: string; readonly Delete?: { readonly Objects: readonly { readonly Key: string }[] } } };

/** A bucket that lists a thousand keys at most, and keeps some keys whatever is asked. */
const bucket = (count: number, kept: readonly string[] = []) => {
  const keys = new Set(Array.from({ length: count }, (_, index) => `messages/${index}`));
  let trips = 0;
  const send = async (command: Command) => {
    trips++;
    expect(command.input.Bucket).toBe('mail');
    if (!command.input.Delete) return { Contents: [...keys].slice(0, 1000).map((Key) => ({ Key })) };
    const refused = command.input.Delete.Objects.filter(({ Key }) => kept.includes(Key));
    for (const { Key } of command.input.Delete.Objects) if (!kept.includes(Key)) keys.delete(Key);
    return refused.length > 0 ? { Errors: refused.map(({ Key }) => ({ Key, Code: 'AccessDenied' })) } : {};
  };
  return { keys, trips: () => trips, action: empty({ send } as never) };
};
const event = (RequestType: CustomResourceEvent['RequestType']): CustomResourceEvent => ({
  RequestType, RequestId: 'r', StackId: 's', LogicalResourceId: 'l', ResponseURL: 'https://answer.example', ResourceProperties: { bucketName: 'mail' },
});

describe('a bucket whose stack is removed', () => {
  test('is emptied, however much is in it', async () => {
    const { keys, action } = bucket(2500);
    expect(await action(event('Delete'))).toEqual({ physicalId: 'emptied:mail' });
    expect(keys.size).toBe(0);
  });

  test.each(['Create', 'Update'] as const)('is not touched on %s', async (type) => {
    const { keys, trips, action } = bucket(3);
    expect(await action(event(type))).toEqual({ physicalId: 'emptied:mail' });
    expect([keys.size, trips()]).toEqual([3, 0]);
  });

  test('an object that stays ends it with words, not with another try for ever', async () => {
    const { action } = bucket(3, ['messages/1']);
    await expect(action(event('Delete'))).rejects.toThrow('1 objects of the mail bucket could not be deleted: AccessDenied');
  });
});
