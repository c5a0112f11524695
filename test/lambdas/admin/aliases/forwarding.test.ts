import type { Forwarding } from '../../../../contract/admin/aliases.ts';
import { directoryKeys } from '../../../../contract/deployment/keys.ts';
import { forwardingsIn } from '../../../../core/directory/forwarding/forwardings.ts';
import { mailFeedbackIn } from '../../../../core/sending/feedback/mail-feedback.ts';
import { adminApi, storeLimitedAdmins, type AdminResponse } from '../../../support/admin-api.ts';
import { createAccount } from '../../../support/admin-resources.ts';
import { perTest } from '../../../support/per-test.ts';
import { withRemoval } from '../../account-removal/removal.ts';
import { aliasFixture } from './alias-fixture.ts';

const hour = 3_600_000;

/** The account alice@example.test, and those of others, with a clock that tests set. */
const newFixture = async ({ mayForwardOutside = true } = {}) => {
  const clock = { now: new Date('2026-11-30T12:00:00.000Z') };
  const api = await adminApi({ mayForwardOutside, clock: () => new Date(clock.now) });
  const { domain_id, account_id, create, update, created, auditLogs, primary } = await aliasFixture(api);
  const bob = await createAccount(api, { domain_id, local_part: 'bob' });
  await api.ok('/aliases/CreateAlias', { account_id: bob.account_id, local_part: 'robert', domain_id });
  const put = (addresses: readonly string[], fields: object = {}, token?: string): Promise<AdminResponse> =>
    api.call('/aliases/PutForwarding', { account_id, addresses, ...fields }, token);
  return {
    api,
    clock,
    domain_id,
    account_id,
    bob: bob.account_id,
    create,
    created,
    update,
    primary,
    auditLogs,
    put,
    get: async () => (await api.ok('/aliases/GetForwarding', { account_id }))['forwarding'] as Forwarding,
    stored: async (addresses: readonly string[], fields: object = {}) => (await put(addresses, fields)).body['forwarding'] as Forwarding,
    /** Mails the link to an address, as the deliver Lambda does. @returns its token. */
    mailLink: async (email: string) => {
      const forwardings = forwardingsIn(api.directory);
      const { token, write } = forwardings.newLink((await forwardings.find(account_id))!, { email }, clock.now);
      await api.directory.write([write]);
      return token;
    },
  };
};
type Fixture = Awaited<ReturnType<typeof newFixture>>;

const fixture = perTest(() => newFixture());

type Case = {
  readonly title: string;
  readonly addresses: readonly string[];
  readonly given?: (fixture: Fixture) => Promise<unknown>;
  /** The message with which the call is refused. Without it, the call succeeds. */
  readonly refused?: string;
  readonly forwards?: readonly object[];
};

const asBob = (email: string) => ({ email, account_id: expect.any(String) as string, is_confirmed: true });

const cases: readonly Case[] = [
  { title: 'another account here', addresses: ['Bob@example.test'], forwards: [asBob('bob@example.test')] },
  { title: 'another address of an account', addresses: ['robert@example.test'], forwards: [asBob('robert@example.test')] },
  { title: 'an address with a detail', addresses: ['bob+a@example.test'], forwards: [asBob('bob+a@example.test')] },
  { title: 'one outside', addresses: ['Ann@elsewhere.test'], forwards: [{ email: 'ann@elsewhere.test', is_confirmed: false }] },
  { title: 'an address outside twice', addresses: ['ann@elsewhere.test', 'Ann@Elsewhere.test'], forwards: [{ email: 'ann@elsewhere.test' }] },
  { title: 'one account by two addresses', addresses: ['bob@example.test', 'robert@example.test'], forwards: [asBob('robert@example.test')] },
  { title: 'five addresses', addresses: [1, 2, 3, 4, 5].map((each) => `a${each}@elsewhere.test`), forwards: [{}, {}, {}, {}, {}] },
  { title: 'six addresses', addresses: [1, 2, 3, 4, 5, 6].map((each) => `a${each}@elsewhere.test`), refused: 'addresses must be at most 5 items' },
  { title: 'its own address', addresses: ['alice+x@example.test'], refused: 'alice+x@example.test is an address of the account itself' },
  { title: 'an unknown address here', addresses: ['bob@example.test', 'nobody@example.test'], refused: 'nobody here receives mail for nobody@example.test' },
  { title: 'no address', addresses: ['bob'], refused: 'addresses[0] must be' },
  { title: 'nobody’s domain', addresses: ['bob@released.invalid'], refused: 'addresses[0] must not be at the domain invalid' },
  {
    title: 'a group',
    addresses: ['desk@example.test'],
    given: ({ api, domain_id }) => api.ok('/aliases/CreateGroup', { local_part: 'desk', domain_id }),
    refused: 'desk@example.test is a group; add the account to the group instead',
  },
  {
    title: 'an inactive address',
    addresses: ['old@example.test'],
    given: async ({ api, bob, domain_id }) => api.ok('/aliases/CreateAlias', { account_id: bob, local_part: 'old', domain_id, is_active: false }),
    refused: 'nobody here receives mail for old@example.test',
  },
  {
    title: 'an address of a deleted account',
    addresses: ['bob@example.test'],
    given: ({ api, bob }) => api.ok('/accounts/DeleteAccount', { account_id: bob }),
    refused: 'nobody here receives mail for bob@example.test',
  },
  {
    title: 'an address of a catch-all',
    addresses: ['invented@example.test'],
    given: ({ api, domain_id }) => api.ok('/aliases/PutCatchAll', { domain_id, address: 'bob@example.test' }),
    refused: 'nobody here receives mail for invented@example.test',
  },
  {
    title: 'one outside, from a primary address that may not send',
    addresses: ['ann@elsewhere.test'],
    given: async ({ update, primary }) => update((await primary()).alias_id, { can_send_from: false }),
    refused: 'mail for addresses outside is sent from the primary address of the account. The sender address may not send.',
  },
  {
    title: 'one here, from a primary address that may not send',
    addresses: ['bob@example.test'],
    given: async ({ update, primary }) => update((await primary()).alias_id, { can_send_from: false }),
    forwards: [asBob('bob@example.test')],
  },
];

describe('an account forwards to', () => {
  test.each(cases)('$title', async ({ addresses, given, refused, forwards }) => {
    await given?.(fixture);
    const { status, body } = await fixture.put(addresses);
    if (refused === undefined) {
      expect({ status, forwarding: body['forwarding'] }).toMatchObject({ status: 200, forwarding: { addresses: forwards } });
      expect(await fixture.get()).toEqual(body['forwarding']);
    } else {
      expect({ status, message: body.message }).toEqual({ status: 400, message: expect.stringContaining(refused) as string });
      expect(await fixture.get()).toEqual({ account_id: fixture.account_id, addresses: [], keep_copy: true });
    }
  });

  test('no address outside where the deployment refuses it, none of a deleted account, and to accounts here', async () => {
    const { api, account_id, put, get } = await newFixture({ mayForwardOutside: false });
    expect((await put(['ann@elsewhere.test'])).body).toEqual({
      code: 'failed_precondition',
      message: 'this deployment does not forward mail to addresses outside, such as ann@elsewhere.test',
    });
    expect((await put(['bob@example.test'])).status).toBe(200);
    const stored = [{ email: 'bob@example.test', account_id }, { email: 'gone@example.test', account_id: 'acc_gone' }, { email: 'ann@elsewhere.test' }];
    await forwardingsIn(api.directory).put(account_id, { addresses: stored, keep_copy: true }, new Date());
    expect((await get()).addresses).toEqual([
      expect.not.objectContaining({ paused_reason: expect.anything() as string }),
      expect.objectContaining({ email: 'gone@example.test', paused_reason: 'the account that had the address was deleted' }),
      { email: 'ann@elsewhere.test', is_confirmed: false, paused_reason: 'this deployment does not forward mail to addresses outside' },
    ]);
  });
});

describe('a forwarding', () => {
  test('is that of an account that exists', async () => {
    for (const [method, request] of [
      ['GetForwarding', {}],
      ['PutForwarding', { addresses: ['bob@example.test'] }],
      ['PutForwarding', {}],
      ['DeleteForwarding', {}],
    ] as const) {
      expect(await fixture.api.call(`/aliases/${method}`, { account_id: 'acc_x', ...request })).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });

  test('ends by DeleteForwarding and by an empty list, also when there is none', async () => {
    const { api, account_id, stored, get } = fixture;
    const none = { account_id, addresses: [], keep_copy: true };
    await stored(['bob@example.test'], { keep_copy: false });
    expect(await get()).toMatchObject({ keep_copy: false, updated_at: expect.any(String) as string });
    for (const _ of [1, 2]) await api.ok('/aliases/DeleteForwarding', { account_id });
    expect(await get()).toEqual(none);
    await stored(['bob@example.test']);
    for (const _ of [1, 2]) expect(await stored([], { keep_copy: false })).toEqual(none);
    expect(await api.directory.get(directoryKeys.forwarding(account_id))).toBeUndefined();
  });

  test('is listed with its account, in pages, unless the account is deleted', async () => {
    const { api, account_id, bob, stored } = fixture;
    const forwarding = await stored(['bob@example.test']);
    await api.ok('/aliases/PutForwarding', { account_id: bob, addresses: ['ann@elsewhere.test'] });
    const list = (request: object = {}) => api.ok('/aliases/ListForwardings', request);
    const { forwardings, accounts } = (await list()) as { forwardings: Forwarding[]; accounts: object[] };
    expect(forwardings.map((each) => each.account_id).sort()).toEqual([account_id, bob].sort());
    expect(forwardings).toContainEqual(forwarding);
    expect(accounts).toContainEqual({ account_id, name: expect.any(String) as string });
    const first = await list({ page_size: 1 });
    const second = await list({ page_size: 1, page_token: first['next_page_token'] });
    expect([...(first['forwardings'] as Forwarding[]), ...(second['forwardings'] as Forwarding[])]).toEqual(forwardings);
    await api.ok('/accounts/DeleteAccount', { account_id: bob });
    expect((await list())['forwardings']).toEqual([forwarding]);
  });

  test('keeps what is confirmed, and says for which reason nothing is sent', async () => {
    const { api, clock, stored, get, mailLink } = fixture;
    await stored(['ann@elsewhere.test', 'eve@elsewhere.test']);
    await forwardingsIn(api.directory).confirm(await mailLink('ann@elsewhere.test'), clock.now);
    const { addresses } = await stored(['bob@example.test', 'ann@elsewhere.test'], { keep_copy: false });
    expect(addresses).toMatchObject([{ email: 'bob@example.test' }, { email: 'ann@elsewhere.test', is_confirmed: true }]);
    await stored(['bob@example.test']);
    expect((await stored(['ann@elsewhere.test'])).addresses).toMatchObject([{ is_confirmed: false }]);
    expect((await get()).addresses![0]).not.toHaveProperty('paused_reason');
    const bounce = { bounce_type: 'Permanent', bounce_sub_type: 'General' };
    const of = { type: 'BOUNCE', message_class: 'TRANSACTIONAL', recipient: 'ann@elsewhere.test', identity_id: 'dom_x' } as const;
    const timestamp = clock.now.toISOString();
    await mailFeedbackIn(api.sending).add({ ...of, id: 'f', timestamp, provider_message_id: 'm', bounce_metadata: bounce }, clock.now);
    expect((await get()).addresses).toMatchObject([{ paused_reason: 'mail to this recipient bounced for good' }]);
    expect(await api.ok('/aliases/ListForwardings')).not.toHaveProperty('forwardings.0.addresses.0.paused_reason');
  });

  test('asks for links once an hour, and again when the request was lost', async () => {
    const { api, clock, account_id, stored, mailLink } = fixture;
    const requested = () => api.inboundQueue.messages.splice(0).map(({ message }) => message);
    await stored(['bob@example.test']);
    expect(requested()).toEqual([]);
    const request = { kind: 'forwarding-links', links: { accountId: account_id } };
    for (const _ of ['first', 'after a lost request']) {
      await stored(['ann@elsewhere.test']);
      expect(requested()).toEqual([request]);
    }
    const token = await mailLink('ann@elsewhere.test');
    clock.now = new Date(clock.now.getTime() + hour - 1);
    await stored(['ann@elsewhere.test']);
    expect(requested()).toEqual([]);
    clock.now = new Date(clock.now.getTime() + 1);
    await stored(['ann@elsewhere.test']);
    expect(requested()).toEqual([request]);
    await forwardingsIn(api.directory).confirm(token, clock.now);
    await stored(['ann@elsewhere.test']);
    expect(requested()).toEqual([]);
  });

  test('is audited with its addresses', async () => {
    const { api, clock, account_id, stored, auditLogs } = fixture;
    await stored(['bob@example.test', 'ann@elsewhere.test'], { keep_copy: false });
    clock.now = new Date(clock.now.getTime() + 1);
    await stored(['bob@example.test'], { keep_copy: false });
    await api.ok('/aliases/DeleteForwarding', { account_id });
    const subject = { status: 'success', entity_id: account_id, entity_name: 'Alice' };
    const entries = [...(await auditLogs('aliases/PutForwarding')), ...(await auditLogs('aliases/DeleteForwarding'))];
    const addresses = 'bob@example.test ann@elsewhere.test';
    expect(entries).toMatchObject(
      [
        [{ field: 'addresses', old_value: addresses, new_value: 'bob@example.test' }],
        [
          { field: 'addresses', new_value: addresses },
          { field: 'keep_copy', new_value: 'false' },
        ],
        [
          { field: 'addresses', old_value: 'bob@example.test' },
          { field: 'keep_copy', old_value: 'false' },
        ],
      ].map((changes) => ({ ...subject, changes })),
    );
  });

  test('is told by FindAddress for each address that the account receives', async () => {
    const { api, account_id, domain_id, created, update, stored } = fixture;
    const found = async (address: string) => (await api.ok('/accounts/FindAddress', { address }))['forwarding'];
    const { alias_id } = await created({ local_part: 'sales' });
    expect(await found('sales@example.test')).toBeUndefined();
    const forwarding = await stored(['bob@example.test']);
    for (const address of ['alice@example.test', 'Sales+detail@example.test']) expect(await found(address)).toEqual(forwarding);
    await api.ok('/aliases/PutCatchAll', { domain_id, address: 'alice@example.test' });
    expect(await found('invented@example.test')).toMatchObject({ account_id });
    await update(alias_id, { is_active: false });
    for (const address of ['sales@example.test', 'bob@example.test', 'ann@elsewhere.test']) expect(await found(address)).toBeUndefined();
  });
});

describe('HELPDESK', () => {
  beforeEach(() => storeLimitedAdmins(fixture.api));
  const ofAdmin = () => createAccount(fixture.api, { domain_id: fixture.domain_id, user_id: 'user_admin', local_part: 'chief' });

  test('forwards nothing to an account that an admin owns, and may end it', async () => {
    const { put, get, account_id, api } = fixture;
    await ofAdmin();
    expect((await put(['bob@example.test'], {}, 'helpdesk')).status).toBe(200);
    await put(['chief@example.test']);
    // What is stored already is refused too.
    expect((await put(['bob@example.test', 'chief+x@example.test'], {}, 'helpdesk')).body).toEqual({
      code: 'permission_denied',
      message: 'your role is HELPDESK; forwarding to an account that an admin owns (chief+x@example.test) needs ALL',
    });
    expect((await get()).addresses).toMatchObject([{ email: 'chief@example.test' }]);
    expect((await api.call('/aliases/DeleteForwarding', { account_id }, 'helpdesk')).status).toBe(200);
  });

  test('changes no forwarding of an account that an admin owns', async () => {
    const { api } = fixture;
    const { account_id } = await ofAdmin();
    for (const [method, request] of [
      ['PutForwarding', { addresses: ['bob@example.test'] }],
      ['PutForwarding', {}],
      ['DeleteForwarding', {}],
    ] as const) {
      expect((await api.call(`/aliases/${method}`, { account_id, ...request }, 'helpdesk')).status).toBe(403);
    }
    expect((await api.call('/aliases/GetForwarding', { account_id }, 'read-only')).status).toBe(200);
  });
});

test('the removal of an account removes its forwarding, which the deletion keeps until then', async () => {
  const { ok, create, directory, workAll } = await withRemoval();
  const [account_id] = [await create('alice'), await create('bob')];
  await ok('/aliases/PutForwarding', { account_id, addresses: ['bob@example.test'] });
  await ok('/accounts/DeleteAccount', { account_id });
  expect(await forwardingsIn(directory).find(account_id)).toBeDefined();
  await workAll();
  expect(await forwardingsIn(directory).find(account_id)).toBeUndefined();
});
