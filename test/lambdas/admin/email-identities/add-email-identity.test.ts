import type { EmailIdentity } from '../../../../contract/admin/email-identities.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi, adminApiPerTest, type AdminApi } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';

let now: Date;
beforeEach(() => {
  now = new Date('2026-11-21T08:38:00Z');
});
const api = adminApiPerTest({ clock: () => now });

const email = 'someone@else.test';
const add = (to: AdminApi = api, address = email) => to.call('/email-identities/AddEmailIdentity', { email: address });
const list = async () => (await api.ok('/email-identities/ListEmailIdentities')) as { identities: EmailIdentity[] };

describe('AddEmailIdentity', () => {
  test('registers the address, which is then pending', async () => {
    const { status, body } = await add(api, 'Someone@Else.TEST');
    expect(status).toBe(200);
    expect(body['identity']).toEqual({
      email,
      verification_status: 'VERIFICATION_STATUS_PENDING',
      identity_id: expect.stringMatching(/^identity_[\w-]{21}$/),
      created_at: now.toISOString(),
    });
    expect(api.senderAddresses.mailed).toEqual([email]);
    expect((await list()).identities).toEqual([body['identity']]);
  });

  test('of a registered address is already_exists and sends no second mail', async () => {
    await add();
    expect(await add()).toMatchObject({ status: 409, body: { code: 'already_exists' } });
    expect(api.senderAddresses.mailed).toHaveLength(1);
  });

  test('of ten concurrent calls, one registers the address', async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => add()));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(9);
    expect(api.senderAddresses.mailed).toHaveLength(1);
  });

  test('adopts an address that only the provider knows, with its current status', async () => {
    await api.senderAddresses.register(email);
    api.senderAddresses.setStatus(email);
    expect(await add()).toMatchObject({ status: 200, body: { identity: { verification_status: 'VERIFICATION_STATUS_SUCCESS' } } });
    expect(await add()).toMatchObject({ status: 409 });
  });

  test('registers an address again, with the same identity_id, when only the directory has it', async () => {
    const { identity_id } = (await add()).body['identity'] as EmailIdentity;
    await api.senderAddresses.remove(email);
    expect(await add()).toMatchObject({ status: 200, body: { identity: { identity_id, verification_status: 'VERIFICATION_STATUS_PENDING' } } });
  });

  test('of an address that the provider rejects stores nothing', async () => {
    expect(await add(api, 'a@refused.test')).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    expect(await api.directory.query({ pk: 'email-identity' })).toEqual([]);
  });

  test.each([
    [0, 'before'],
    [0, 'after'],
    [1, 'before'],
    [1, 'after'],
  ] as const)('the next call completes one that crashed at write %d, %s it', async (write, when) => {
    const directory = failingTable(memoryTable());
    const crashing = await adminApi({ directory });
    directory.endProcessAtWrite(write, when);
    expect((await add(crashing)).status).toBe(500);
    directory.recover();
    expect((await add(crashing)).status).toBe(write === 1 && when === 'after' ? 409 : 200);
    expect(await crashing.ok('/email-identities/ListEmailIdentities')).toMatchObject({ identities: [{ email }] });
    expect(crashing.senderAddresses.mailed).toEqual([email]);
  });

  test('is audited', async () => {
    const { identity_id } = (await add()).body['identity'] as EmailIdentity;
    await add();
    const entry = { action: 'email-identities/AddEmailIdentity', entity_name: email };
    expect(await api.auditLogs('email-identities')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...entry, entity_id: identity_id, status: 'success', changes: [{ field: 'email', new_value: email }] }),
        expect.objectContaining({ ...entry, status: 'failure', error_msg: 'this address is registered already' }),
      ]),
    );
  });
});
