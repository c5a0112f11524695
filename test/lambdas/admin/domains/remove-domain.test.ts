import type { Domain } from '../../../../contract/admin/domains.ts';
import type { Table } from '../../../../core/storage/table.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi, adminApiPerTest, type AdminApi } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';

const now = new Date('2026-11-21T08:38:00Z');
const api = adminApiPerTest({ clock: () => now });

const add = async (domain: string, to: AdminApi = api) => (await to.ok('/domains/AddDomain', { domain }))['domain'] as Domain;
const get = async (id: string) => (await api.ok('/domains/GetDomain', { id }))['domain'] as Domain;
const newAccount = (domain_id: string, local_part = 'a', to: AdminApi = api) => ({ user_id: 'user_person', name: 'n', local_part, domain_id, to });
const createAccount = ({ to, ...request }: ReturnType<typeof newAccount>) => to.call('/accounts/CreateAccount', request);

describe('RemoveDomain', () => {
  test('deletes the domain and its identity at the provider', async () => {
    const { id } = await add('other.test');
    expect(await api.ok('/domains/RemoveDomain', { id })).toEqual({});
    expect(await api.emailProvider.findDomain('other.test')).toBeUndefined();
    expect(await api.call('/domains/GetDomain', { id })).toMatchObject({ status: 404 });
    expect(await api.call('/domains/RemoveDomain', { id })).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await api.auditLogs('domains/RemoveDomain')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ entity_id: id, entity_name: 'other.test', status: 'success', changes: [{ field: 'domain', old_value: 'other.test' }] }),
      ]),
    );
  });

  test('leaves an adopted identity at the provider unchanged', async () => {
    api.emailProvider.registerForeign('other.test', { mail_from_domain: 'mail.other.test' });
    const before = await api.emailProvider.findDomain('other.test');
    const { domain } = await api.ok('/domains/AddDomain', { domain: 'other.test', adopt_existing: true });
    await api.ok('/domains/RemoveDomain', { id: (domain as Domain).id });
    expect(await api.emailProvider.findDomain('other.test')).toEqual(before);
    expect(api.emailProvider.calls['removeDomain']).toBeUndefined();
  });

  test('frees the name for AddDomain', async () => {
    const { id } = await add('other.test');
    await api.ok('/domains/RemoveDomain', { id });
    expect(await add('other.test')).toMatchObject({ verification_status: 'PENDING', id: expect.not.stringMatching(id) });
  });

  test('refuses a domain with addresses of accounts and aliases, with their number', async () => {
    const [{ id }, { id: elsewhere }] = [await add('other.test'), await add('elsewhere.test')];
    const { account_id } = (await createAccount(newAccount(id))).body['account'] as { account_id: string };
    const { alias_id } = (await api.ok('/aliases/CreateAlias', { account_id, local_part: 'b', domain_id: id }))['alias'] as { alias_id: string };
    await api.ok('/aliases/CreateAlias', { account_id, local_part: 'b', domain_id: elsewhere });
    const refused = (count: string) => ({
      status: 400,
      body: {
        code: 'failed_precondition',
        message: `${count} of accounts and aliases ${count === '1 address' ? 'is' : 'are'} at this domain; delete them first`,
      },
    });
    expect(await api.call('/domains/RemoveDomain', { id })).toMatchObject(refused('2 addresses'));
    await api.ok('/aliases/DeleteAlias', { alias_id });
    expect(await api.call('/domains/RemoveDomain', { id })).toMatchObject(refused('1 address'));
    expect(await get(id)).toMatchObject({ domain: 'other.test', send_enabled: true });
    expect(await api.emailProvider.findDomain('other.test')).toBeDefined();
  });

  test('removes a domain with addresses of deleted accounts only', async () => {
    const { id } = await add('other.test');
    const { account_id } = (await createAccount(newAccount(id))).body['account'] as { account_id: string };
    await api.ok('/accounts/DeleteAccount', { account_id });
    await api.ok('/domains/RemoveDomain', { id });
    expect(await api.call('/domains/GetDomain', { id })).toMatchObject({ status: 404 });
  });

  test('leaves either the account or no domain when it runs concurrently with CreateAccount', async () => {
    for (let round = 0; round < 20; round++) {
      const { id } = await add(`r${round}.test`);
      const [removed, ...created] = await Promise.all([
        api.call('/domains/RemoveDomain', { id }),
        ...['a', 'b', 'c'].map((local) => createAccount(newAccount(id, local))),
      ]);
      const made = created.filter(({ status }) => status === 200).length;
      const isThere = (await api.call('/domains/GetDomain', { id })).status === 200;
      expect({ isThere, removed: removed.status }).toEqual(made > 0 ? { isThere: true, removed: 400 } : { isThere: false, removed: 200 });
      expect((await api.emailProvider.findDomain(`r${round}.test`)) !== undefined).toBe(isThere);
    }
  });

  test('keeps the domain when an account is created between its read and its first write', async () => {
    const stored = memoryTable();
    let beforeFirstStep: (() => Promise<unknown>) | undefined;
    const write: Table['write'] = async (writes) => {
      if (writes.some((each) => 'update' in each && each.set?.['state'] === 'removing')) {
        const otherCall = beforeFirstStep;
        beforeFirstStep = undefined;
        await otherCall?.();
      }
      await stored.write(writes);
    };
    const racing = await adminApi({ directory: { ...stored, write } });
    const { id } = await add('other.test', racing);
    beforeFirstStep = () => createAccount(newAccount(id, 'a', racing));
    expect(await racing.call('/domains/RemoveDomain', { id })).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
    expect(await racing.ok('/accounts/ListAccounts')).toMatchObject({ accounts: [{ email: 'a@other.test' }] });
    expect(await racing.call('/domains/UpdateDomain', { id, dmarc_policy: 'REJECT' })).toMatchObject({ status: 200 });
    expect(await createAccount(newAccount(id, 'b', racing))).toMatchObject({ status: 200 });
  });

  test('of five concurrent calls, one succeeds', async () => {
    const { id } = await add('other.test');
    const answers = await Promise.all(Array.from({ length: 5 }, () => api.call('/domains/RemoveDomain', { id })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404, 404]);
  });

  test.each([
    [0, 'before'],
    [0, 'after'],
    [1, 'before'],
    [1, 'after'],
  ] as const)('completes on the next call after a crash at write %d, %s it', async (write, when) => {
    const directory = failingTable(memoryTable());
    const crashing = await adminApi({ directory });
    const { id } = await add('other.test', crashing);
    directory.endProcessAtWrite(write, when);
    expect((await crashing.call('/domains/RemoveDomain', { id })).status).toBe(500);
    directory.recover();
    expect((await crashing.call('/domains/RemoveDomain', { id })).status).toBe(write === 1 && when === 'after' ? 404 : 200);
    expect((await crashing.ok('/domains/ListDomains'))['domains']).toEqual([]);
    expect(await crashing.emailProvider.findDomain('other.test')).toBeUndefined();
    await add('other.test', crashing);
  });

  test('completes on the next call after the provider failed; until then the domain can’t be changed', async () => {
    const { id } = await add('other.test');
    const busy = jest
      .spyOn(api.emailProvider, 'removeDomain')
      .mockRejectedValue(Object.assign(new Error('Rate exceeded'), { name: 'TooManyRequestsException' }));
    expect(await api.call('/domains/RemoveDomain', { id })).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(await createAccount(newAccount(id))).toMatchObject({ status: 400, body: { message: 'the domain is being removed' } });
    for (const method of ['UpdateDomain', 'ApplyDomainRecords']) {
      expect(await api.call(`/domains/${method}`, { id })).toMatchObject({
        status: 400,
        body: { code: 'failed_precondition', message: 'the domain is being removed' },
      });
    }
    busy.mockRestore();
    expect(await api.call('/domains/RemoveDomain', { id })).toMatchObject({ status: 200 });
  });

  test('keeps the DNS records that ApplyDomainRecords wrote, and treats them as foreign afterwards', async () => {
    api.dnsProvider.addZone('other.test');
    const { id } = await add('other.test');
    await api.ok('/domains/ApplyDomainRecords', { id });
    await api.ok('/domains/RemoveDomain', { id });
    expect(api.dnsProvider.values('other.test', 'other.test', 'TXT')).toEqual(['"v=spf1 include:amazonses.com ~all"']);
    expect(await api.directory.query({ pk: `domain-records#${id}` })).toEqual([]);
  });
});
