import type { Domain } from '../../../../contract/admin/domains.ts';
import type { Readiness } from '../../../../contract/admin/setup.ts';
import { addressesIn } from '../../../../core/directory/aliases/addresses.ts';
import { receivingDirectoryIn } from '../../../../core/directory/aliases/receiving-addresses.ts';
import { adminApi, type AdminApi } from '../../../support/admin-api.ts';
import { createAccount, createDomain } from '../../../support/admin-resources.ts';

// @pitfall delivery role-addresses
describe('mail to postmaster@ and abuse@ of a domain that receives', () => {
  let api: AdminApi;
  let domain_id: string;
  beforeEach(async () => {
    api = await adminApi();
    domain_id = await createDomain(api, { receive_enabled: true });
    await createAccount(api, { domain_id });
  });
  const roles = ['postmaster@example.test', 'abuse@example.test'];
  const giveAdminMailbox = (user_id = 'user_admin', local_part = 'root') => createAccount(api, { domain_id, user_id, local_part });
  const receivers = async (...addresses: string[]) =>
    [...(await addressesIn(api.directory).resolve(addresses))].map(([address, { email }]) => `${address} → ${email}`);
  const accepted = async () => (await receivingDirectoryIn(api.directory).activeAddresses(['example.test'])).toSorted();
  const find = (address: string) => api.ok('/accounts/FindAddress', { address });
  const roleMail = async () => ((await api.ok('/domains/GetDomain', { id: domain_id, include_dns_validation: true }))['domain'] as Domain).role_mail;
  const issues = async () => ((await api.ok('/setup/GetReadiness', {}))['readiness'] as Readiness).health_issues!.map(({ type }) => type);

  test('goes to an admin with a mailbox, in any spelling, and SES accepts it', async () => {
    const account = await giveAdminMailbox();
    expect(await receivers('Postmaster@Example.TEST', 'abuse+list@example.test', 'postmasters@example.test', 'abuse@other.test')).toEqual([
      'Postmaster@Example.TEST → root@example.test',
      'abuse+list@example.test → root@example.test',
    ]);
    expect(await accepted()).toEqual([...roles, 'alice@example.test', 'root@example.test'].toSorted());
    expect(await find(roles[0]!)).toEqual({
      address: roles[0],
      kind: 'ROLE',
      role_account: account,
      incoming: 'DELIVERED',
      outgoing: 'NOT_HERE',
      receivers: [],
      withheld: [],
    });
    expect(await roleMail()).toEqual(roles.map((address) => ({ address, account_email: 'root@example.test' })));
    expect(await issues()).not.toContain('ROLE_MAIL_UNREAD');
  });

  test('reaches nobody while no admin has a mailbox, which the readiness and the page of the domain say', async () => {
    expect([await receivers(...roles), await accepted()]).toEqual([[], ['alice@example.test']]);
    expect(await find(roles[1]!)).toMatchObject({ kind: 'UNKNOWN', incoming: 'REFUSED_UNKNOWN' });
    expect(await roleMail()).toEqual(roles.map((address) => ({ address })));
    expect(await issues()).toContain('ROLE_MAIL_UNREAD');
  });

  test('goes to the account that has the address, and to nobody if that alias is not active', async () => {
    await giveAdminMailbox();
    const { account_id } = await createAccount(api, { domain_id, local_part: 'desk' });
    const { alias } = await api.ok('/aliases/CreateAlias', { account_id, local_part: 'abuse', domain_id });
    expect(await find(roles[1]!)).toMatchObject({ kind: 'ALIAS', account: { account_id } });
    expect(await roleMail()).toMatchObject([{ account_email: 'root@example.test' }, { account_email: 'desk@example.test' }]);
    await api.ok('/aliases/UpdateAlias', { alias_id: (alias as { alias_id: string }).alias_id, is_active: false });
    expect(await receivers(...roles)).toEqual([`${roles[0]} → root@example.test`]);
    expect(await accepted()).not.toContain(roles[1]);
  });

  test('follows the admins: the first one, or else the one who has been here longest', async () => {
    await giveAdminMailbox('user_admin', 'first');
    await api.ok('/users/UpdateUser', { user_id: 'user_person', is_admin: true });
    expect(await receivers(roles[0]!)).toEqual([`${roles[0]} → first@example.test`]);
    await api.directory.write([{ update: { pk: 'user', sk: 'user_admin' }, set: { is_active: false } }]);
    expect(await receivers(roles[0]!)).toEqual([`${roles[0]} → alice@example.test`]);
    await api.directory.write([{ update: { pk: 'user', sk: 'user_admin' }, set: { is_active: true } }]);
    await api.ok('/domains/UpdateDomain', { id: domain_id, receive_enabled: false });
    expect(await receivers(roles[0]!)).toEqual([]);
    expect(await roleMail()).toEqual([]);
  });
});
