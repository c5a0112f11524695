import type { PostConfirmationTriggerEvent } from 'aws-lambda';
import { auditEntriesIn, auditTrailIn } from '../../../core/directory/audit-log.ts';
import { isRevoked, principalsIn } from '../../../core/directory/users/principals.ts';
import { usersIn, type NewUser } from '../../../core/directory/users/users.ts';
import { newId } from '../../../core/runtime/ids.ts';
import { endOldSessions } from '../../../lambdas/post-confirmation/end-old-sessions.ts';
import { memoryIdentityProvider } from '../../fakes/memory-identity-provider.ts';
import { memoryTable } from '../../fakes/memory-table.ts';

const now = new Date('2026-11-27T10:00:00.250Z');

/** The trigger in a deployment with a user who has forgotten the password. */
const started = async () => {
  const directory = memoryTable();
  const identityProvider = memoryIdentityProvider();
  const users = usersIn(directory, () => now);
  const identity = await identityProvider.invite('ada@example.org', {});
  const user: NewUser = {
    user_id: 'user_ada',
    name: 'ada@example.org',
    primary_email: 'ada@example.org',
    is_active: true,
    is_admin: false,
    is_deleted: false,
    idp_identities: [identity],
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
    temporary_password_at: 'never',
  };
  await users.reserve('ada@example.org', user.user_id);
  await users.complete(user, []);
  const pauses: number[] = [];
  const trigger = endOldSessions({
    users,
    identityProviderOf: () => identityProvider,
    audit: { trail: auditTrailIn(directory), newId, clock: () => now },
    pause: async (milliseconds) => {
      pauses.push(milliseconds);
    },
  });
  const confirm = (triggerSource = 'PostConfirmation_ConfirmForgotPassword', { sub, username } = identity) =>
    trigger({
      triggerSource,
      userName: username,
      userPoolId: 'pool',
      callerContext: { clientId: 'console' },
      request: { userAttributes: { sub } },
      response: {},
    } as unknown as PostConfirmationTriggerEvent);
  const principal = () => principalsIn(directory).find({ principalId: 'user_ada', isMachine: false });
  const auditLogs = async () => (await auditEntriesIn(directory, () => now).list({}, undefined, 10)).items;
  return { identity, identityProvider, confirm, principal, auditLogs, pauses };
};

describe('Cognito’s post-confirmation trigger', () => {
  test('ends all sessions of a person who chose a new password with a code, and the audit log says who and how', async () => {
    const { identity, identityProvider, confirm, principal, auditLogs } = await started();
    expect(await confirm()).toMatchObject({ userName: identity.username });
    expect(identityProvider.endedSessions).toEqual([identity.username]);
    const second = Math.floor(now.getTime() / 1000);
    expect(isRevoked({ authenticatedAt: second }, (await principal())!)).toBe(true);
    expect(isRevoked({ authenticatedAt: second + 1 }, (await principal())!)).toBe(false);
    expect(await auditLogs()).toMatchObject([
      {
        action: 'sign-in/ConfirmForgotPassword',
        status: 'success',
        entity_id: 'user_ada',
        entity_name: 'ada@example.org',
        actor: { actor_type: 'USER', actor_id: 'user_ada', email: 'ada@example.org' },
        metadata: { client_id: 'console' },
      },
    ]);
  });

  test('ends with the second of the revocation, so that the sign-in that follows is not revoked', async () => {
    const { confirm, pauses } = await started();
    await confirm();
    expect(pauses).toEqual([750]);
  });

  test('fails when the sessions could not be ended, and refuses their tokens nevertheless', async () => {
    const { identityProvider, confirm, principal, auditLogs } = await started();
    identityProvider.fault.error = Object.assign(new Error('slow'), { name: 'TooManyRequestsException' });
    await expect(confirm()).rejects.toThrow('slow');
    expect((await principal())!.tokensRevokedAt).toBeDefined();
    expect(await auditLogs()).toMatchObject([{ status: 'failure' }]);
    identityProvider.fault.error = undefined;
    await confirm();
    expect(identityProvider.endedSessions).toHaveLength(1);
  });

  test('ends the sessions of a person who is not in the directory, without an entry', async () => {
    const { identityProvider, confirm, auditLogs } = await started();
    const stranger = await identityProvider.invite('eve@example.org', {});
    await confirm(undefined, stranger);
    expect([identityProvider.endedSessions, await auditLogs()]).toEqual([[stranger.username], []]);
  });

  test('changes nothing after another confirmation', async () => {
    const { identityProvider, confirm, auditLogs } = await started();
    await confirm('PostConfirmation_ConfirmSignUp');
    expect([identityProvider.endedSessions, await auditLogs()]).toEqual([[], []]);
  });
});
