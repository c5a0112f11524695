import type { User } from '../../../contract/admin/users.ts';
import { adminApi, adminApiPerTest, everyMethod, storeLimitedAdmins, type AdminApi, type TokenName } from '../../support/admin-api.ts';

/**
 * Who may call each method: A the role ALL, H the role HELPDESK, R the role READ_ONLY. A new method fails here until its
 * roles are decided.
 */
const table: { readonly [service: string]: string } = {
  status: `
    Ping                       A H R
    GetCaller                  A H R
    GetStatus                  A H R
    ListProblems               A H R
    SubscribeToProblems        A H -`,
  users: `
    CreateUser                 A H -
    ListUsers                  A H R
    GetUser                    A H R
    UpdateUser                 A H -
    ChangeSignInAddress        A H -
    DeleteUser                 A H -
    RestoreUser                A H -
    ResendInvitation           A H -
    ResetPassword              A H -
    ResetSecondFactor          A H -
    EndSessions                A H -
    ListUserAccounts           A H R
    GetUserOverview            A H R
    PutUserAccountMember       A H -
    DeleteUserAccountMember    A H -`,
  accounts: `
    ListAccounts               A H R
    GetAccount                 A H R
    FindAddress                A H R
    FindSimilar                A H R
    CreateAccount              A H -
    UpdateAccount              A H -
    DeleteAccount              A H -
    ListAccountRemovals        A H R
    RestoreAccount             A H -
    RemoveAccountNow           A - -
    ListDestroyedEmails        A H -
    RestoreEmails              A H -
    PurgeDestroyedEmails       A - -
    ListAccountMembers         A H R
    PutAccountMember           A H -
    DeleteAccountMember        A H -`,
  aliases: `
    ListAccountAliases         A H R
    ListAliases                A H R
    CreateAlias                A H -
    UpdateAlias                A H -
    SetPrimaryAlias            A H -
    MoveAlias                  A H -
    DeleteAlias                A H -
    CreateGroup                A H -
    GetGroup                   A H R
    ListGroups                 A H R
    ListGroupsOfMember         A H R
    UpdateGroup                A H -
    DeleteGroup                A H -
    ListGroupMembers           A H R
    AddGroupMembers            A H -
    RemoveGroupMembers         A H -
    ListCatchAlls              A H R
    PutCatchAll                A - -
    DeleteCatchAll             A - -
    GetForwarding              A H R
    ListForwardings            A H R
    PutForwarding              A H -
    DeleteForwarding           A H -`,
  domains: `
    AddDomain                  A - -
    CreateDomain               A - -
    GetDomain                  A H R
    GetDomainVerification      A H R
    VerifyDomain               A H R
    ListDomains                A H R
    UpdateDomain               A - -
    RemoveDomain               A - -
    CheckDNSProvider           A - R
    ApplyDomainRecords         A - -
    DeleteDomainRecord         A - -
    SendTestEmail              A - -`,
  'email-identities': `
    AddEmailIdentity           A - -
    ListEmailIdentities        A H R
    RemoveEmailIdentity        A - -
    ResendVerificationEmail    A - -`,
  'change-requests': `
    CreateChangeRequest        A - -
    GetChangeRequest           A - R
    ListChangeRequests         A - R
    ListChangeRequestEvents    A - R
    ProvideChangeRequestInfo   A - -
    CancelChangeRequest        A - -`,
  support: `
    OpenSupportCase            A - -
    CloseSupportCase           A - -
    ListSupportCases           A - -
    SetSupportCaseTiers        A - -
    SetSupportCaseActiveUntil  A - -
    ListSupportRoleAssumptions A - -`,
  monitoring: `
    GetOverview                A - R
    GetMetricSeries            A H R
    ListQueues                 A H R
    ListDeadLetters            A - -
    RetryDeadLetters           A - -
    ReturnDeadLetters          A - -
    DropDeadLetters            A - -
    ListRecentErrors           A - -
    GetLogContext              A - -`,
  'mail-feedback': `
    ListRecentFeedback         A H R
    ListFeedbackByIdentity     A H R
    ListFeedbackByRecipient    A H R
    ListSentMessages           A H -
    ListReceivedMessages       A H -
    GetReceivedMessage         A H -`,
  suppression: `
    GetSuppression             A H R
    ListSuppressions           A H R
    ClearBounceSuppression     A H -
    ClearComplaintSuppression  A H -`,
  audit: `
    ListAuditLogs              A - R
    ListActors                 A - R
    ListOperations             A - R`,
  setup: `
    GetReadiness               A H R
    GetSetupTestStatus         A - R
    DismissWelcome             A - -`,
};

const callers: { readonly [letter: string]: TokenName } = { A: 'admin', H: 'helpdesk', R: 'read-only', N: 'former-admin' };

describe('each method', () => {
  let api: AdminApi;
  beforeAll(async () => {
    api = await adminApi();
    await storeLimitedAdmins(api);
  });

  const rows = Object.entries(table).flatMap(([service, lines]) =>
    lines
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/ +/))
      .map(([name, ...letters]) => ({ path: `/${service}/${name}`, letters })),
  );

  test('has a row in the table', () => {
    expect(rows.map(({ path }) => path).sort()).toEqual(everyMethod.map(({ path }) => path).sort());
  });

  test.each(rows)('$path admits $letters, and refuses others before it reads the body', async ({ path, letters }) => {
    for (const [letter, token] of Object.entries(callers)) {
      const { status, body } = await api.send(path, '{"broken', { token });
      expect({ letter, status, code: body.code }).toEqual(
        letters.includes(letter) ? { letter, status: 400, code: 'invalid_argument' } : { letter, status: 403, code: 'permission_denied' },
      );
    }
  });

  test('that changes something is closed to READ_ONLY, and another name of a method has its roles', () => {
    for (const { path, method, service } of everyMethod) {
      if (method.changes) expect({ path, roles: method.roles }).not.toMatchObject({ roles: expect.arrayContaining(['READ_ONLY']) });
      if (method.aliasOf !== undefined) expect({ path, roles: method.roles }).toEqual({ path, roles: service.methods[method.aliasOf]!.roles });
    }
  });

  test('says which role is missing', async () => {
    const refused = async (path: string, token: TokenName) => (await api.call(path, {}, token)).body;
    expect(await refused('/domains/AddDomain', 'helpdesk')).toEqual({ code: 'permission_denied', message: 'your role is HELPDESK; this needs ALL' });
    expect(await refused('/users/UpdateUser', 'read-only')).toEqual({
      code: 'permission_denied',
      message: 'your role is READ_ONLY; this needs ALL or HELPDESK',
    });
  });

  test('GetCaller returns the role', async () => {
    const roleOf = async (token: TokenName) => ((await api.call('/status/GetCaller', {}, token)).body['caller'] as { admin_role: string }).admin_role;
    expect(await Promise.all((['admin', 'helpdesk', 'read-only', 'machine'] as const).map(roleOf))).toEqual(['ALL', 'HELPDESK', 'READ_ONLY', 'ALL']);
  });
});

describe('the role of an admin', () => {
  const api = adminApiPerTest();
  beforeEach(() => storeLimitedAdmins(api));
  const update = (request: object, token?: string) => api.call('/users/UpdateUser', request, token);
  const roleOf = async (user_id: string) => {
    const { is_admin, admin_role } = (await api.ok('/users/GetUser', { user_id }))['user'] as User;
    return [is_admin, admin_role];
  };

  test('is ALL for an admin without a stored one, and absent for anybody else', async () => {
    expect([await roleOf('user_admin'), await roleOf('user_helpdesk'), await roleOf('user_person')]).toEqual([
      [true, 'ALL'],
      [true, 'HELPDESK'],
      [false, undefined],
    ]);
  });

  test('is ALL by default, changes at once, ends with the admin rights, and is audited', async () => {
    await api.ok('/users/UpdateUser', { user_id: 'user_person', is_admin: true });
    expect(await roleOf('user_person')).toEqual([true, 'ALL']);
    expect((await api.call('/audit/ListActors', { actor_type: 'USER' }, 'former-admin')).status).toBe(200);
    await api.ok('/users/UpdateUser', { user_id: 'user_person', admin_role: 'ADMIN_ROLE_HELPDESK' });
    expect((await api.call('/audit/ListActors', { actor_type: 'USER' }, 'former-admin')).status).toBe(403);
    await api.ok('/users/UpdateUser', { user_id: 'user_person', is_admin: false });
    expect(await roleOf('user_person')).toEqual([false, undefined]);
    await api.ok('/users/UpdateUser', { user_id: 'user_person', is_admin: true, admin_role: 'READ_ONLY' });
    expect(await roleOf('user_person')).toEqual([true, 'READ_ONLY']);
    expect((await api.auditLogs('users/UpdateUser')).map(({ changes }) => changes)).toEqual([
      [
        { field: 'is_admin', old_value: 'false', new_value: 'true' },
        { field: 'admin_role', new_value: 'READ_ONLY' },
      ],
      [
        { field: 'is_admin', old_value: 'true', new_value: 'false' },
        { field: 'admin_role', old_value: 'HELPDESK' },
      ],
      [{ field: 'admin_role', old_value: 'ALL', new_value: 'HELPDESK' }],
      [
        { field: 'is_admin', old_value: 'false', new_value: 'true' },
        { field: 'admin_role', new_value: 'ALL' },
      ],
    ]);
  });

  test('is refused for a user who is no admin', async () => {
    for (const request of [{ admin_role: 'HELPDESK' }, { admin_role: 'HELPDESK', is_admin: false }]) {
      expect((await update({ user_id: 'user_person', ...request })).body.code).toBe('failed_precondition');
    }
  });

  test('stays ALL for the last admin who has it, whatever other admins there are', async () => {
    for (const change of [{ is_admin: false }, { is_active: false }, { admin_role: 'HELPDESK' }, { admin_role: 'READ_ONLY' }]) {
      expect((await update({ user_id: 'user_admin', ...change })).body).toEqual({
        code: 'failed_precondition',
        message: 'this is the last admin with the role ALL',
      });
    }
    expect((await api.call('/users/DeleteUser', { user_id: 'user_admin' })).body.code).toBe('failed_precondition');
    await api.ok('/users/UpdateUser', { user_id: 'user_helpdesk', admin_role: 'ALL' });
    await api.ok('/users/UpdateUser', { user_id: 'user_admin', admin_role: 'READ_ONLY' });
    expect((await update({ user_id: 'user_helpdesk', is_active: false }, 'helpdesk')).body.code).toBe('failed_precondition');
  });

  test('an admin who is not ALL can be demoted, deactivated and deleted while one admin has ALL', async () => {
    await api.ok('/users/UpdateUser', { user_id: 'user_helpdesk', is_admin: false });
    await api.ok('/users/DeleteUser', { user_id: 'user_reader' });
  });

  test.each(['helpdesk', 'read-only'] as const)('%s gives no role and no admin rights to anybody, and raises itself by no method', async (token) => {
    const own = token === 'helpdesk' ? 'user_helpdesk' : 'user_reader';
    const before = await roleOf(own);
    for (const user_id of [own, 'user_person', 'user_admin']) {
      for (const change of [
        { admin_role: 'ALL' },
        { admin_role: 'HELPDESK' },
        { is_admin: true },
        { is_admin: true, admin_role: 'ALL' },
        { is_admin: false },
      ]) {
        expect((await update({ user_id, ...change }, token)).body.code).toBe('permission_denied');
      }
    }
    expect([await roleOf(own), await roleOf('user_person'), await roleOf('user_admin')]).toEqual([before, [false, undefined], [true, 'ALL']]);
  });
});

/** A domain, an account of each of two admins and a person, and a member whom they all have. */
const withAccounts = async (api: AdminApi) => {
  const { id: domain_id } = (await api.ok('/domains/AddDomain', { domain: 'firm.example', receive_enabled: true }))['domain'] as { id: string };
  const createUser = async (email: string) => ((await api.ok('/users/CreateUser', { email }))['user'] as User).user_id;
  const member = await createUser('member@elsewhere.example');
  const accountOf = async (name: string, user_id = `user_${name}`) => {
    const request = { user_id, name, local_part: name, domain_id };
    const { account_id } = (await api.ok('/accounts/CreateAccount', request))['account'] as { account_id: string };
    const alias = (await api.ok('/aliases/CreateAlias', { account_id, local_part: `${name}2`, domain_id, is_active: true }))['alias'] as { alias_id: string };
    await api.ok('/accounts/PutAccountMember', { account_id, user_id: member, role: 'READ' });
    const { group_id } = (await api.ok('/aliases/CreateGroup', { local_part: `${name}-group`, domain_id }))['group'] as { group_id: string };
    const inner = (await api.ok('/aliases/CreateGroup', { local_part: `${name}-inner`, domain_id }))['group'] as { group_id: string };
    await api.ok('/aliases/AddGroupMembers', { group_id: inner.group_id, addresses: [`${name}@firm.example`] });
    await api.ok('/aliases/AddGroupMembers', { group_id, addresses: [`${name}-inner@firm.example`] });
    return { user_id, account_id, alias_id: alias.alias_id, group_id, member, domain_id };
  };
  const person = await accountOf('person', await createUser('person@elsewhere.example'));
  return { admin: await accountOf('admin'), reader: await accountOf('reader'), person };
};

/** The ids of a person with an account. `other`: the account of somebody else. */
type Named = { readonly [name in 'user_id' | 'account_id' | 'alias_id' | 'group_id' | 'member' | 'other' | 'domain_id']: string };

/** Each change of HELPDESK that names a person, an account or an address. */
const changes: { readonly [path: string]: (named: Named) => object } = {
  '/users/UpdateUser': ({ user_id }) => ({ user_id, display_name: 'Taken' }),
  '/users/ChangeSignInAddress': ({ user_id }) => ({ user_id, email: 'taken@elsewhere.example' }),
  '/users/ResetPassword': ({ user_id }) => ({ user_id }),
  '/users/ResetSecondFactor': ({ user_id }) => ({ user_id }),
  '/users/EndSessions': ({ user_id }) => ({ user_id }),
  '/users/ResendInvitation': ({ user_id }) => ({ user_id }),
  '/users/DeleteUser': ({ user_id }) => ({ user_id }),
  '/users/RestoreUser': ({ user_id }) => ({ user_id }),
  '/users/PutUserAccountMember': ({ user_id, other }) => ({ user_id, account_id: other, role: 'READ' }),
  '/users/DeleteUserAccountMember': ({ user_id, other }) => ({ user_id, account_id: other }),
  '/accounts/CreateAccount': ({ user_id, domain_id }) => ({ user_id, domain_id, name: 'Another', local_part: 'another' }),
  '/accounts/UpdateAccount': ({ account_id }) => ({ account_id, name: 'Taken', max_octets: 1_000_000_000 }),
  '/accounts/PutAccountMember': ({ account_id, member }) => ({ account_id, user_id: member, role: 'WRITE' }),
  '/accounts/DeleteAccountMember': ({ account_id, member }) => ({ account_id, user_id: member }),
  '/accounts/RestoreEmails': ({ account_id }) => ({ account_id, destroyed_since: '2026-01-01T00:00:00Z' }),
  '/accounts/DeleteAccount': ({ account_id }) => ({ account_id }),
  '/accounts/RestoreAccount': ({ account_id }) => ({ account_id }),
  '/aliases/CreateAlias': ({ account_id, domain_id }) => ({ account_id, domain_id, local_part: 'third', is_active: true }),
  '/aliases/UpdateAlias': ({ alias_id }) => ({ alias_id, bcc: 'thief@elsewhere.example' }),
  '/aliases/SetPrimaryAlias': ({ alias_id }) => ({ alias_id }),
  '/aliases/MoveAlias': ({ alias_id, other }) => ({ alias_id, account_id: other }),
  '/aliases/DeleteAlias': ({ alias_id }) => ({ alias_id }),
  '/aliases/UpdateGroup': ({ group_id }) => ({ group_id, writers: 'MEMBERS' }),
  '/aliases/DeleteGroup': ({ group_id }) => ({ group_id }),
  '/aliases/AddGroupMembers': ({ group_id }) => ({ group_id, addresses: ['person2@firm.example'] }),
  '/aliases/PutForwarding': ({ account_id }) => ({ account_id, addresses: ['thief@elsewhere.example'] }),
  '/aliases/DeleteForwarding': ({ account_id }) => ({ account_id }),
  '/aliases/RemoveGroupMembers': ({ group_id, account_id }) => ({ group_id, member_ids: [account_id] }),
};

describe('HELPDESK changes nothing about an admin', () => {
  const api = adminApiPerTest();
  beforeEach(() => storeLimitedAdmins(api));
  const refusal = { code: 'permission_denied', message: 'your role is HELPDESK; a change of an admin, or of an account that an admin owns, needs ALL' };

  test('the changes below are all that HELPDESK may make to somebody', () => {
    const named = everyMethod.filter(({ method }) => method.changes && method.roles.includes('HELPDESK'));
    const others = [
      '/aliases/CreateGroup',
      '/users/CreateUser',
      '/status/SubscribeToProblems',
      '/suppression/ClearBounceSuppression',
      '/suppression/ClearComplaintSuppression',
    ];
    expect([...Object.keys(changes), ...others].sort()).toEqual(named.map(({ path }) => path).sort());
  });

  test.each(Object.keys(changes))('%s', async (path) => {
    const { admin, reader, person } = await withAccounts(api);
    for (const named of [admin, reader]) {
      expect((await api.call(path, changes[path]!({ ...named, other: person.account_id }), 'helpdesk')).body).toEqual(refusal);
    }
    expect((await api.auditLogs(path.slice(1)))[0]).toMatchObject({ status: 'failure', error_msg: refusal.message, actor: { actor_id: 'user_helpdesk' } });
    const forPerson = await api.call(path, changes[path]!({ ...person, other: reader.account_id }), 'helpdesk');
    if (!path.endsWith('UserAccountMember') && path !== '/aliases/MoveAlias') expect(forPerson.body.code).not.toBe('permission_denied');
  });

  test('nor restores a deleted admin or their deleted account', async () => {
    const { reader, person } = await withAccounts(api);
    await api.ok('/users/DeleteUser', { user_id: reader.user_id });
    for (const account_id of [reader.account_id, person.account_id]) await api.ok('/accounts/DeleteAccount', { account_id });
    expect((await api.call('/users/RestoreUser', { user_id: reader.user_id }, 'helpdesk')).body).toEqual(refusal);
    expect((await api.call('/accounts/RestoreAccount', { account_id: reader.account_id }, 'helpdesk')).body).toEqual(refusal);
    expect((await api.call('/accounts/RestoreAccount', { account_id: person.account_id }, 'helpdesk')).status).toBe(200);
  });

  test('nor takes an address of an admin into the account of somebody else, nor gives itself access', async () => {
    const { admin, person } = await withAccounts(api);
    for (const [path, request] of [
      ['/aliases/MoveAlias', { alias_id: person.alias_id, account_id: admin.account_id }],
      ['/accounts/PutAccountMember', { account_id: person.account_id, user_id: 'user_helpdesk', role: 'READ' }],
      ['/accounts/PutAccountMember', { account_id: admin.account_id, user_id: person.user_id, role: 'READ' }],
      ['/users/PutUserAccountMember', { account_id: person.account_id, user_id: 'user_helpdesk', role: 'ADMIN' }],
    ] as const) {
      expect((await api.call(path, request, 'helpdesk')).body).toEqual(refusal);
    }
  });

  test('nor adds an admin to a group, nor a group with an admin', async () => {
    const { person } = await withAccounts(api);
    for (const address of ['admin@firm.example', 'admin2@firm.example', 'admin-group@firm.example']) {
      const { status, body } = await api.call('/aliases/AddGroupMembers', { group_id: person.group_id, addresses: [address] }, 'helpdesk');
      expect({ status, message: body.message }).toEqual({
        status: 403,
        message: `your role is HELPDESK; adding an account that an admin owns (${address}) needs ALL`,
      });
    }
  });
});

describe('a person who becomes an admin while HELPDESK changes them', () => {
  // A group that was changed before one of its many members became an admin stays as it is, so the order makes no difference.
  const unraced = ['/users/RestoreUser', '/accounts/RestoreAccount', ...Object.keys(changes).filter((path) => path.includes('Group'))];
  const raced = Object.keys(changes).filter((path) => !unraced.includes(path));

  test.each(raced)('%s is refused, and returns no password', async (path) => {
    const api = await adminApi();
    await storeLimitedAdmins(api);
    const { person, reader } = await withAccounts(api);
    await api.ok('/accounts/PutAccountMember', { account_id: reader.account_id, user_id: person.user_id, role: 'READ' });
    await api.ok('/users/UpdateUser', { user_id: 'user_reader', is_admin: false });
    const { protection } = api.dependencies;
    const unraced = { ...protection };
    Object.assign(protection, {
      async peopleOf(request: object) {
        Object.assign(protection, unraced);
        const found = await unraced.peopleOf({ ...request });
        await api.ok('/users/UpdateUser', { user_id: person.user_id, is_admin: true });
        return found;
      },
    });
    const { status, body } = await api.call(path, changes[path]!({ ...person, other: reader.account_id }), 'helpdesk');
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'permission_denied' });
    expect(body).not.toHaveProperty('temporary_password');
    const entries = await api.auditLogs(path.slice(1));
    expect(entries.filter(({ actor }) => actor.actor_id === 'user_helpdesk').map((entry) => entry.status)).toEqual(['failure']);
  });
});
