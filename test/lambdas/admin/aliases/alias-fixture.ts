import type { Alias } from '../../../../contract/admin/aliases.ts';
import { addressesIn } from '../../../../core/directory/aliases/addresses.ts';
import { adminApi, type AdminApi, type AdminResponse } from '../../../support/admin-api.ts';
import { createAccount, createDomain } from '../../../support/admin-resources.ts';
import { perTest } from '../../../support/per-test.ts';

/** The account `alice@example.test` and the calls that the tests of /aliases share. */
export const aliasFixture = async (api?: AdminApi) => {
  const admin = api ?? (await adminApi());
  const domain_id = await createDomain(admin, { receive_enabled: true });
  const { account_id } = await createAccount(admin, { domain_id });
  const create = (fields: object = {}): Promise<AdminResponse> => admin.call('/aliases/CreateAlias', { account_id, local_part: 'sales', domain_id, ...fields });
  const list = async () => (await admin.ok('/aliases/ListAccountAliases', { account_id }))['aliases'] as Alias[];
  return {
    api: admin,
    account_id,
    domain_id,
    create,
    created: async (fields: object = {}) => (await create(fields)).body['alias'] as Alias,
    update: (alias_id: string, fields: object) => admin.call('/aliases/UpdateAlias', { alias_id, ...fields }),
    remove: (alias_id: string) => admin.call('/aliases/DeleteAlias', { alias_id }),
    list,
    /** The account's primary alias. */
    primary: async () => (await list()).find(({ is_primary: isPrimary }) => isPrimary)!,
    /** The account to which mail for the address is delivered. */
    accountOf: async (email: string) => (await addressesIn(admin.directory).resolve([email])).get(email)?.accountId,
    auditLogs: async (operation: string) => (await admin.ok('/audit/ListAuditLogs', { operation }))['audit_logs'] as { status: string }[],
    /** Creates a domain that receives but does not send. @returns its id. */
    receiveOnlyDomain: () => createDomain(admin, { domain: 'silent.test', send_enabled: false, receive_enabled: true }),
  };
};

/** {@link aliasFixture}, created anew for each test. */
export const aliasFixturePerTest = () => perTest(() => aliasFixture());
