import { receivesMailIn } from '../../../../core/directory/aliases/receiving-addresses.ts';
import { auditEntriesIn, auditTrailIn } from '../../../../core/directory/audit-log.ts';
import { usersIn, type NewUser } from '../../../../core/directory/users/users.ts';
import { newId } from '../../../../core/runtime/ids.ts';
import { appointFirstAdmin } from '../../../../lambdas/deploy-hooks/first-admin/appoint-first-admin.ts';
import { memoryIdentityProvider } from '../../../fakes/memory-identity-provider.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { failingTable } from '../../../support/failing-table.ts';

const deployment = () => {
  const directory = failingTable(memoryTable());
  const clock = () => new Date();
  const dependencies = {
    users: usersIn(directory, clock),
    identityProvider: memoryIdentityProvider(),
    receivesMail: receivesMailIn(directory),
    audit: { trail: auditTrailIn(directory), newId, clock },
    newId,
    clock,
    invitation: { consoleUrl: 'https://console.example.test' },
  };
  const adminEmails = async () => {
    const { items } = await dependencies.users.list(undefined, 100);
    return items.filter((user) => user.is_admin).map((user) => user.primary_email);
  };
  const auditLogs = async () => (await auditEntriesIn(directory, clock).list({}, undefined, 10)).items;
  return { directory, dependencies, adminEmails, auditLogs };
};

describe('appointFirstAdmin', () => {
  test('invites an admin on the first deploy and changes nothing on later deploys with any address', async () => {
    const { dependencies, adminEmails, auditLogs } = deployment();
    await appointFirstAdmin(dependencies, 'Admin@Example.Test');
    await appointFirstAdmin(dependencies, 'admin@example.test');
    await appointFirstAdmin(dependencies, 'other@example.test');
    expect(await adminEmails()).toEqual(['admin@example.test']);
    expect(dependencies.identityProvider.invitations).toEqual(['admin@example.test']);
    expect(await auditLogs()).toMatchObject([
      { action: 'users/CreateUser', status: 'success', entity_name: 'admin@example.test', actor: { actor_type: 'SYSTEM', actor_id: 'first-admin' } },
    ]);
  });

  test('makes an existing user an admin without another invitation', async () => {
    const { dependencies, adminEmails, directory } = deployment();
    const { id } = await dependencies.users.reserve('alice@example.test', newId('user'));
    const identity = await dependencies.identityProvider.invite('alice@example.test', {});
    const at = '2026-01-01T00:00:00.000Z';
    const alice: NewUser = {
      user_id: id,
      name: 'a',
      primary_email: 'alice@example.test',
      is_active: true,
      is_admin: false,
      is_deleted: false,
      idp_identities: [identity],
      created_at: at,
      updated_at: at,
      temporary_password_at: 'never',
    };
    await dependencies.users.complete(alice, []);
    await appointFirstAdmin(dependencies, 'alice@example.test');
    expect(await adminEmails()).toEqual(['alice@example.test']);
    expect(dependencies.identityProvider.invitations).toHaveLength(1);
    expect(await directory.get({ pk: 'admins', sk: 'summary' })).toMatchObject({ count: 1, first_admin: id });
  });

  test.each([0, 1, 2, 3])('completes a deploy that crashed at write %d', async (write) => {
    const { dependencies, adminEmails, directory } = deployment();
    directory.endProcessAtWrite(write);
    await expect(appointFirstAdmin(dependencies, 'admin@example.test')).rejects.toThrow();
    directory.recover();
    await appointFirstAdmin(dependencies, 'admin@example.test');
    expect(await adminEmails()).toEqual(['admin@example.test']);
    expect(dependencies.identityProvider.invitations).toHaveLength(1);
  });

  test.each(['', 'admin', undefined, 'a@b'])('fails the deploy with a message if the address is %j', async (email) => {
    await expect(appointFirstAdmin(deployment().dependencies, email)).rejects.toThrow('adminEmail is not an email address');
  });
});
