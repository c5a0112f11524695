import type { Account } from '../../../../contract/admin/accounts.ts';
import type { Alias } from '../../../../contract/admin/aliases.ts';
import { mailFeedbackIn } from '../../../../core/sending/feedback/mail-feedback.ts';
import { adminApi, type AdminApi } from '../../../support/admin-api.ts';
import { createAccount, createDomain } from '../../../support/admin-resources.ts';

describe('FindAddress', () => {
  let api: AdminApi;
  let domain_id: string;
  let account: Account;
  beforeEach(async () => {
    api = await adminApi();
    domain_id = await createDomain(api, { receive_enabled: true });
    account = await createAccount(api, { domain_id });
  });
  const find = (address: string) => api.ok('/accounts/FindAddress', { address });
  const createAlias = async (local_part: string, more: object = {}) =>
    (await api.ok('/aliases/CreateAlias', { account_id: account.account_id, local_part, domain_id, ...more }))['alias'] as Alias;

  test.each([
    ['alice@example.test', 'SENT'],
    ['ALICE@Example.Test', 'SENT'],
    ['Alice+Shop@example.test', 'REFUSED_ADDRESS'],
  ])('finds the account of %s', async (address, outgoing) => {
    expect(await find(address)).toEqual({
      address: address.toLowerCase(),
      kind: 'ACCOUNT',
      account,
      account_id: account.account_id,
      alias: expect.objectContaining({ email: 'alice@example.test', is_primary: true }),
      incoming: 'DELIVERED',
      outgoing,
      receivers: [],
      withheld: [],
    });
  });

  test('finds an address of an international domain in both spellings', async () => {
    await createAccount(api, { domain_id: await createDomain(api, { domain: 'bücher.test', receive_enabled: true }), local_part: 'info' });
    for (const address of ['info@bücher.test', 'Info@XN--BCHER-KVA.test']) {
      expect(await find(address)).toMatchObject({ address: 'info@xn--bcher-kva.test', kind: 'ACCOUNT', incoming: 'DELIVERED' });
    }
  });

  test('tells since when an alias is not active, until it is active again', async () => {
    const { alias_id, email } = await createAlias('sales');
    expect(await find(email)).toMatchObject({ kind: 'ALIAS', alias: { alias_id }, incoming: 'DELIVERED' });
    const { alias } = await api.ok('/aliases/UpdateAlias', { alias_id, is_active: false });
    await api.ok('/aliases/UpdateAlias', { alias_id, can_send_from: false, bcc: 'bob@elsewhere.test' });
    const { updated_at } = alias as Alias;
    expect(await find(email)).toMatchObject({ kind: 'ALIAS', inactive_since: updated_at, incoming: 'REFUSED_INACTIVE' });
    await api.ok('/aliases/UpdateAlias', { alias_id, is_active: true });
    const active = await find(email);
    expect([active['incoming'], 'inactive_since' in active]).toEqual(['DELIVERED', false]);
  });

  test('tells whether mail may be sent from an address, and why not', async () => {
    const { alias_id, email } = await createAlias('sales');
    const outgoing = async () => (await find(email))['outgoing'];
    expect(await outgoing()).toBe('REFUSED_ADDRESS');
    await api.ok('/aliases/UpdateAlias', { alias_id, can_send_from: true });
    expect(await outgoing()).toBe('SENT');
    await api.ok('/aliases/UpdateAlias', { alias_id, is_active: false });
    expect(await outgoing()).toBe('REFUSED_INACTIVE');
    await api.ok('/aliases/UpdateAlias', { alias_id, is_active: true });
    await api.ok('/domains/UpdateDomain', { id: domain_id, send_enabled: false });
    expect(await outgoing()).toBe('REFUSED_DOMAIN');
  });

  test('tells that an alias was never active', async () => {
    const { email, created_at } = await createAlias('later', { is_active: false });
    expect(await find(email)).toMatchObject({ inactive_since: created_at, incoming: 'REFUSED_INACTIVE' });
  });

  test('does not read an inactive alias with a detail as the address without it', async () => {
    const { email } = await createAlias('alice+old', { is_active: false });
    expect(await find(email)).toMatchObject({ kind: 'ALIAS', alias: { email }, incoming: 'REFUSED_INACTIVE' });
    expect(await find('alice+new@example.test')).toMatchObject({ kind: 'ACCOUNT', incoming: 'DELIVERED' });
  });

  test('tells that mail waits for room in a full account', async () => {
    const full = await adminApi({ quotaDefaults: { octets: 0, count: 10 } });
    await createAccount(full, { domain_id: await createDomain(full, { receive_enabled: true }) });
    expect(await full.ok('/accounts/FindAddress', { address: 'alice@example.test' })).toMatchObject({ kind: 'ACCOUNT', incoming: 'WAITS_FOR_ROOM' });
  });

  test('tells an unknown address of a domain from an address outside', async () => {
    expect(await find('nobody@example.test')).toEqual({
      address: 'nobody@example.test',
      kind: 'UNKNOWN',
      incoming: 'REFUSED_UNKNOWN',
      outgoing: 'NOT_HERE',
      receivers: [],
      withheld: [],
    });
    expect(await find('bob@elsewhere.test')).toEqual({
      address: 'bob@elsewhere.test',
      kind: 'OUTSIDE',
      incoming: 'NOT_HERE',
      outgoing: 'NOT_HERE',
      receivers: [],
      withheld: [],
    });
  });

  test('tells a sender address, from which only test mail is sent, until it is removed', async () => {
    const [email, request] = ['news@elsewhere.test', { email: 'news@elsewhere.test' }];
    await api.ok('/email-identities/AddEmailIdentity', request);
    expect(await find('News@Elsewhere.test')).toEqual({
      address: email,
      kind: 'SENDER',
      incoming: 'NOT_HERE',
      outgoing: 'TEST_ONLY',
      receivers: [],
      withheld: [],
    });
    await api.ok('/email-identities/RemoveEmailIdentity', request);
    expect(await find(email)).toMatchObject({ kind: 'OUTSIDE', outgoing: 'NOT_HERE' });
  });

  test('tells the account of an address that is a sender address too', async () => {
    await api.ok('/email-identities/AddEmailIdentity', { email: 'alice@example.test' });
    expect(await find('alice@example.test')).toMatchObject({ kind: 'ACCOUNT', outgoing: 'SENT' });
  });

  test('tells that the domain does not receive mail', async () => {
    await api.ok('/domains/UpdateDomain', { id: domain_id, receive_enabled: false });
    for (const address of ['alice@example.test', 'nobody@example.test']) {
      expect(await find(address)).toMatchObject({ incoming: 'REFUSED_DOMAIN' });
    }
  });

  test('tells that the account of an address is being removed, without the account', async () => {
    await api.ok('/accounts/DeleteAccount', { account_id: account.account_id });
    expect(await find('alice@example.test')).toEqual({
      address: 'alice@example.test',
      kind: 'REMOVED',
      account_id: account.account_id,
      incoming: 'REFUSED_REMOVED',
      outgoing: 'REFUSED_REMOVED',
      receivers: [],
      withheld: [],
    });
  });

  test('tells which mail is not sent to the address, and why', async () => {
    const [since, later] = [5, 0].map((seconds) => new Date(Date.now() - 1000 * seconds).toISOString()) as [string, string];
    const feedback = { id: 'f', recipient: 'bob@elsewhere.test', identity_id: domain_id, timestamp: since, provider_message_id: 'm' };
    await mailFeedbackIn(api.sending).add({ ...feedback, type: 'COMPLAINT', message_class: 'BULK' }, new Date());
    expect((await find('Bob@elsewhere.test'))['withheld']).toEqual([
      { message_class: 'BULK', reason: 'this recipient complained about mail of this class', since },
    ]);
    await mailFeedbackIn(api.sending).add(
      {
        ...feedback,
        id: 'g',
        timestamp: later,
        type: 'BOUNCE',
        message_class: 'TRANSACTIONAL',
        bounce_metadata: { bounce_type: 'Permanent', bounce_sub_type: 'General' },
      },
      new Date(),
    );
    const reason = 'mail to this recipient bounced for good';
    expect((await find('bob@elsewhere.test'))['withheld']).toEqual(
      ['TRANSACTIONAL', 'MAILING_LIST', 'BULK'].map((message_class) => ({ message_class, reason, since: later })),
    );
  });

  test('tells since when and until when mail is not sent to an address that bounced repeatedly', async () => {
    const times = [30, 20, 10, 5].map((minutes) => new Date(Date.now() - minutes * 60_000).toISOString());
    for (const timestamp of times) {
      await mailFeedbackIn(api.sending).add(
        {
          id: timestamp,
          recipient: 'bob@elsewhere.test',
          identity_id: domain_id,
          timestamp,
          provider_message_id: timestamp,
          type: 'BOUNCE',
          message_class: 'TRANSACTIONAL',
          bounce_metadata: { bounce_type: 'Transient', bounce_sub_type: 'MailboxFull' },
        },
        new Date(),
      );
    }
    const until = new Date(Date.parse(times[2]!) + 86_400_000).toISOString();
    const withheld = (await find('bob@elsewhere.test'))['withheld'] as { readonly since: string }[];
    expect(withheld[0]).toMatchObject({ reason: `mail to this recipient bounced repeatedly; sending resumes after ${until}`, since: times[2] });
    expect(withheld).toHaveLength(3);
  });
});
