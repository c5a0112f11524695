import { setImmediate as nextTurn } from 'node:timers/promises';
import { reservationLease, sweepLease } from '../../../core/directory/clients/client-registrations.ts';
import type { Table } from '../../../core/storage/table.ts';
import type { RegistrationDependencies } from '../../../lambdas/registration/register-client.ts';
import { registrationFingerprint } from '../../../lambdas/registration/register-client.ts';
import { timesAsMany } from '../../support/test-seed.ts';
import { client, registrationDeployment, mortalProcess } from '../registration/registration-deployment.ts';

describe('sweepClients', () => {
  test('removes app clients that no registration records, and no other', async () => {
    const { register, registrar, sweep, log } = registrationDeployment();
    const { body } = await register(client('mail'));
    await registrar.create(registrationFingerprint(client('mail')), []);
    await registrar.create(registrationFingerprint(client('nobody')), []);
    await registrar.create(registrationFingerprint(client('nobody')), []);
    await sweep();
    expect([...registrar.apps.keys()]).toEqual([body.client_id]);
    expect(log.records.at(-1)).toMatchObject({
      message: 'client registrations swept',
      details: { clients: 4, removed: 3, unused: 0, expired: 0, changed: 0, app_clients: 3 },
    });
    await sweep();
    expect(registrar.apps.size).toBe(1);
  });

  test('gives the app clients of an earlier release the settings of this one, once', async () => {
    const { register, registrar, sweep, log } = registrationDeployment();
    const { body } = await register(client('mail'));
    const updates: unknown[] = [];
    const later = {
      ...registrar,
      settingsVersion: 'v2',
      async update(...given: Parameters<typeof registrar.update>) {
        updates.push(given);
      },
    };
    await sweep({ registrar: later });
    expect(log.records.at(-1)).toMatchObject({ details: { changed: 1 } });
    await register(client('another'));
    await sweep({ registrar: later });
    await sweep({ registrar: later });
    const [mail, another] = [client('mail'), client('another')];
    expect(updates).toEqual([
      [body.client_id, registrationFingerprint(mail), mail.redirect_uris],
      [expect.not.stringMatching(String(body.client_id)), registrationFingerprint(another), another.redirect_uris],
    ]);
  });

  test('does not change a registration in progress', async () => {
    const { lambda, registrar, sweep } = registrationDeployment();
    let resume: () => void = () => undefined;
    registrar.duringCreate.after = () =>
      new Promise<void>((resolve) => {
        resume = resolve;
      });
    const answer = lambda().register(client('mail'));
    await nextTurn();
    expect(registrar.apps.size).toBe(1);
    await sweep();
    resume();
    const { status, body } = await answer;
    expect([status, [...registrar.apps.keys()]]).toEqual([201, [body.client_id]]);
  });

  test('blocks a registration while it removes the app clients of an earlier one', async () => {
    const { lambda, registrar, sweep, registering } = registrationDeployment();
    await registrar.create(registrationFingerprint(client('mail')), []);
    let during: Promise<unknown> | undefined;
    await sweep({
      registrar: {
        ...registrar,
        async remove(clientId) {
          during = registering().registrations.reserve(registrationFingerprint(client('mail')), 'another_holder', 'a network');
          await during;
          await registrar.remove(clientId);
        },
      } as RegistrationDependencies['registrar'],
    });
    expect(await during).toEqual({ kind: 'in progress' });
    expect((await lambda().register(client('mail'))).status).toBe(201);
    expect(registrar.apps.size).toBe(1);
  });

  test('keeps a registration blocked after its own crash until the lease ends', async () => {
    const { lambda, registrar, sweep, table, time } = registrationDeployment();
    const stray = await registrar.create(registrationFingerprint(client('mail')), []);
    const life = mortalProcess();
    await sweep({ table: life.table(table), registrar: life.registrar({ ...registrar, remove: async () => life.die() }) }).catch(() => undefined);
    expect((await lambda().register(client('mail'))).status).toBe(409);
    expect([...registrar.apps.keys()]).toEqual([stray]);
    time.advance(sweepLease);
    expect((await lambda().register(client('mail'))).body.client_id).toBe(stray);
  });

  test('continues when an app client cannot be removed', async () => {
    const { registrar, sweep, log } = registrationDeployment();
    const [stubborn] = [await registrar.create('aa'.repeat(32), []), await registrar.create('bb'.repeat(32), [])];
    await sweep({
      registrar: {
        ...registrar,
        remove: async (clientId) => {
          if (clientId === stubborn) throw new Error('throttled');
          await registrar.remove(clientId);
        },
      },
    });
    expect([...registrar.apps.keys()]).toEqual([stubborn]);
    expect(log.records.map(({ level }) => level)).toEqual(['error', 'info']);
  });
});

/** Random numbers that are repeatable by the seed. */
const randomFrom = (seed: number) => () => {
  seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
  return seed / 2 ** 32;
};

describe('registrations, crashes and sweeps in any order, with leases that end at any time', () => {
  const history = async (seed: number) => {
    const { table, registrar, time, lambda, sweep, recorded } = registrationDeployment();
    const random = randomFrom(seed);
    const turns = async () => {
      for (let count = Math.floor(random() * 6); count >= 0; count--) await nextTurn();
      if (random() < 0.03) time.advance(random() * 1.5 * reservationLease);
      time.advance(20);
    };
    /** Delays each call before and after its effect. */
    const slowly = <Port extends object>(port: Port): Port =>
      new Proxy(port, {
        get: (target, name) => {
          const method = target[name as keyof Port];
          if (typeof method !== 'function') return method;
          return async (...given: unknown[]) => {
            await turns();
            const result = await (method.apply(target, given) as Promise<unknown>);
            await turns();
            return result;
          };
        },
      });
    const parts = () => {
      const life = mortalProcess();
      if (random() < 0.25)
        void (async () => {
          for (let count = random() * 12; count >= 0; count--) await turns();
          life.die();
        })();
      return { table: life.table(slowly<Table>(table)), registrar: life.registrar(slowly(registrar)), pause: turns };
    };
    const handedOut = new Map<string, Set<string>>();
    await Promise.all(
      Array.from({ length: 14 }, async () => {
        for (let count = random() * 20; count >= 0; count--) await turns();
        if (random() < 0.2) return sweep(parts()).catch(() => undefined);
        const name = `mail ${Math.floor(random() * 3)}`;
        const { status, body } = await lambda(parts()).register(client(name));
        if (status === 201) handedOut.set(name, (handedOut.get(name) ?? new Set()).add(body.client_id!));
      }),
    );
    time.advance(sweepLease);
    await sweep();
    return { handedOut, apps: [...registrar.apps.keys()].sort(), recorded: (await recorded()).sort() };
  };

  test('give each registration one lasting client; after a sweep only recorded app clients exist', async () => {
    let answered = 0;
    for (let seed = 1; seed <= 30 * timesAsMany; seed++) {
      const { handedOut, apps, recorded } = await history(seed);
      for (const ids of handedOut.values()) {
        expect({ seed, ids: ids.size }).toEqual({ seed, ids: 1 });
        expect(apps).toEqual(expect.arrayContaining([...ids]));
        answered++;
      }
      expect({ seed, apps }).toEqual({ seed, apps: recorded });
    }
    expect(answered).toBeGreaterThan(30);
  });
});
