import { services } from '../../../contract/admin/index.ts';
import { setup } from '../../../contract/admin/setup.ts';
import type { Service } from '../../../contract/rpc/rpc.ts';
import { auditEntriesIn, auditTrailIn } from '../../../core/directory/audit-log.ts';
import { adminProtectionIn } from '../../../core/directory/users/admin-protection.ts';
import { adminMethod, type AdminMethods } from '../../../core/rpc/admin-method.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { actorOf, changesBetween, entityOfRequest, interrupted, systemActor } from '../../../core/rpc/audit.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import { WriteRefused } from '../../../core/storage/table.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { adminApi } from '../../support/admin-api.ts';
import { httpEvent } from '../../support/admin-api.ts';
import { failingTable } from '../../support/failing-table.ts';

type Dismiss = AdminMethods<typeof setup>['DismissWelcome']['run'];

const caller = { principalId: 'user_admin', isMachine: false, role: 'ALL', email: 'admin@example.test' } as const;

/** A service with one method that changes data, whose implementation the test provides. */
const changing = async (dismiss: Dismiss, table = failingTable(memoryTable())) => {
  const clock = () => new Date('2026-11-21T08:38:00Z');
  const [trail, log] = [auditTrailIn(table), memoryLog()];
  await trail.registerActor(actorOf(caller, { ipAddress: '', userAgent: undefined }), clock().toISOString());
  const handler = serve(
    setup,
    {
      GetReadiness: adminMethod(setup.methods.GetReadiness, {
        run: async () => {
          throw new Error('not asked');
        },
      }),
      GetSetupTestStatus: adminMethod(setup.methods.GetSetupTestStatus, {
        run: async () => {
          throw new Error('not asked');
        },
      }),
      DismissWelcome: adminMethod(setup.methods.DismissWelcome, { run: dismiss }),
    },
    {
      gate: {
        authenticate: async () => ({
          principalId: 'user_admin',
          isMachine: false,
          clientId: 'client',
          scopes: new Set<string>(),
          authenticatedAt: 0,
          expiresAt: 0,
        }),
        authorize: async () => caller,
      },
      pageTokens: { seal: async () => '', open: async () => '' },
      audit: { trail, newId: (kind) => `${kind}_1`, clock },
      protection: adminProtectionIn(table),
      log,
    },
  );
  const call = async () => {
    const { statusCode, body } = await handler(httpEvent('/setup/DismissWelcome', '{"dismissed":true}'));
    return { status: statusCode, body: JSON.parse(body ?? '') as unknown };
  };
  const kept = async () => (await auditEntriesIn(table, clock).list({}, undefined, 10)).items;
  return { call, kept, table, log };
};

const done = { put: { pk: 'done', sk: 'done' } };

describe('the audit entry of a change', () => {
  test('is stored after a change that does not describe itself', async () => {
    const { call, kept } = await changing(async () => ({}));
    expect(await call()).toEqual({ status: 200, body: {} });
    expect(await kept()).toEqual([
      {
        audit_id: 'audit_1',
        timestamp: '2026-11-21T08:38:00.000Z',
        action: 'setup/DismissWelcome',
        status: 'success',
        entity_id: '',
        entity_name: '',
        changes: [],
        metadata: {},
        actor: {
          actor_type: 'USER',
          actor_id: 'user_admin',
          user_id: 'user_admin',
          username: 'admin@example.test',
          email: 'admin@example.test',
          ip_address: '192.0.2.1',
          user_agent: 'test',
        },
      },
    ]);
  });

  test('is stored in the transaction of the change or not at all', async () => {
    const change: Dismiss = async (_, { audit }) => {
      audit.describe({ entity_id: 'thing', entity_name: 'Thing', changes: [{ field: 'state', new_value: 'done' }] });
      await table.write([done, ...audit.successWrites()]);
      return {};
    };
    const { call, kept, table } = await changing((...args) => change(...args));
    table.crashAtWrite(0);
    expect(await call()).toMatchObject({ status: 500 });
    expect(await table.get(done.put)).toBeUndefined();
    expect(await kept()).toMatchObject([{ status: 'failure', error_msg: 'something went wrong on our side', entity_id: 'thing' }]);
    expect(await call()).toMatchObject({ status: 200 });
    expect(await kept()).toMatchObject([{ status: 'success', changes: [{ field: 'state', new_value: 'done' }] }]);
    expect((await kept())[0]).not.toHaveProperty('error_msg');
  });

  test('stays a success when the response of the write is lost', async () => {
    const { call, kept, table } = await changing(async (_, { audit }) => {
      await table.write([done, ...audit.successWrites()]);
      return {};
    });
    table.crashAtWrite(0, 'after');
    expect(await call()).toMatchObject({ status: 500 });
    expect(await kept()).toMatchObject([{ status: 'success' }]);
  });

  test('is marked as interrupted before a change at a provider, and has the outcome after it', async () => {
    let during: unknown;
    const { call, kept } = await changing(async (_, { audit }) => {
      await audit.recordPending();
      during = await kept();
      audit.describe({ metadata: { provider_id: 'x' } });
      return {};
    });
    expect(await call()).toMatchObject({ status: 200 });
    expect(during).toMatchObject([{ status: 'failure', error_msg: interrupted }]);
    expect(await kept()).toMatchObject([{ status: 'success', metadata: { provider_id: 'x' } }]);
  });

  test('stays interrupted when the Lambda crashes during the provider’s call', async () => {
    const { call, kept, table } = await changing(async (_, { audit }) => {
      await audit.recordPending();
      table.crashAtWrite(0);
      return {};
    });
    expect(await call()).toMatchObject({ status: 503 });
    expect(await kept()).toMatchObject([{ status: 'failure', error_msg: interrupted }]);
  });

  test('has the outcome of a change that was stored as pending', async () => {
    const { call, kept, table } = await changing(async (_, { audit }) => {
      await table.write([done, ...audit.pendingWrites()]);
      throw new RpcError('unavailable', 'the provider is busy');
    });
    expect(await call()).toMatchObject({ status: 503, body: { message: 'the provider is busy' } });
    expect(await kept()).toMatchObject([{ status: 'failure', error_msg: 'the provider is busy' }]);
  });

  test('that can not be stored fails the call with unavailable', async () => {
    const { call, table, log } = await changing(async () => ({}));
    table.crashAtWrite(0);
    expect(await call()).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(log.records.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  test('that can not be stored does not hide the error of a failed change', async () => {
    const { call, table, log } = await changing(async () => {
      throw new RpcError('failed_precondition', 'not now');
    });
    table.crashAtWrite(0);
    expect(await call()).toMatchObject({ status: 400, body: { code: 'failed_precondition', message: 'not now' } });
    expect(log.records.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  test('that is a success is never replaced', async () => {
    const { call, kept, table } = await changing(async (_, { audit }) => {
      await table.write([done, ...audit.successWrites()]);
      return {};
    });
    const put = { ...done.put, sk: 'again' };
    await call();
    const [entry] = await kept();
    await expect(table.write([{ put }, ...auditTrailIn(table).entryWrites({ ...entry!, entity_name: 'another' })])).rejects.toThrow(WriteRefused);
    expect([await kept(), await table.get(put)]).toEqual([[entry], undefined]);
  });

  test('is never a success after the change failed', async () => {
    for (const error of [new RpcError('not_found', 'no such thing'), new TypeError('secret')]) {
      const { call, kept } = await changing(async () => {
        throw error;
      });
      await call();
      expect(JSON.stringify(await kept())).not.toContain('secret');
      expect(await kept()).toMatchObject([{ status: 'failure' }]);
    }
  });
});

describe('the audit log', () => {
  test('has no calls that the gate or the contract refuses', async () => {
    const api = await adminApi();
    await api.call('/users/CreateUser', { email: 'a@example.test' }, 'person');
    await api.call('/users/CreateUser', { email: 'nobody' });
    await api.call('/users/CreateUser', {});
    expect((await api.ok('/audit/ListAuditLogs'))['audit_logs']).toEqual([]);
  });

  test('has no calls that change nothing', async () => {
    const api = await adminApi();
    await api.ok('/users/ListUsers');
    await api.call('/users/GetUser', { user_id: 'user_unknown' });
    expect((await api.ok('/audit/ListAuditLogs'))['audit_logs']).toEqual([]);
  });

  test('has every method except those named Get, List, Find, Check, Ping and Verify', () => {
    const methods = Object.values<Service>(services).flatMap(({ methods: each }) => Object.entries(each));
    const asking = /^(Get|List|Find|Check|Ping|Verify)/;
    expect(methods.filter(([name, { changes }]) => changes === asking.test(name)).map(([name]) => name)).toEqual([]);
  });
});

test('changesBetween has the fields that differ, as text', () => {
  const fields = ['a', 'b', 'c'] as const;
  type Thing = { a?: string; b?: boolean; c?: string[] };
  expect(changesBetween<Thing>({ a: 'x', b: true }, { a: 'x', b: false, c: ['y'] }, fields)).toEqual([
    { field: 'b', old_value: 'true', new_value: 'false' },
    { field: 'c', new_value: '["y"]' },
  ]);
  expect(changesBetween<Thing>(undefined, { a: 'x' }, fields)).toEqual([{ field: 'a', new_value: 'x' }]);
  expect(changesBetween<Thing>({ a: 'x' }, undefined, fields)).toEqual([{ field: 'a', old_value: 'x' }]);
  expect(changesBetween<Thing>({}, { a: `${'x'.repeat(998)}😀😀` }, fields)[0]?.new_value).toBe(`${'x'.repeat(998)}…`);
});

test('entityOfRequest prefers an id over an address', () => {
  expect(entityOfRequest({ user_id: 'user_1', account_id: 'acc_1', role: 'READ' })).toBe('acc_1');
  expect(entityOfRequest({ user_id: 'user_1', display_name: 'x' })).toBe('user_1');
  expect(entityOfRequest({ id: 'dom_1' })).toBe('dom_1');
  expect(entityOfRequest({ email: 'a@example.test' })).toBe('a@example.test');
  expect(entityOfRequest({ subject: 'x', allowed_tiers: [] })).toBe('');
});

test('actors can also be machines and the deployment itself', () => {
  expect(actorOf({ principalId: 'client', isMachine: true, role: 'ALL' }, { ipAddress: '192.0.2.1', userAgent: 'x'.repeat(5000) })).toEqual({
    actor_type: 'SERVICE',
    actor_id: 'client',
    service_name: 'client',
    ip_address: '192.0.2.1',
    user_agent: expect.stringMatching(/^x{256}$/),
  });
  expect(systemActor('worker')).toEqual({ actor_type: 'SYSTEM', actor_id: 'worker', service_name: 'worker' });
});
