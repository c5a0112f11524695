import { adminApiPerTest } from '../../support/admin-api.ts';
import { validRequests } from '../../support/valid-admin-requests.ts';

/** Methods that only look an address or a domain up. Anything may be asked for. */
const lookedUp = /^\/(?:accounts\/FindAddress|domains\/SendTestEmail|email-identities\/(?:Remove|Resend)|mail-feedback\/|suppression\/)/;

const fields = validRequests.flatMap(({ path, properties, request }) => Object.keys(properties)
  .filter((name) => name === 'domain' || /(?:^|_)(?:email|address|recipient|reply_to|bcc)$/.test(name))
  .map((name) => ({ name: `${path} ${name}`, path, field: name, request })));

describe('the domain invalid, which is nobody’s', () => {
  const api = adminApiPerTest();

  test.each(fields.filter(({ name }) => !lookedUp.test(name)))('is refused in $name, and changes nothing', async ({ path, field, request }) => {
    const before = JSON.stringify(await api.directory.query({ pk: 'user' }));
    for (const domain of ['released.invalid', 'RELEASED.Invalid', 'a.b.invalid']) {
      const { status, body } = await api.call(path, { ...request, [field]: field === 'domain' ? domain : `someone@${domain}` });
      expect({ status, code: body.code, message: body.message }).toMatchObject({
        status: 400, code: 'invalid_argument', message: expect.stringMatching(new RegExp(`^${field} must not be at the domain invalid`)),
      });
    }
    expect(JSON.stringify(await api.directory.query({ pk: 'user' }))).toBe(before);
  });

  test('keeps nobody from being deleted who has the address by which an earlier release released theirs', async () => {
    const { user } = await api.ok('/users/CreateUser', { email: 'leaver@else.test' }) as { user: { user_id: string; idp_identities: { username: string }[] } };
    await api.identityProvider.invite(`${user.idp_identities[0]!.username}@released.invalid`, undefined);
    expect(await api.call('/users/DeleteUser', { user_id: user.user_id })).toMatchObject({ status: 200 });
  });
});
