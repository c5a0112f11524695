import type { IdentityProvider } from '../../core/aws/identity-provider.ts';

/**
 * The specification of {@link IdentityProvider}, which every adapter passes.
 * @param start `invitations` returns the invited addresses; `choosePassword` simulates the first sign-in of a person;
 * `setUpSecondFactor` gives them an authenticator app, and `hasSecondFactor` says whether they have one; `withoutMfa` is
 * a provider that asks for no second factor, and the username of a person in it.
 */
export const identityProviderSuite = (
  start: () => Promise<{
    provider: IdentityProvider;
    invitations?: () => readonly string[];
    choosePassword: (email: string) => Promise<void>;
    setUpSecondFactor: (username: string) => Promise<void>;
    hasSecondFactor: (username: string) => Promise<boolean>;
    withoutMfa: () => Promise<{ provider: IdentityProvider; username: string }>;
  }>,
): void => {
  let provider: IdentityProvider;
  let invitations: (() => readonly string[]) | undefined;
  let started: Awaited<ReturnType<typeof start>>;
  const choosePassword = (email: string): Promise<void> => started.choosePassword(email);
  beforeAll(async () => {
    started = await start();
    ({ provider, invitations } = started);
  });

  test('invite creates a person, whom find returns by address and by username', async () => {
    const invited = await provider.invite('alice@example.test', {});
    expect(invited).toMatchObject({ provider: 'cognito', email: 'alice@example.test', groups: [] });
    expect(invited.sub).toMatch(/^[0-9a-f-]{36}$/);
    expect(await provider.find('alice@example.test')).toEqual(invited);
    expect(await provider.find(invited.username)).toEqual(invited);
  });

  test('invite returns an existing person without another invitation', async () => {
    const first = await provider.invite('bob@example.test', {});
    expect(await provider.invite('bob@example.test', {})).toEqual(first);
    expect(invitations?.().filter((email) => email === 'bob@example.test') ?? ['bob']).toHaveLength(1);
  });

  test('resendInvitation invites a person again who has not chosen a password, and no other person', async () => {
    const invited = await provider.invite('dora@example.test', {});
    await provider.resendInvitation('dora@example.test', {});
    expect(await provider.find('dora@example.test')).toEqual(invited);
    expect(invitations?.().filter((email) => email === 'dora@example.test') ?? ['dora', 'dora']).toHaveLength(2);
    await choosePassword('dora@example.test');
    for (const email of ['dora@example.test', 'nobody@example.test']) {
      await expect(provider.resendInvitation(email, {})).rejects.toMatchObject({ name: 'FailedPrecondition' });
    }
  });

  test('invite without mail creates a person who gets no invitation', async () => {
    const invited = await provider.invite('frank@example.test', undefined);
    expect(await provider.find('frank@example.test')).toEqual(invited);
    expect(invitations?.().filter((email) => email === 'frank@example.test') ?? []).toEqual([]);
  });

  test('resetPassword takes the chosen password of a person, so that they can be invited again, and refuses an unknown one', async () => {
    const { username } = await provider.invite('grace@example.test', {});
    await choosePassword('grace@example.test');
    await expect(provider.resendInvitation('grace@example.test', {})).rejects.toMatchObject({ name: 'FailedPrecondition' });
    await provider.resetPassword(username, 'abcd-EFGH-2345-wxyz');
    await provider.resendInvitation('grace@example.test', {});
    await expect(provider.resetPassword('0b0b0b0b-0000-4000-8000-000000000000', 'abcd-EFGH-2345-wxyz')).rejects.toMatchObject({ name: 'FailedPrecondition' });
  });

  test('removeSecondFactor removes the authenticator app of a person who has one, can be repeated, and refuses an unknown person', async () => {
    const { username } = await provider.invite('ivan@example.test', {});
    await started.setUpSecondFactor(username);
    expect(await started.hasSecondFactor(username)).toBe(true);
    expect(await provider.secondFactors(username)).toEqual(['AUTHENTICATOR_APP']);
    for (const _ of [1, 2]) {
      await provider.removeSecondFactor(username, true);
      expect(await started.hasSecondFactor(username)).toBe(false);
      expect(await provider.secondFactors(username)).toEqual([]);
    }
    expect(await provider.secondFactors('0b0b0b0b-0000-4000-8000-000000000000')).toEqual([]);
    await expect(provider.removeSecondFactor('0b0b0b0b-0000-4000-8000-000000000000', true)).rejects.toMatchObject({ name: 'FailedPrecondition' });
  });

  test('removeSecondFactor succeeds for a person who never signed in', async () => {
    const { username } = await provider.invite('nina@example.test', {});
    await provider.removeSecondFactor(username, false);
    expect(await started.hasSecondFactor(username)).toBe(false);
  });

  test('removeSecondFactor says that a person with an app and a temporary password chooses a password first, and works then', async () => {
    const { username } = await provider.invite('olga@example.test', {});
    await started.setUpSecondFactor(username);
    await provider.resetPassword(username, 'abcd-EFGH-2345-wxyz');
    for (const hasSignedIn of [true, false]) {
      await expect(provider.removeSecondFactor(username, hasSignedIn)).rejects.toMatchObject({
        name: 'FailedPrecondition',
        message: expect.stringContaining('temporary password'),
      });
    }
    await choosePassword('olga@example.test');
    await provider.removeSecondFactor(username, true);
    expect(await started.hasSecondFactor(username)).toBe(false);
  });

  test('removeSecondFactor is refused where nobody is asked for a second factor', async () => {
    const { provider: without, username } = await started.withoutMfa();
    await expect(without.removeSecondFactor(username, true)).rejects.toMatchObject({
      name: 'FailedPrecondition',
      message: expect.stringContaining('mfa=required'),
    });
  });

  test('changeAddress gives a person another address, can be repeated, and refuses one of another person and an unknown person', async () => {
    const { username, sub } = await provider.invite('judy@example.test', {});
    await provider.invite('kate@example.test', undefined);
    for (const _ of [1, 2]) {
      await provider.changeAddress(username, 'judith@example.test');
      expect(await provider.find('judith@example.test')).toMatchObject({ sub, email: 'judith@example.test' });
      expect(await provider.find('judy@example.test')).toBeUndefined();
    }
    await expect(provider.changeAddress(username, 'kate@example.test')).rejects.toMatchObject({ name: 'AlreadyExists' });
    await expect(provider.changeAddress('0b0b0b0b-0000-4000-8000-000000000000', 'lisa@example.test')).rejects.toMatchObject({ name: 'FailedPrecondition' });
  });

  test('endSessions can be repeated, and ignores an unknown person', async () => {
    const { username } = await provider.invite('heidi@example.test', {});
    for (const name of [username, username, '0b0b0b0b-0000-4000-8000-000000000000']) await provider.endSessions(name);
    expect(await provider.find(username)).toMatchObject({ email: 'heidi@example.test' });
  });

  test('block and reinstate can be repeated, and ignore an unknown person', async () => {
    const { username } = await provider.invite('carol@example.test', {});
    for (const change of ['block', 'block', 'reinstate', 'reinstate'] as const) await provider[change](username, 'carol@example.test');
    expect(await provider.find(username)).toMatchObject({ email: 'carol@example.test' });
    await provider.block('0b0b0b0b-0000-4000-8000-000000000000');
    await provider.reinstate('0b0b0b0b-0000-4000-8000-000000000000', 'carla@example.test');
  });

  test('release frees the address for somebody new, and reinstate gives the person another one, unless somebody has it', async () => {
    const { username, sub } = await provider.invite('mary@example.test', {});
    for (const _ of [1, 2]) await provider.release(username);
    expect(await provider.find('mary@example.test')).toBeUndefined();
    expect((await provider.invite('mary@example.test', {})).sub).not.toBe(sub);
    await expect(provider.reinstate(username, 'mary@example.test')).rejects.toMatchObject({ name: 'AlreadyExists' });
    await provider.reinstate(username, 'maria@example.test');
    expect(await provider.find('maria@example.test')).toMatchObject({ sub });
    await provider.release('0b0b0b0b-0000-4000-8000-000000000000');
  });

  test('remove deletes a person, so that the address can be invited again, and ignores an unknown one', async () => {
    const { username, sub } = await provider.invite('erin@example.test', {});
    await provider.remove(username);
    await provider.remove(username);
    expect([await provider.find(username), await provider.find('erin@example.test')]).toEqual([undefined, undefined]);
    expect((await provider.invite('erin@example.test', {})).sub).not.toBe(sub);
  });

  test('find returns undefined for an unknown name', async () => {
    expect(await provider.find('nobody@example.test')).toBeUndefined();
  });
};
