import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Account } from '../../contract/admin/accounts.ts';
import type { AuditLog } from '../../contract/admin/audit.ts';
import type { User } from '../../contract/admin/users.ts';
import { adminMachineToken } from './access-tokens.ts';
import { call, expectError, ok } from './admin-calls.ts';
import { describeWith } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { getSession, jmapClient, openMailbox, type JmapClient, type Session } from './jmap-client.ts';
import { recipientsRefusedBySmtp, sendBySmtp, uniqueSubject } from './send-by-smtp.ts';
import { createUserWithAccount } from './user-with-account.ts';

const label = randomUUID().slice(0, 8);

describeWith(
  'users',
  'smtp',
  'emulator',
)('removal of a user, step by step', () => {
  let token: string;
  let one: Awaited<ReturnType<typeof createUserWithAccount>>;
  let accessToken: string;
  let client: JmapClient;

  beforeAll(async () => {
    token = await adminMachineToken();
    one = await createUserWithAccount(token, `removed-${label}`);
    accessToken = (await one.signIn()).access_token;
    client = await jmapClient(accessToken);
    await ok(token, 'users/UpdateUser', { user_id: one.user.user_id, is_admin: true });
  });

  test('demotion: the admin API refuses the former admin’s token', async () => {
    const asAdmin = (await one.signIn()).access_token;
    expect((await call(asAdmin, 'status/Ping')).status).toBe(200);
    await ok(token, 'users/UpdateUser', { user_id: one.user.user_id, is_admin: false });
    expectError(await call(asAdmin, 'status/Ping'), 403, 'permission_denied');
  });

  test('deactivation: JMAP refuses the user’s token permanently, and sign-in fails until the user is activated again', async () => {
    expect((await getSession(accessToken)).status).toBe(200);
    await ok(token, 'users/UpdateUser', { user_id: one.user.user_id, is_active: false });
    expect((await getSession(accessToken)).status).toBe(403);
    await expect(one.signIn()).rejects.toThrow();
    await ok(token, 'users/UpdateUser', { user_id: one.user.user_id, is_active: true });
    expect((await getSession(accessToken)).status).toBe(401);
    expect((await call(accessToken, 'status/Ping')).status).toBe(401);
    // Tokens have whole seconds: one of the second of the deactivation is refused too.
    await setTimeout(1100);
    expect((await getSession((await one.signIn()).access_token)).status).toBe(200);
  });

  test('an inactive alias rejects mail; an active one receives it', async () => {
    const { alias } = await ok<{ alias: { alias_id: string; email: string } }>(token, 'aliases/CreateAlias', {
      account_id: one.account.account_id,
      local_part: `alias-${label}`,
      domain_id: one.domain.id,
      is_active: false,
    });
    const delivered = uniqueSubject('to an active alias');
    client = await jmapClient((await one.signIn()).access_token);
    expect(await recipientsRefusedBySmtp([alias.email], { subject: 'to an inactive alias', text: 'x' })).toEqual([alias.email]);
    await ok(token, 'aliases/UpdateAlias', { alias_id: alias.alias_id, is_active: true });
    await sendBySmtp([alias.email], { subject: delivered, text: 'x' });
    await eventually(async () => expect((await openMailbox(client, 'inbox')).emails.map(({ subject }) => subject)).toContain(delivered));
  });

  test('RestoreAccount restores a deleted account and its mail', async () => {
    const { account_id } = one.account;
    const { emails: before } = await openMailbox(client, 'inbox');
    expect(before.length).toBeGreaterThan(0);
    await ok(token, 'accounts/DeleteAccount', { account_id });
    expect((await client.call(['Mailbox/get', { accountId: account_id, ids: null }]))[0]).toMatchObject({ failed: true, type: 'accountNotFound' });
    await ok(token, 'accounts/RestoreAccount', { account_id });
    client = await jmapClient((await one.signIn()).access_token);
    expect((await openMailbox(client, 'inbox')).emails).toEqual(before);
    const delivered = uniqueSubject('to a restored account');
    await eventually(() => sendBySmtp([one.email], { subject: delivered, text: 'x' }));
    await eventually(async () => expect((await openMailbox(client, 'inbox')).emails.map(({ subject }) => subject)).toContain(delivered));
  });

  test('DeleteAccount ends JMAP access at once; RemoveAccountNow removes the mail, and frees the address for another account', async () => {
    const { account_id, name } = one.account;
    await ok(token, 'accounts/DeleteAccount', { account_id });
    const session = (await getSession((await one.signIn()).access_token)).json as Session;
    expect(session.accounts).toEqual({});
    expect((await client.call(['Mailbox/get', { accountId: account_id, ids: null }]))[0]).toMatchObject({ failed: true, type: 'accountNotFound' });
    expectError(await call(token, 'accounts/GetAccount', { account_id }), 404, 'not_found');
    await ok(token, 'accounts/RemoveAccountNow', { account_id, name });
    const progress = async () =>
      (await ok<{ audit_logs: AuditLog[] }>(token, 'audit/ListAuditLogs', { operation: 'accounts/DeleteAccount', actor: { actor_type: 'SYSTEM' } })).audit_logs
        .filter(({ entity_id: id }) => id === account_id)
        .map(({ metadata }) => metadata?.['removal']);
    await eventually(async () => expect(new Set(await progress())).toEqual(new Set(['access removed', 'mail removed', 'objects removed', 'complete'])));
    expectError(await call(token, 'accounts/DeleteAccount', { account_id }), 404, 'not_found');
    const { account } = await ok<{ account: Account }>(token, 'accounts/CreateAccount', one.accountRequest);
    expect(account.account_id).not.toBe(account_id);
    const renewed = await jmapClient((await one.signIn()).access_token);
    expect((await openMailbox(renewed, 'inbox')).emails).toEqual([]);
  });

  test('DeleteUser: JMAP refuses the user’s token, and sign-in fails', async () => {
    const accessTokenBefore = (await one.signIn()).access_token;
    await ok(token, 'users/DeleteUser', { user_id: one.user.user_id });
    expect((await getSession(accessTokenBefore)).status).toBe(403);
    await expect(one.signIn()).rejects.toThrow();
    expect(await ok<{ user: User }>(token, 'users/GetUser', { user_id: one.user.user_id })).toMatchObject({ user: { is_deleted: true, is_active: false } });
  });

  test('RestoreUser: the user signs in again and has the account', async () => {
    await ok(token, 'users/RestoreUser', { user_id: one.user.user_id });
    // Tokens have whole seconds: one of the second of the deletion is refused too.
    await setTimeout(1100);
    const session = (await getSession((await one.signIn()).access_token)).json as Session;
    expect(Object.keys(session.accounts)).toHaveLength(1);
  });
});
