import type { User } from '../../../../contract/admin/users.ts';
import { MailRefused } from '../../../../core/aws/ses/ses-mail-sender.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi, adminApiPerTest } from '../../../support/admin-api.ts';
import { createAccount, createDomain, createUser } from '../../../support/admin-resources.ts';
import { failingTable } from '../../../support/failing-table.ts';

const api = adminApiPerTest({ clock: () => new Date('2026-11-21T08:38:00Z') });

describe('CreateUser', () => {
  test('creates the user in the directory and at the identity provider, which invites them once', async () => {
    const { user } = await api.ok('/users/CreateUser', { email: 'Alice@Example.Test', display_name: 'Alice' });
    expect(user).toEqual({
      user_id: expect.stringMatching(/^user_[A-Za-z0-9_-]{21}$/),
      name: 'Alice',
      display_name: 'Alice',
      primary_email: 'alice@example.test',
      is_active: true,
      is_admin: false,
      is_deleted: false,
      idp_identities: [{ provider: 'cognito', sub: expect.any(String), username: expect.any(String), email: 'alice@example.test', groups: [] }],
      sign_in_state: 'INVITED',
      temporary_password_until: '2026-11-28T08:38:00.000Z',
      clients: [],
      created_at: '2026-11-21T08:38:00.000Z',
      updated_at: '2026-11-21T08:38:00.000Z',
    });
    expect(api.identityProvider.invitations).toEqual(['alice@example.test']);
    const { sub } = (user as User).idp_identities![0]!;
    expect(await api.users.findBySub(sub)).toMatchObject({ user_id: (user as User).user_id });
  });

  test('without a display_name, the address is the name', async () => {
    const { user } = await api.ok('/users/CreateUser', { email: 'bob@example.test' });
    expect(user).toMatchObject({ name: 'bob@example.test' });
    expect(user).not.toHaveProperty('display_name');
    expect(user).not.toHaveProperty('version');
  });

  test('of a taken address, compared case-insensitively, is already_exists', async () => {
    await createUser(api, 'alice@example.test');
    expect(await api.call('/users/CreateUser', { email: 'ALICE@EXAMPLE.TEST' })).toMatchObject({ status: 409, body: { code: 'already_exists' } });
    expect(api.identityProvider.invitations).toHaveLength(1);
  });

  test('of an address at a domain that is received here creates the user, and mails no invitation', async () => {
    expect(await api.ok('/users/CreateUser', { email: 'alice@example.test' })).toMatchObject({ invitation_sent: true });
    await createDomain(api, { domain: 'here.test', receive_enabled: true });
    expect(await api.ok('/users/CreateUser', { email: 'bob@here.test' })).toMatchObject({
      user: { is_active: true, idp_identities: [{ email: 'bob@here.test' }] },
      invitation_sent: false,
    });
    expect(api.identityProvider.invitations).toEqual(['alice@example.test']);
  });

  describe('with return_temporary_password', () => {
    const create = (email: string, more = {}) => api.call('/users/CreateUser', { email, return_temporary_password: true, ...more });

    test('mails no invitation to any address, and returns once the password that the identity provider has', async () => {
      await createDomain(api, { domain: 'here.test', receive_enabled: true });
      for (const email of ['ben@here.test', 'ben@elsewhere.test']) {
        const { status, body } = await create(email, { display_name: 'Ben' });
        const { user, temporary_password: password } = body as { user: User; temporary_password: string };
        expect({ status, body }).toMatchObject({ status: 200, body: { user: { name: 'Ben', primary_email: email }, invitation_sent: false } });
        expect(password).toMatch(/^[a-zA-Z2-9]{4}(-[a-zA-Z2-9]{4}){3}$/);
        expect(password).toBe(api.identityProvider.temporaryPasswords.get(user.idp_identities![0]!.username));
        expect(JSON.stringify(await api.ok('/users/GetUser', { user_id: user.user_id }))).not.toContain(password);
      }
      expect(api.identityProvider.invitations).toEqual([]);
    });

    test('keeps the password out of the audit log, the tables and the log', async () => {
      const writes = jest.spyOn(api.directory, 'write');
      const password = (await create('ben@example.test')).body['temporary_password'] as string;
      expect(await api.auditLogs('users/CreateUser')).toMatchObject([{ status: 'success', entity_name: 'ben@example.test' }]);
      const stored = JSON.stringify([writes.mock.calls, api.log.records]);
      expect(stored).toContain('ben@example.test');
      expect(stored).not.toContain(password);
    });

    test('of concurrent calls returns only the password that is valid', async () => {
      const responses = await Promise.all(Array.from({ length: 10 }, () => create('race@example.test')));
      const created = responses.filter(({ status }) => status === 200);
      expect(created).toHaveLength(1);
      expect([...api.identityProvider.temporaryPasswords.values()]).toEqual([created[0]!.body['temporary_password']]);
    });

    test('names the next step when the password cannot be set, which then returns another one', async () => {
      api.identityProvider.fault.error = new Error('Rate exceeded');
      expect(await create('ben@example.test')).toMatchObject({
        status: 503,
        body: { code: 'unavailable', message: expect.stringContaining('users/ResetPassword') as string },
      });
      expect(await api.auditLogs('users/CreateUser')).toMatchObject([{ status: 'failure' }]);
      delete api.identityProvider.fault.error;
      expect(await create('ben@example.test')).toMatchObject({ status: 409, body: { code: 'already_exists' } });
      const { users } = (await api.ok('/users/ListUsers')) as { users: User[] };
      const { user_id } = users.find(({ primary_email }) => primary_email === 'ben@example.test')!;
      expect(await api.ok('/users/ResetPassword', { user_id })).toMatchObject({ temporary_password: expect.any(String) as string });
    });

    test('resets the password of nobody who exists', async () => {
      await createUser(api, 'alice@example.test');
      expect(await create('alice@example.test')).toMatchObject({ status: 409 });
      expect(api.identityProvider.temporaryPasswords.size).toBe(0);
    });
  });

  describe('with invitation_email', () => {
    const home = 'ben@home.example';
    const create = (more = {}) => api.call('/users/CreateUser', { email: 'ben@here.test', display_name: 'Ben', invitation_email: home, ...more });

    test('mails the temporary password that the identity provider has to that address only, and says who invites to what', async () => {
      await createDomain(api, { domain: 'here.test', receive_enabled: true });
      const { status, body } = await create();
      expect({ status, body }).toEqual({ status: 200, body: { user: expect.objectContaining({ primary_email: 'ben@here.test' }), invitation_sent: true } });
      const [mail, ...others] = api.systemMail.sent;
      expect([others, api.identityProvider.invitations]).toEqual([[], []]);
      expect(mail).toMatchObject({ from: 'no-reply@example.test', to: home, replyTo: 'admin@example.test' });
      const password = [...api.identityProvider.temporaryPasswords.values()][0]!;
      for (const content of [mail!.text, mail!.html]) {
        for (const fact of [
          'admin@example.test',
          'example.test',
          'ben@here.test',
          password,
          'https://jmap.example.test/.well-known/jmap',
          '7 days',
          'authenticator app',
        ]) {
          expect(content).toContain(fact);
        }
        expect(content).not.toContain('console.example.test');
      }
    });

    test('keeps the address and the password out of the audit log, the tables and the log', async () => {
      const writes = jest.spyOn(api.directory, 'write');
      await create();
      const password = [...api.identityProvider.temporaryPasswords.values()][0]!;
      expect(await api.auditLogs('users/CreateUser')).toMatchObject([{ status: 'success', entity_name: 'Ben' }]);
      const stored = JSON.stringify([writes.mock.calls, api.log.records]);
      expect(stored).toContain('ben@here.test');
      for (const secret of [home, password]) expect(stored).not.toContain(secret);
    });

    test('at a domain that is received here is refused, and creates nobody', async () => {
      await createDomain(api, { domain: 'here.test', receive_enabled: true });
      expect(await create({ invitation_email: 'Team@Here.Test' })).toMatchObject({
        status: 400,
        body: { code: 'invalid_argument', message: expect.stringMatching(/^invitation_email is at a domain that this deployment receives/) as string },
      });
      expect(await api.identityProvider.find('ben@here.test')).toBeUndefined();
    });

    test('excludes return_temporary_password', async () => {
      expect(await create({ return_temporary_password: true })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
      expect(await api.identityProvider.find('ben@here.test')).toBeUndefined();
    });

    test.each([
      [
        'refuses the mail',
        new MailRefused('the SES sandbox of this account sends to verified addresses only'),
        'failed_precondition',
        /the SES sandbox .*call users\/ResetPassword without/,
      ],
      [
        'refuses the mail with a message that names the address',
        new MailRefused(`Illegal address: <${home}>`),
        'failed_precondition',
        /SES refuses it; call users\/ResetPassword/,
      ],
      ['does not answer', new Error('timeout'), 'unavailable', /may not have been sent; try users\/ResetPassword again/],
    ])('names the next step when SES %s; the user exists, and the audit log has the failure', async (_title, error, code, message) => {
      api.systemMail.fault.error = error;
      const answer = await create();
      expect(answer.body).toMatchObject({ code, message: expect.stringMatching(message) as string });
      const { audit_logs: entries } = await api.ok('/audit/ListAuditLogs', { operation: 'users/CreateUser' });
      expect(entries).toMatchObject([{ status: 'failure', entity_name: 'Ben' }]);
      expect(JSON.stringify([entries, answer.body])).not.toContain(home);
      delete api.systemMail.fault.error;
      expect(await create()).toMatchObject({ status: 409, body: { code: 'already_exists' } });
      const { users } = (await api.ok('/users/ListUsers')) as { users: User[] };
      const { user_id } = users.find(({ primary_email }) => primary_email === 'ben@here.test')!;
      expect(await api.ok('/users/ResetPassword', { user_id, invitation_email: home })).toEqual({});
      expect(api.systemMail.sent).toMatchObject([
        { to: home, text: expect.stringContaining([...api.identityProvider.temporaryPasswords.values()][0]!) as string },
      ]);
    });
  });

  test.each(['alice@here.test', 'Alice+letters@here.test'])('of %s, whose mail the mailbox of another user receives, is already_exists', async (email) => {
    const domain_id = await createDomain(api, { domain: 'here.test', receive_enabled: true });
    await createAccount(api, { domain_id });
    expect(await api.call('/users/CreateUser', { email })).toMatchObject({
      status: 409,
      body: { code: 'already_exists', message: expect.stringContaining('mailbox of another user') },
    });
    expect(await api.identityProvider.find(email.toLowerCase())).toBeUndefined();
  });

  test('of an address for which an alias is created at the same time succeeds for one of both', async () => {
    const domain_id = await createDomain(api, { domain: 'here.test', receive_enabled: true });
    const { account_id } = await createAccount(api, { domain_id });
    for (const local_part of ['a', 'b', 'c', 'd']) {
      const answers = await Promise.all([
        api.call('/users/CreateUser', { email: `${local_part}@here.test` }),
        api.call('/aliases/CreateAlias', { account_id, local_part, domain_id }),
      ]);
      expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409]);
    }
  });

  test('of twenty concurrent calls, one succeeds and the others are already_exists', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => api.call('/users/CreateUser', { email: 'race@example.test' })));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    expect((await api.ok('/users/ListUsers'))['users']).toHaveLength(5);
    expect(api.identityProvider.invitations).toEqual(['race@example.test']);
  });

  test('the next call completes one that the identity provider failed', async () => {
    const invite = api.identityProvider.invite.bind(api.identityProvider);
    api.identityProvider.invite = async () => {
      throw Object.assign(new Error('Rate exceeded'), { name: 'TooManyRequestsException' });
    };
    const request = { email: 'alice@example.test' };
    expect(await api.call('/users/CreateUser', request)).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    api.identityProvider.invite = invite;
    expect(await api.call('/users/CreateUser', request)).toMatchObject({ status: 200 });
    expect(await api.call('/users/CreateUser', request)).toMatchObject({ status: 409 });
    expect(api.identityProvider.invitations).toEqual(['alice@example.test']);
  });

  test('of an address that the identity provider rejects is invalid_argument and releases the address', async () => {
    const email = `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.test`;
    expect(await api.call('/users/CreateUser', { email })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    expect(await api.directory.get({ pk: 'user-email', sk: email })).toBeUndefined();
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
    expect(await crashing.call('/users/CreateUser', { email: 'alice@example.test' })).toMatchObject({
      status: 500,
      body: { code: 'internal', message: 'something went wrong on our side' },
    });
    directory.recover();
    const completed = await crashing.call('/users/CreateUser', { email: 'alice@example.test' });
    // 409: the first call completed the user before the crash.
    expect(completed.status).toBe(write === 1 && when === 'after' ? 409 : 200);
    const users = (await crashing.ok('/users/ListUsers'))['users'] as User[];
    const created = users.filter(({ primary_email }) => primary_email === 'alice@example.test');
    expect(created).toHaveLength(1);
    expect(await crashing.users.findBySub(created[0]!.idp_identities![0]!.sub)).toMatchObject({ user_id: created[0]!.user_id });
    expect(crashing.identityProvider.invitations).toEqual(['alice@example.test']);
  });
});
