import type { PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import { deployedClientsIn } from '../../../core/directory/clients/deployed-clients.ts';
import { registeredClientsIn } from '../../../core/directory/clients/registered-clients.ts';
import { usersIn } from '../../../core/directory/users/users.ts';
import type { Table } from '../../../core/storage/table.ts';
import { fillToken } from '../../../lambdas/pre-token/fill-token.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { client, registrationDeployment } from '../registration/registration-deployment.ts';

const admin = {
  user_id: 'user_ada',
  name: 'Ada',
  primary_email: 'ada@example.com',
  is_active: true,
  is_admin: true,
  is_deleted: false,
  temporary_password_at: 'never',
  idp_identities: [{ provider: 'cognito', sub: 'sub-ada' }],
};

/** Starts a deployment with an admin, and a client that registered itself at its endpoint. */
const started = async () => {
  const { table, register, time } = registrationDeployment();
  await table.write([{ put: { pk: 'user', sk: admin.user_id, ...admin } }, { put: { pk: 'idp-identity', sk: 'sub-ada', user_id: admin.user_id } }]);
  await deployedClientsIn(table).record(['the-console', 'the-command-line']);
  const { body } = await register(client('mail'));
  const log = memoryLog();
  const fill = (over: Table = table) =>
    fillToken({
      users: usersIn(over, time.clock),
      clients: registeredClientsIn(over, time.clock),
      deployedClients: deployedClientsIn(over),
      clock: time.clock,
      log,
    });
  return { table, registered: body.client_id!, log, fill };
};

const event = (clientId: string | undefined, sub = 'sub-ada') =>
  ({
    callerContext: { clientId },
    request: { userAttributes: { sub, email: 'ada@example.com' }, scopes: ['openid', 'email', 'profile'] },
    response: {},
  }) as unknown as PreTokenGenerationV2TriggerEvent;

const scopesIn = (filled: PreTokenGenerationV2TriggerEvent) => filled.response.claimsAndScopeOverrideDetails?.accessTokenGeneration;

describe('the tokens of an admin', () => {
  test('may administer in a client of the deployment', async () => {
    const { fill } = await started();
    for (const clientId of ['the-console', 'the-command-line']) {
      expect(scopesIn(await fill()(event(clientId)))?.scopesToAdd).toEqual(expect.arrayContaining(['adminApi/ADMIN', 'jmapApi/MAIL_READ']));
    }
  });

  test('may never administer in a client that registered itself', async () => {
    const { fill, registered } = await started();
    expect(scopesIn(await fill()(event(registered)))).toMatchObject({
      claimsToAddOrOverride: { user_id: 'user_ada' },
      scopesToAdd: ['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE', 'jmapApi/MAIL_SEND'],
    });
  });

  test.each([
    ['a client that no record names', 'somebody’s'],
    ['no client', undefined],
    ['a client without a name', ''],
  ])('have no scope and no user id for %s', async (_, clientId) => {
    const { fill, log } = await started();
    expect(scopesIn(await fill()(event(clientId)))).toMatchObject({ claimsToAddOrOverride: {}, scopesToAdd: [] });
    expect(log.records).toContainEqual({ level: 'warn', message: 'an app client is in no record', details: { client_id: clientId } });
  });

  test('have nothing any more in a registered client whose record is lost, as after a restore to an earlier time', async () => {
    const { fill, registered, table } = await started();
    await table.write([{ delete: { pk: 'registered-client', sk: registered } }]);
    expect(scopesIn(await fill()(event(registered)))).toMatchObject({ claimsToAddOrOverride: {}, scopesToAdd: [] });
  });

  test('have nothing in any client while the deployment has recorded none', async () => {
    const { fill, table } = await started();
    await table.write([{ delete: { pk: 'deployed-clients', sk: 'ids' } }]);
    expect(scopesIn(await fill()(event('the-command-line')))).toMatchObject({ claimsToAddOrOverride: {}, scopesToAdd: [] });
  });

  test('are not made while the directory can’t identify the client', async () => {
    const { fill, registered, table } = await started();
    const broken: Table = { ...table, batchGet: () => Promise.reject(new Error('not now')) };
    await expect(fill(broken)(event(registered))).rejects.toThrow('not now');
  });

  test('are logged by ids, without their address', async () => {
    const { fill, registered, log } = await started();
    await fill()(event(registered));
    expect(log.records).toEqual([{ level: 'info', message: 'token claims set', details: { user_id: 'user_ada', client_id: registered, scopes: 3 } }]);
  });
});

test('the token of a user who is not in the directory has no scope of the APIs', async () => {
  const { fill } = await started();
  expect(scopesIn(await fill()(event('the-command-line', 'sub-nobody')))?.scopesToAdd).toEqual([]);
});
