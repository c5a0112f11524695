import { adminApiPerTest } from '../../support/admin-api.ts';
import { validRequests } from '../../support/valid-admin-requests.ts';

/** Methods that only look an address or a domain up. Anything may be asked for. */
const lookedUp = /^\/(?:accounts\/FindAddress|aliases\/PutCatchAll|domains\/SendTestEmail|email-identities\/(?:Remove|Resend)|mail-feedback\/|suppression\/)/;

const fields = validRequests.flatMap(({ path, properties, request }) =>
  Object.keys(properties)
    .filter((name) => name === 'domain' || /(?:^|_)(?:email|address|recipient|reply_to|bcc)$/.test(name))
    .map((name) => ({ name: `${path} ${name}`, path, field: name, request })),
);

describe('the domain invalid, which is nobody’s', () => {
  const api = adminApiPerTest();

  test.each(fields.filter(({ name }) => !lookedUp.test(name)))('is refused in $name, and changes nothing', async ({ path, field, request }) => {
    const before = JSON.stringify(await api.directory.query({ pk: 'user' }));
    for (const domain of ['released.invalid', 'RELEASED.Invalid', 'a.b.invalid']) {
      const { status, body } = await api.call(path, { ...request, [field]: field === 'domain' ? domain : `someone@${domain}` });
      expect({ status, code: body.code, message: body.message }).toMatchObject({
        status: 400,
        code: 'invalid_argument',
        message: expect.stringMatching(new RegExp(`^${field} must not be at the domain invalid`)),
      });
    }
    expect(JSON.stringify(await api.directory.query({ pk: 'user' }))).toBe(before);
  });
});
