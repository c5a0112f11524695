import type { EmailIdentity } from '../../../../contract/admin/email-identities.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';

type Api = Awaited<ReturnType<typeof adminApi>>;
let now: Date;
let api: Api;
beforeEach(async () => {
  now = new Date('2026-11-21T08:38:00Z');
  api = await adminApi({ now: () => now });
});

const email = 'someone@else.test';
const add = (to: Api = api, address = email) => to.call('/email-identities/AddEmailIdentity', { email: address });
const list = async (request: object = {}) => (await api.ok('/email-identities/ListEmailIdentities', request)) as { identities: EmailIdentity[]; next_page_token: string };
const remove = (address = email) => api.call('/email-identities/RemoveEmailIdentity', { email: address });
const resend = (to: Api = api, address = email) => to.call('/email-identities/ResendVerificationEmail', { email: address });
const entries = async (operation: string) => (await api.ok('/audit/ListAuditLogs', { operation }))['audit_logs'] as object[];

describe('AddEmailIdentity', () => {
  test('registers the address, which then waits for its owner', async () => {
    const { status, body } = await add(api, 'Someone@Else.TEST');
    expect(status).toBe(200);
    expect(body['identity']).toEqual({ email, verification_status: 'VERIFICATION_STATUS_PENDING', identity_id: expect.stringMatching(/^identity_[\w-]{21}$/), created_at: now.toISOString() });
    expect(api.senderAddresses.mailed).toEqual([email]);
    expect((await list()).identities).toEqual([body['identity']]);
  });

  test('one that is registered is already_exists, and its owner is not sent another mail', async () => {
    await add();
    expect(await add()).toMatchObject({ status: 409, body: { code: 'already_exists' } });
    expect(api.senderAddresses.mailed).toHaveLength(1);
  });

  test('of ten at once one registers it', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => add()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
    expect(api.senderAddresses.mailed).toHaveLength(1);
  });

  test('one that the provider has from somebody else is ours from now on, as it stands', async () => {
    await api.senderAddresses.register(email);
    api.senderAddresses.settle(email);
    expect(await add()).toMatchObject({ status: 200, body: { identity: { verification_status: 'VERIFICATION_STATUS_SUCCESS' } } });
    expect(await add()).toMatchObject({ status: 409 });
  });

  test('one that the provider has lost is registered anew, under its id', async () => {
    const { identity_id } = (await add()).body['identity'] as EmailIdentity;
    await api.senderAddresses.remove(email);
    expect(await add()).toMatchObject({ status: 200, body: { identity: { identity_id, verification_status: 'VERIFICATION_STATUS_PENDING' } } });
  });

  test('one that the provider does not take leaves nothing behind', async () => {
    expect(await add(api, 'a@no.invalid')).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    expect(await api.directory.query({ pk: 'email-identity' })).toEqual([]);
  });

  test.each([[0, 'before'], [0, 'after'], [1, 'before'], [1, 'after']] as const)('a crash %d, %s a write, is repaired by the next call', async (write, when) => {
    const directory = failingTable(memoryTable());
    const crashing = await adminApi({ directory });
    directory.endProcessAtWrite(write, when);
    expect((await add(crashing)).status).toBe(500);
    directory.recover();
    expect((await add(crashing)).status).toBe(write === 1 && when === 'after' ? 409 : 200);
    expect(await crashing.ok('/email-identities/ListEmailIdentities')).toMatchObject({ identities: [{ email }] });
    expect(crashing.senderAddresses.mailed).toEqual([email]);
  });

  test('is in the audit log', async () => {
    const { identity_id } = (await add()).body['identity'] as EmailIdentity;
    await add();
    const about = { action: 'email-identities/AddEmailIdentity', entity_name: email };
    expect(await entries('email-identities')).toEqual(expect.arrayContaining([
      expect.objectContaining({ ...about, entity_id: identity_id, status: 'success', changes: [{ field: 'email', new_value: email }] }),
      expect.objectContaining({ ...about, status: 'failure', error_msg: 'this address is registered already' }),
    ]));
  });
});

describe('ListEmailIdentities', () => {
  test('pages by the provider’s own positions', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await add(api, `${name}@else.test`);
    const found: string[] = [];
    let page_token = '';
    do {
      const page = await list({ page_size: 2, page_token });
      found.push(...page.identities.map((identity) => identity.email));
      page_token = page.next_page_token;
    } while (page_token !== '');
    expect(found).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@else.test`));
  });

  test('a position of the provider that is longer than a page token is kept for a day, and means the same however often it is asked for', async () => {
    for (const name of ['a', 'b', 'c']) await add(api, `${name}@else.test`);
    const { next_page_token: page_token } = await list({ page_size: 1 });
    expect(page_token.length).toBeLessThanOrEqual(512);
    const second = await list({ page_size: 1, page_token });
    expect(second.identities).toMatchObject([{ email: 'b@else.test' }]);
    expect(await list({ page_size: 1, page_token })).toEqual(second);
    const kept = await api.directory.query({ pk: 'email-identity-page' });
    expect(kept.map(({ expiresAt }) => expiresAt)).toEqual(kept.map(() => Date.parse('2026-11-22T08:38:00Z') / 1000));
    await api.directory.write(kept.map(({ pk, sk }) => ({ delete: { pk, sk } })));
    expect(await api.call('/email-identities/ListEmailIdentities', { page_size: 1, page_token })).toMatchObject({
      status: 400, body: { code: 'invalid_argument', message: 'page_token has expired; start again from the first page' },
    });
  });

  test('a token is good for nothing else, and not when it was altered', async () => {
    for (const name of ['a', 'b', 'c']) await add(api, `${name}@else.test`);
    const { next_page_token: token } = await list({ page_size: 1 });
    for (const [path, page_token] of [['/domains/ListDomains', token], ['/email-identities/ListEmailIdentities', `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`]]) {
      expect(await api.call(path!, { page_token })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    }
  });

  test('shows how each stands, those that were registered elsewhere too, under lasting ids', async () => {
    await add();
    api.senderAddresses.settle(email);
    await api.senderAddresses.register('elsewhere@else.test');
    api.senderAddresses.settle('elsewhere@else.test', 'FAILED');
    const { identities } = await list();
    expect(identities.map((identity) => [identity.email, identity.verification_status])).toEqual([
      ['elsewhere@else.test', 'VERIFICATION_STATUS_FAILED'], [email, 'VERIFICATION_STATUS_SUCCESS'],
    ]);
    now = new Date('2026-12-01T00:00:00Z');
    expect((await list()).identities).toEqual(identities);
  });
});

describe('RemoveEmailIdentity', () => {
  test('removes it for good', async () => {
    const { identity_id } = (await add()).body['identity'] as EmailIdentity;
    expect(await remove()).toMatchObject({ status: 200, body: {} });
    expect((await list()).identities).toEqual([]);
    expect(await remove()).toMatchObject({ status: 404, body: { code: 'not_found', message: 'there is no such email identity' } });
    expect((await add()).body['identity']).toMatchObject({ verification_status: 'VERIFICATION_STATUS_PENDING', identity_id });
    expect(await entries('email-identities/RemoveEmailIdentity')).toEqual(expect.arrayContaining([
      expect.objectContaining({ entity_id: identity_id, entity_name: email, status: 'success' }),
      expect.objectContaining({ entity_name: email, status: 'failure', error_msg: 'there is no such email identity' }),
    ]));
  });

  test('one that the provider has lost is removed here', async () => {
    await add();
    await api.senderAddresses.remove(email);
    expect(await remove()).toMatchObject({ status: 200 });
    expect(await remove()).toMatchObject({ status: 404 });
  });

  test('a domain is no address', async () => {
    expect(await remove('else.test')).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
  });
});

describe('ResendVerificationEmail', () => {
  test('sends another mail and changes nothing else', async () => {
    const { identity } = (await add()).body;
    expect(await resend()).toMatchObject({ status: 200, body: {} });
    expect(api.senderAddresses.mailed).toEqual([email, email]);
    expect((await list()).identities).toEqual([identity]);
  });

  test('one whose time ran out waits again', async () => {
    await add();
    api.senderAddresses.settle(email, 'FAILED');
    await resend();
    expect((await list()).identities).toMatchObject([{ verification_status: 'VERIFICATION_STATUS_PENDING' }]);
  });

  test('a verified one is failed_precondition, an unknown one not_found', async () => {
    await add();
    api.senderAddresses.settle(email);
    expect(await resend()).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
    expect(await resend(api, 'nobody@else.test')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('interrupted between the old registration and the new one, the next call repairs it', async () => {
    await add();
    const interrupted = jest.spyOn(api.senderAddresses, 'register').mockRejectedValueOnce(new Error('interrupted'));
    expect(await resend()).toMatchObject({ status: 500 });
    interrupted.mockRestore();
    expect((await list()).identities).toEqual([]);
    expect(await resend()).toMatchObject({ status: 200 });
    expect((await list()).identities).toMatchObject([{ email }]);
  });
});
