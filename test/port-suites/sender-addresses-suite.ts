import type { SenderAddresses } from '../../core/aws/ses/ses-sender-addresses.ts';
import { FailedPrecondition, InvalidInput } from '../../core/runtime/domain-errors.ts';

/**
 * The specification of {@link SenderAddresses}, which every adapter passes.
 * @param start `verify` follows the verification link for an address.
 * @param registerElsewhere registers an address in the same AWS account as another application would.
 */
export const senderAddressesSuite = (
  start: () => Promise<{ addresses: SenderAddresses; verify: (email: string) => Promise<void> }>,
  registerElsewhere: (email: string) => Promise<void>,
): void => {
  let addresses: SenderAddresses;
  let verify: (email: string) => Promise<void>;
  beforeAll(async () => {
    ({ addresses, verify } = await start());
  });

  test('register leaves an address pending until its owner follows the link', async () => {
    expect(await addresses.find('new@example.test')).toBeUndefined();
    expect(await addresses.register('new@example.test')).toBe(true);
    expect(await addresses.find('new@example.test')).toEqual({ email: 'new@example.test', status: 'PENDING' });
    expect(await addresses.listVerifiedIdentities()).not.toContain('new@example.test');
    await verify('new@example.test');
    expect(await addresses.find('new@example.test')).toEqual({ email: 'new@example.test', status: 'SUCCESS' });
    expect(await addresses.listVerifiedIdentities()).toContain('new@example.test');
  });

  test('register keeps an address that is registered already', async () => {
    await addresses.register('twice@example.test');
    await verify('twice@example.test');
    expect(await addresses.register('twice@example.test')).toBe(false);
    expect(await addresses.find('twice@example.test')).toMatchObject({ status: 'SUCCESS' });
  });

  test('remove removes an address, which can be registered again', async () => {
    await addresses.register('gone@example.test');
    expect(await addresses.remove('gone@example.test')).toBe(true);
    expect(await addresses.remove('gone@example.test')).toBe(false);
    expect(await addresses.find('gone@example.test')).toBeUndefined();
    expect(await addresses.register('gone@example.test')).toBe(true);
  });

  test('remove refuses an address that another application registered, which stays', async () => {
    await registerElsewhere('foreign@example.test');
    await expect(addresses.remove('foreign@example.test')).rejects.toThrow(FailedPrecondition);
    expect(await addresses.find('foreign@example.test')).toMatchObject({ email: 'foreign@example.test' });
  });

  test('list returns each address once over several pages, and no domains', async () => {
    for (const name of ['l1', 'l2', 'l3']) await addresses.register(`${name}@list.test`);
    const found: string[] = [];
    let after: string | undefined;
    do {
      const page = await addresses.list(after, 2);
      expect(page.items.length).toBeLessThanOrEqual(2);
      found.push(...page.items.map(({ email }) => email));
      after = page.next;
    } while (after !== undefined);
    expect(found.filter((email) => email.endsWith('@list.test'))).toEqual(['l1@list.test', 'l2@list.test', 'l3@list.test']);
    expect(new Set(found).size).toBe(found.length);
    expect(found.every((email) => email.includes('@'))).toBe(true);
  });

  test('list refuses a position that it did not return, with InvalidInput', async () => {
    await expect(addresses.list('nowhere at all', 2)).rejects.toThrow(InvalidInput);
  });
};
