import type { PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import { registrationLimits } from '../../../contract/oauth/registration.ts';
import { sweepLease } from '../../../core/directory/clients/client-registrations.ts';
import { deployedClientsIn } from '../../../core/directory/clients/deployed-clients.ts';
import { registeredClientsIn } from '../../../core/directory/clients/registered-clients.ts';
import { usersIn } from '../../../core/directory/users/users.ts';
import type { Table, Write } from '../../../core/storage/table.ts';
import { fillToken } from '../../../lambdas/pre-token/fill-token.ts';
import type { RegistrationDependencies } from '../../../lambdas/registration/register-client.ts';
import { clientsOfDeployment } from '../../fakes/memory-client-registrar.ts';
import { client, mortalProcess, registrationDeployment } from '../registration/registration-deployment.ts';

const day = 24 * 60 * 60 * 1000;
const admin = { user_id: 'user_ada', primary_email: 'ada@example.com', is_active: true, is_admin: true, is_deleted: false, temporary_password_at: 'never' };

/** A deployment with registered clients and an admin who signs in to them. */
const deployed = async () => {
  const deployment = registrationDeployment();
  const { table, time, log, register, registrar } = deployment;
  await table.write([{ put: { pk: 'user', sk: admin.user_id, ...admin } }, { put: { pk: 'idp-identity', sk: 'sub-ada', user_id: admin.user_id } }]);
  /** Issues tokens of the admin to the client. @returns the scopes. */
  const signIn = async (clientId: string, over: Table = table, sub = 'sub-ada'): Promise<readonly string[]> => {
    const event = { callerContext: { clientId }, request: { userAttributes: { sub }, scopes: ['openid'] }, response: {} };
    const fill = fillToken({
      users: usersIn(over, time.clock),
      clients: registeredClientsIn(over, time.clock),
      deployedClients: deployedClientsIn(over),
      clock: time.clock,
      log,
    });
    const { response } = await fill(event as unknown as PreTokenGenerationV2TriggerEvent);
    return response.claimsAndScopeOverrideDetails?.accessTokenGeneration?.scopesToAdd ?? [];
  };
  const registered = async (name = 'mail'): Promise<string> => (await register(client(name))).body.client_id!;
  return {
    ...deployment,
    signIn,
    registered,
    exists: (clientId: string) => registrar.apps.has(clientId),
    usedOn: async (clientId: string) => (await table.get({ pk: 'registered-client', sk: clientId }))?.['used_on'],
  };
};

/** A table that records the writes of clients' uses. */
const watchingUses = (table: Table) => {
  const uses: Write[] = [];
  const watched: Table = {
    ...table,
    write: async (writes) => {
      uses.push(...writes.filter((write) => 'update' in write && write.set?.['used_on'] !== undefined));
      await table.write(writes);
    },
  };
  return { uses, watched };
};

describe('a client without a sign-in', () => {
  test('is removed 30 days after its registration, with an audit entry, and not before', async () => {
    const { registered, sweep, exists, time, audited, table } = await deployed();
    const clientId = await registered();
    time.advance(30 * day - 1);
    await sweep();
    expect(exists(clientId)).toBe(true);
    time.advance(1);
    await sweep();
    expect(exists(clientId)).toBe(false);
    expect(await audited()).toMatchObject([
      {
        action: 'registration/RemoveUnusedClient',
        status: 'success',
        entity_id: clientId,
        actor: { actor_type: 'SYSTEM', actor_id: 'registration-sweep' },
        metadata: { reason: 'never used', registered_at: '2026-11-21T09:00:00.000Z' },
      },
    ]);
    expect(await table.query({ pk: 'client-registration' })).toEqual([]);
  });

  test('that registers again after its removal gets a new client, which counts towards the cap', async () => {
    const { register, registered, sweep, exists, time } = await deployed();
    const first = await registered();
    time.advance(30 * day);
    await sweep();
    const others = Array.from({ length: registrationLimits.newInWindow - 1 }, (_, n) => register(client(`other ${n}`)));
    await Promise.all(others);
    const second = await registered();
    expect(second).not.toBe(first);
    expect([exists(first), exists(second)]).toEqual([false, true]);
    expect((await register(client('one too many'))).status).toBe(429);
  });

  test('is not used by the sign-in of a person who is not in the directory', async () => {
    const { registered, signIn, table, sweep, exists, time } = await deployed();
    const clientId = await registered();
    expect(await signIn(clientId, table, 'sub-unknown')).toEqual([]);
    time.advance(30 * day);
    await sweep();
    expect(exists(clientId)).toBe(false);
  });
});

describe('a client that people used', () => {
  test('is removed after 180 whole days without a use, with an audit entry, and not before', async () => {
    const { registered, signIn, sweep, exists, time, audited } = await deployed();
    const clientId = await registered();
    time.advance(29 * day);
    expect(await signIn(clientId)).toContain('jmapApi/MAIL_READ');
    time.advance(180 * day);
    await sweep();
    expect(exists(clientId)).toBe(true);
    time.advance(day);
    await sweep();
    expect(exists(clientId)).toBe(false);
    expect(await audited()).toMatchObject([{ entity_id: clientId, metadata: { reason: 'unused', used_on: '2026-12-20' } }]);
  });

  test('stays as long as tokens are issued to it at least every 180 days', async () => {
    const { registered, signIn, sweep, exists, time } = await deployed();
    const clientId = await registered();
    for (let half = 0; half < 6; half++) {
      await signIn(clientId);
      time.advance(180 * day);
      await sweep();
    }
    expect(exists(clientId)).toBe(true);
    expect(await registered()).toBe(clientId);
  });
});

describe('the use of a client', () => {
  test('is written once a day, and never for a client of the deployment', async () => {
    const { registered, signIn, time, table, usedOn } = await deployed();
    const clientId = await registered();
    const { uses, watched } = watchingUses(table);
    for (let hour = 0; hour < 15; hour++) {
      await signIn(clientId, watched);
      await signIn('the-command-line', watched);
      time.advance(60 * 60 * 1000);
    }
    expect(uses).toHaveLength(1);
    await signIn(clientId, watched);
    expect([uses.length, await usedOn(clientId)]).toEqual([2, '2026-11-22']);
  });

  test('stops no sign-in when it cannot be written', async () => {
    const { registered, signIn, table, log } = await deployed();
    const clientId = await registered();
    const scopes = await signIn(clientId, { ...table, write: () => Promise.reject(new Error('throttled')) });
    expect(scopes).toContain('jmapApi/MAIL_READ');
    expect(log.records).toContainEqual(expect.objectContaining({ level: 'warn', message: 'the use of a client could not be recorded' }));
  });

  test('stops no sign-in when the table does not answer', async () => {
    const { registered, signIn, table } = await deployed();
    const clientId = await registered();
    expect(await signIn(clientId, { ...table, write: () => new Promise(() => undefined) })).toContain('jmapApi/MAIL_READ');
  });

  test('between the decision to remove a client and its removal keeps the client', async () => {
    const { registered, signIn, sweep, exists, time, registrar, audited } = await deployed();
    const clientId = await registered();
    time.advance(31 * day);
    await sweep({
      registrar: { ...registrar, list: async () => [{ clientId, fingerprint: 'ab'.repeat(32) }] } as RegistrationDependencies['registrar'],
      clock: () => {
        void signIn(clientId);
        return new Date(time.clock());
      },
    });
    expect(await audited()).toEqual([]);
    expect(exists(clientId)).toBe(true);
    expect(await registered()).toBe(clientId);
  });
});

describe('a removal that is interrupted', () => {
  /** Runs the sweep, which crashes at its nth call to the table or the provider. */
  const dyingAt = async (step: number) => {
    const deployment = await deployed();
    const { registered, sweep, time, table, registrar } = deployment;
    const clientId = await registered();
    time.advance(31 * day);
    const life = mortalProcess();
    let calls = 0;
    const counted = <Port extends object>(port: Port): Port =>
      new Proxy(port, {
        get: (target, name) => {
          const method = target[name as keyof Port];
          if (typeof method !== 'function') return method;
          return (...given: unknown[]) => {
            if (++calls > step) life.die();
            return method.apply(target, given) as unknown;
          };
        },
      });
    await sweep({ table: counted(life.table(table)), registrar: counted(life.registrar(registrar)) }).catch(() => undefined);
    return { ...deployment, clientId, calls };
  };

  test('never makes the client one of the deployment, and is completed by a later sweep, wherever it stops', async () => {
    let steps = 0;
    for (let step = 0; ; step++) {
      const { clientId, calls, exists, signIn, sweep, time, registered, audited, table } = await dyingAt(step);
      if (calls <= step) break;
      steps++;
      if (exists(clientId))
        expect({ step, scopes: await signIn(clientId, { ...table, write: async () => undefined }) }).toEqual({
          step,
          scopes: ['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE', 'jmapApi/MAIL_SEND'],
        });
      time.advance(day);
      await sweep();
      expect({ step, exists: exists(clientId) }).toEqual({ step, exists: false });
      time.advance(2 * day);
      await sweep();
      expect({ step, left: await table.query({ pk: 'registered-client' }) }).toEqual({ step, left: [] });
      expect((await audited()).map(({ entity_id: id }) => id)).toContain(clientId);
      expect(await registered()).not.toBe(clientId);
    }
    expect(steps).toBeGreaterThan(6);
  });

  test('gives a client that registers again before the next sweep one that lasts', async () => {
    for (let step = 0; step < 12; step++) {
      const { clientId, exists, sweep, time, registered, signIn } = await dyingAt(step);
      time.advance(sweepLease);
      const again = await registered();
      expect({ step, exists: exists(again) }).toEqual({ step, exists: true });
      await signIn(again);
      expect(await signIn(again)).not.toContain('adminApi/ADMIN');
      time.advance(day);
      await sweep();
      time.advance(2 * day);
      await sweep();
      expect({ step, exists: exists(again), old: again === clientId || !exists(clientId) }).toEqual({ step, exists: true, old: true });
      expect(await registered()).toBe(again);
    }
  });

  test('blocks equal registrations while the app client is removed', async () => {
    const { registered, sweep, time, registrar, lambda } = await deployed();
    await registered();
    time.advance(31 * day);
    let during: number | undefined;
    await sweep({
      registrar: {
        ...registrar,
        remove: async (clientId) => {
          during = (await lambda().register(client('mail'))).status;
          await registrar.remove(clientId);
        },
      } as RegistrationDependencies['registrar'],
    });
    expect(during).toBe(409);
    expect((await lambda().register(client('mail'))).status).toBe(201);
  });
});

test('the log of a sweep has the number of all app clients of the pool, after the removals', async () => {
  const { registered, sweep, time, log } = await deployed();
  await registered('one');
  time.advance(31 * day);
  await registered('two');
  await sweep();
  expect(log.records.at(-1)).toMatchObject({ message: 'client registrations swept', details: { unused: 1, app_clients: clientsOfDeployment + 1 } });
});
