import type { EmailIdentity } from '../../../../contract/admin/email-identities.ts';
import { adminApiPerTest } from '../../../support/admin-api.ts';

const api = adminApiPerTest();

const email = 'someone@else.test';
const add = () => api.call('/email-identities/AddEmailIdentity', { email });
const list = async () => (await api.ok('/email-identities/ListEmailIdentities')) as { identities: EmailIdentity[] };
const resend = (address = email) => api.call('/email-identities/ResendVerificationEmail', { email: address });

describe('ResendVerificationEmail', () => {
  test('makes the provider send another mail and changes nothing else', async () => {
    const { identity } = (await add()).body;
    expect(await resend()).toMatchObject({ status: 200, body: {} });
    expect(api.senderAddresses.mailed).toEqual([email, email]);
    expect((await list()).identities).toEqual([identity]);
  });

  test('makes an address pending again after its verification failed', async () => {
    await add();
    api.senderAddresses.setStatus(email, 'FAILED');
    await resend();
    expect((await list()).identities).toMatchObject([{ verification_status: 'VERIFICATION_STATUS_PENDING' }]);
  });

  test('of a verified address is failed_precondition, of an unknown address not_found', async () => {
    await add();
    api.senderAddresses.setStatus(email);
    expect(await resend()).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
    expect(await resend('unknown@else.test')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('sends nothing for an address that another application registered, which stays', async () => {
    api.senderAddresses.registerForeign(email);
    expect(await resend()).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
    expect(api.senderAddresses.mailed).toEqual([]);
    expect(await api.senderAddresses.find(email)).toMatchObject({ status: 'PENDING' });
  });

  test('the next call completes one that was interrupted before the new registration', async () => {
    await add();
    const interrupted = jest.spyOn(api.senderAddresses, 'register').mockRejectedValueOnce(new Error('interrupted'));
    expect(await resend()).toMatchObject({ status: 500 });
    interrupted.mockRestore();
    expect((await list()).identities).toEqual([]);
    expect(await resend()).toMatchObject({ status: 200 });
    expect((await list()).identities).toMatchObject([{ email }]);
  });
});
