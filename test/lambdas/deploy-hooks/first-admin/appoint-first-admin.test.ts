import { appointFirstAdmin } from '../../../../lambdas/deploy-hooks/first-admin/appoint-first-admin.ts';
import { newId } from '../../../../core/runtime/ids.ts';
import { auditEntriesIn, auditTrailIn } from '../../../../core/directory/audit-log.ts';
import { usersIn } from '../../../../core/directory/users.ts';
import { memoryIdentityProvider } from '../../../fakes/memory-identity-provider.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { failingTable } from '../../../support/failing-table.ts';

const deployment = () => {
  const directory = failingTable(memoryTable());
  const clock = () => new Date();
  const stores = { users: usersIn(directory), identityProvider: memoryIdentityProvider(), audit: { trail: auditTrailIn(directory), newId, clock }, newId, clock };
  const admins = async () => (await stores.users.list(undefined, 100)).items.filter(({ is_admin: isAdmin }) => isAdmin).map(({ primary_email: email }) => email);
  const audited = async () => (await auditEntriesIn(directory, clock).list({}, undefined, 10)).items;
  return { directory, stores, admins, audited };
};

test('the first deploy invites an admin; the next ones change nothing, whatever address they name', async () => {
  const { stores, admins, audited } = deployment();
  await appointFirstAdmin(stores, 'Admin@Example.Test');
  await appointFirstAdmin(stores, 'admin@example.test');
  await appointFirstAdmin(stores, 'other@example.test');
  expect(await admins()).toEqual(['admin@example.test']);
  expect(stores.identityProvider.invitations).toEqual(['admin@example.test']);
  expect(await audited()).toMatchObject([{ action: 'users/CreateUser', status: 'success', entity_name: 'admin@example.test', actor: { actor_type: 'SYSTEM', actor_id: 'first-admin' } }]);
});

test('somebody who is a user already is appointed and not invited again', async () => {
  const { stores, admins, directory } = deployment();
  const { id } = await stores.users.reserve('alice@example.test', newId('user'));
  const identity = await stores.identityProvider.invite('alice@example.test');
  const at = '2026-01-01T00:00:00.000Z';
  await stores.users.complete({
    user_id: id, name: 'a', primary_email: 'alice@example.test', is_active: true, is_admin: false, is_deleted: false, idp_identities: [identity], created_at: at, updated_at: at,
  }, []);
  await appointFirstAdmin(stores, 'alice@example.test');
  expect(await admins()).toEqual(['alice@example.test']);
  expect(stores.identityProvider.invitations).toHaveLength(1);
  expect(await directory.get({ pk: 'admins', sk: 'summary' })).toMatchObject({ count: 1, first_admin: id });
});

test.each([0, 1, 2, 3])('a deploy that crashed at write %d is repaired by the next', async (write) => {
  const { stores, admins, directory } = deployment();
  directory.endProcessAtWrite(write);
  await expect(appointFirstAdmin(stores, 'admin@example.test')).rejects.toThrow();
  directory.recover();
  await appointFirstAdmin(stores, 'admin@example.test');
  expect(await admins()).toEqual(['admin@example.test']);
  expect(stores.identityProvider.invitations).toHaveLength(1);
});

test.each(['', 'admin', undefined, 'a@b'])('%j is no address: the deploy fails in words', async (email) => {
  await expect(appointFirstAdmin(deployment().stores, email)).rejects.toThrow('adminEmail is not an email address');
});
