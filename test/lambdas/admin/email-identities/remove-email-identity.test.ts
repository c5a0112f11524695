import type { EmailIdentity } from '../../../../contract/admin/email-identities.ts';
import { adminApiPerTest } from '../../../support/admin-api.ts';

const api = adminApiPerTest();

const email = 'someone@else.test';
const add = () => api.call('/email-identities/AddEmailIdentity', { email });
const list = async () => (await api.ok('/email-identities/ListEmailIdentities')) as { identities: EmailIdentity[] };
const remove = (address = email) => api.call('/email-identities/RemoveEmailIdentity', { email: address });

describe('RemoveEmailIdentity', () => {
  test('removes the address', async () => {
    const { identity_id } = (await add()).body['identity'] as EmailIdentity;
    expect(await remove()).toMatchObject({ status: 200, body: {} });
    expect((await list()).identities).toEqual([]);
    expect(await remove()).toMatchObject({ status: 404, body: { code: 'not_found', message: 'there is no such email identity' } });
    expect((await add()).body['identity']).toMatchObject({ verification_status: 'VERIFICATION_STATUS_PENDING', identity_id });
    expect(await api.auditLogs('email-identities/RemoveEmailIdentity')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ entity_id: identity_id, entity_name: email, status: 'success' }),
        expect.objectContaining({ entity_name: email, status: 'failure', error_msg: 'there is no such email identity' }),
      ]),
    );
  });

  test('removes an address that only the directory knows', async () => {
    await add();
    await api.senderAddresses.remove(email);
    expect(await remove()).toMatchObject({ status: 200 });
    expect(await remove()).toMatchObject({ status: 404 });
  });

  test('leaves an address that another application registered, and says which tag it lacks', async () => {
    api.senderAddresses.registerForeign(email);
    expect(await remove()).toMatchObject({
      status: 400,
      body: { code: 'failed_precondition', message: expect.stringContaining('postrider:deployment=Postrider') },
    });
    expect(await api.senderAddresses.find(email)).toMatchObject({ email });
    expect((await list()).identities).toMatchObject([{ email }]);
  });

  test('rejects a domain', async () => {
    expect(await remove('else.test')).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
  });
});
