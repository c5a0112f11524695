import type { PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import { fillToken } from '../../../lambdas/pre-token/fill-token.ts';
import { registeredClientsIn } from '../../../core/directory/clients/registered-clients.ts';
import { usersIn } from '../../../core/directory/users/users.ts';
import type { Table } from '../../../core/storage/table.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { client, registrationDeployment } from '../registration/registration-deployment.ts';

const admin = { user_id: 'user_ada', name: 'Ada', primary_email: 'ada@example.com', is_active: true, is_admin: true, is_deleted: false, idp_identities: [{ provider: 'cognito', sub: 'sub-ada' }] };

/** Starts a deployment with an admin, and a client that registered itself at its endpoint. */
const started = async () => {
  const { table, register, time } = registrationDeployment();
  await table.write([{ put: { pk: 'user', sk: admin.user_id, ...admin } }, { put: { pk: 'idp-identity', sk: 'sub-ada', user_id: admin.user_id } }]);
  const { body } = await register(client('mail'));
  const log = memoryLog();
  const fill = (over: Table = table) => fillToken({ users: usersIn(over, time.clock), clients: registeredClientsIn(over, time.clock), clock: time.clock, log });
  return { table, registered: body.client_id!, log, fill };
};

const event = (clientId: string | undefined, sub = 'sub-ada') =>
  ({ callerContext: { clientId }, request: { userAttributes: { sub, email: 'ada@example.com' } }, response: {} }) as unknown as PreTokenGenerationV2TriggerEvent;

const scopesIn = (filled: PreTokenGenerationV2TriggerEvent) => filled.response.claimsAndScopeOverrideDetails?.accessTokenGeneration;

describe('the tokens of an admin', () => {
  test('may administer in a client of the deployment', async () => {
    const { fill } = await started();
    expect(scopesIn(await fill()(event('the-command-line')))).toMatchObject({ scopesToAdd: expect.arrayContaining(['adminApi/ADMIN', 'jmapApi/MAIL_READ']) as string[], scopesToSuppress: [] });
  });

  test('may never administer in a client that registered itself, nor where no client is named', async () => {
    const { fill, registered } = await started();
    for (const clientId of [registered, undefined]) {
      expect(scopesIn(await fill()(event(clientId)))).toEqual({
        claimsToAddOrOverride: { user_id: 'user_ada' }, scopesToAdd: ['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE', 'jmapApi/MAIL_SEND'], scopesToSuppress: ['adminApi/ADMIN'],
      });
    }
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
