import { setTimeout as pause } from 'node:timers/promises';
import { reservationLease } from '../../../core/directory/clients/client-registrations.ts';
import { failingTable } from '../../support/failing-table.ts';
import { client, registrationDeployment, mortalProcess } from './registration-deployment.ts';

/** Waits until no request can continue. */
const settled = () => pause(5);

describe('a registration whose Lambda dies', () => {
  const places = [
    ['before it reserves', { write: 0, when: 'before' }],
    ['after it reserved', { write: 0, when: 'after' }],
    ['before the app client is created', { create: 'before' }],
    ['after the app client was created', { create: 'after' }],
    ['before it records', { write: 1, when: 'before' }],
    ['after it recorded', { write: 1, when: 'after' }],
  ] as const;

  const died = async (place: (typeof places)[number][1]) => {
    const made = registrationDeployment();
    const life = mortalProcess();
    const table = failingTable(made.table);
    if ('write' in place) table.crashAtWrite(place.write, place.when);
    else made.registrar.duringCreate[place.create] = () => life.die();
    const write = table.write.bind(table);
    table.write = async (writes) => {
      try {
        await write(writes);
      } catch (error) {
        life.die();
        throw error;
      }
    };
    const answer = await made.lambda({ table: life.table(table), registrar: life.registrar(made.registrar) }).register(client('mail'));
    expect(answer.status).toBe(500);
    made.registrar.duringCreate.before = undefined;
    made.registrar.duringCreate.after = undefined;
    return made;
  };

  test.each(places)('%s: the next request waits for the lease at most, and there is one app client', async (_, place) => {
    const { register, registrar, recorded } = await died(place);
    const { status, body } = await register(client('mail'));
    expect(status).toBe(201);
    expect([...registrar.apps.keys()]).toEqual([body.client_id]);
    expect(await recorded()).toEqual([body.client_id]);
    expect((await register(client('mail'))).body.client_id).toBe(body.client_id);
    expect(registrar.creations.count).toBe(1);
  });

  test.each(places)('%s: without a next request the sweep removes everything that is not recorded', async (_, place) => {
    const { registrar, recorded, sweep, table, time } = await died(place);
    time.advance(reservationLease);
    await sweep();
    expect([...registrar.apps.keys()]).toEqual(await recorded());
    expect((await table.query({ pk: 'client-registration' })).filter((item) => item['state'] !== 'registered')).toEqual([]);
  });
});

describe('a registration that takes longer than its lease', () => {
  /** Halts one request before or after the creation of its app client. */
  const held = async (where: 'before' | 'after') => {
    const made = registrationDeployment();
    let resume: () => void = () => undefined;
    made.registrar.duringCreate[where] = () =>
      new Promise<void>((resolve) => {
        resume = resolve;
      });
    const slow = made.lambda().register(client('mail'));
    await settled();
    made.registrar.duringCreate[where] = undefined;
    return { ...made, slow, resume: () => resume() };
  };

  test('is taken over by a waiting request; the slow one returns the same client and removes its own app client', async () => {
    const { lambda, slow, resume, registrar, recorded } = await held('before');
    const quick = await lambda().register(client('mail'));
    expect(quick.status).toBe(201);
    resume();
    expect((await slow).body).toEqual(quick.body);
    expect([...registrar.apps.keys()]).toEqual([quick.body.client_id]);
    expect(await recorded()).toEqual([quick.body.client_id]);
    expect(registrar.creations.count).toBe(2);
  });

  test('is taken over with the app client that it has created; both return it', async () => {
    const { lambda, slow, resume, registrar, recorded } = await held('after');
    const quick = await lambda().register(client('mail'));
    resume();
    expect((await slow).body).toEqual(quick.body);
    expect([...registrar.apps.keys()]).toEqual([quick.body.client_id]);
    expect(await recorded()).toEqual([quick.body.client_id]);
    expect(registrar.creations.count).toBe(1);
  });

  test('is recorded nevertheless when no other request took it over', async () => {
    const { slow, resume, time, registrar } = await held('after');
    time.advance(2 * reservationLease);
    resume();
    expect((await slow).body.client_id).toBe([...registrar.apps.keys()][0]);
  });

  test('is refused when others have taken its slot under the cap', async () => {
    const { lambda, slow, resume, time, recorded } = await held('after');
    time.advance(reservationLease);
    for (let count = 0; count < 20; count++) expect((await lambda().register(client(`other ${count}`))).status).toBe(201);
    resume();
    expect((await slow).status).toBe(429);
    expect(await recorded()).toHaveLength(20);
  });

  test('is a conflict for requests that wait for too long', async () => {
    const { lambda, registrar, time, table } = await held('before');
    // Another request holds the reservation all the time.
    const [reserved] = await table.query({ pk: 'client-registration' });
    await table.write([{ put: { ...reserved!, lease_until: time.clock().getTime() + 60_000 } }]);
    const before = time.clock().getTime();
    expect(await lambda().register(client('mail'))).toMatchObject({
      status: 409,
      body: { error: 'invalid_client_metadata' },
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) as string },
    });
    expect(time.clock().getTime() - before).toBeLessThan(16_000);
    expect(registrar.creations.count).toBe(0);
  });
});

describe('a registration while the identity provider fails', () => {
  test('is refused with server_error, and a repetition succeeds at once', async () => {
    const { register, registrar, time } = registrationDeployment();
    registrar.duringCreate.before = () => {
      throw new Error('secret details');
    };
    const failed = await register(client('mail'));
    expect(failed).toMatchObject({ status: 500, body: { error: 'server_error' } });
    expect(JSON.stringify(failed)).not.toContain('secret details');
    registrar.duringCreate.before = undefined;
    const before = time.clock().getTime();
    expect((await register(client('mail'))).status).toBe(201);
    expect(time.clock().getTime()).toBe(before);
  });

  test('finds on repetition the app client that was created without a response', async () => {
    const { register, registrar } = registrationDeployment();
    registrar.duringCreate.after = () => {
      throw new Error('no answer');
    };
    expect((await register(client('mail'))).status).toBe(500);
    registrar.duringCreate.after = undefined;
    const { body } = await register(client('mail'));
    expect([...registrar.apps.keys()]).toEqual([body.client_id]);
  });

  test('is taken over by waiting requests', async () => {
    const { lambda, registrar } = registrationDeployment();
    let failures = 0;
    registrar.duringCreate.before = async () => {
      await settled();
      if (failures++ === 0) throw new Error('throttled');
    };
    const answers = await Promise.all(Array.from({ length: 5 }, () => lambda().register(client('mail'))));
    expect(answers.map(({ status }) => String(status)).sort()).toEqual(['201', '201', '201', '201', '500']);
    expect(registrar.apps.size).toBe(1);
  });
});
