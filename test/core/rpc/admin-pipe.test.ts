import { services } from '../../../contract/admin/index.ts';
import { adminMethod, type AdminMethods } from '../../../core/rpc/admin-method.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { errorLogFields } from '../../../core/runtime/error-log-fields.ts';
import type { Table } from '../../../core/storage/table.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { adminApi, httpEvent } from '../../support/admin-api.ts';

const failingWith = (error: unknown): Table => {
  const query = async () => {
    throw error;
  };
  return { ...memoryTable(), query };
};

const thrown = (name: string, more: object = {}) => Object.assign(new Error('the secret cause'), { name, ...more });

describe('prefetch', () => {
  /** A directory that records its reads, and whose reads of domains fail. */
  const watched = () => {
    const table = memoryTable();
    const asked: string[] = [];
    const get: Table['get'] = async (key) => {
      asked.push(key.pk);
      if (key.pk === 'domain') throw thrown('TypeError');
      return table.get(key);
    };
    return { asked, directory: { ...table, get } };
  };
  const request = { id: 'dom_x' };

  test('does not start for an invalid token, or one without the scope', async () => {
    const { asked, directory } = watched();
    const api = await adminApi({ directory });
    for (const [token, status] of [
      ['garbage', 401],
      ['admin-for-mail-only', 403],
      ['mail-machine', 403],
    ] as const) {
      expect((await api.call('/domains/GetDomain', request, token)).status).toBe(status);
    }
    expect(asked).toEqual([]);
  });

  test('reveals nothing to a caller who is not an admin, whether it succeeds or fails', async () => {
    const { asked, directory } = watched();
    const api = await adminApi({ directory });
    const refused = { status: 403, body: { code: 'permission_denied', message: 'only an admin may do this' } };
    expect(await api.call('/domains/GetDomain', request, 'former-admin')).toMatchObject(refused);
    expect(await api.call('/suppression/GetSuppression', { recipient: 'nobody@else.test' }, 'former-admin')).toMatchObject(refused);
    expect(asked).toContain('domain');
    expect(api.log.records.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('fails the call of an admin when it fails, and the change is audited as failed', async () => {
    const api = await adminApi({ directory: watched().directory });
    expect(await api.call('/domains/GetDomain', request)).toMatchObject({ status: 500, body: { code: 'internal' } });
    expect(await api.call('/domains/UpdateDomain', request)).toMatchObject({ status: 500, body: { code: 'internal' } });
    expect(await api.ok('/audit/ListAuditLogs')).toMatchObject({ audit_logs: [{ action: 'domains/UpdateDomain', status: 'failure', entity_id: 'dom_x' }] });
  });
});

describe('an unexpected error', () => {
  test('is internal without its message, on the wire and in the log', async () => {
    const api = await adminApi({ directory: failingWith(thrown('TypeError')) });
    const { status, body, headers } = await api.call('/users/ListUsers');
    expect({ status, body }).toEqual({ status: 500, body: { code: 'internal', message: 'something went wrong on our side' } });
    expect(headers['x-correlation-id']).toBe('request-1');
    const [record] = api.log.records.filter(({ level }) => level === 'error');
    expect(record?.details).toMatchObject({ path: '/users/ListUsers', status: 500, correlation_id: 'request-1', error_name: 'TypeError' });
    expect(JSON.stringify(api.log.records)).not.toContain('secret');
  });

  test.each([
    thrown('ThrottlingException'),
    thrown('ProvisionedThroughputExceededException'),
    thrown('TooManyRequestsException'),
    thrown('TimeoutError'),
    thrown('Error', { code: 'ECONNREFUSED' }),
    thrown('ConcurrentModificationException', { $fault: 'server' }),
    thrown('InternalServerError', { $fault: 'server' }),
  ])('%s: the service is unavailable', async (error) => {
    const api = await adminApi({ directory: failingWith(error) });
    expect(await api.call('/users/ListUsers')).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  });

  test('keys that can not be fetched are unavailable, not an invalid token', async () => {
    const api = await adminApi({
      verifyToken: async () => {
        throw thrown('FetchError');
      },
    });
    expect(await api.call('/users/ListUsers')).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  });

  test('a thrown value that is no Error is internal too', async () => {
    const api = await adminApi({ directory: failingWith('text') });
    expect(await api.call('/users/ListUsers')).toMatchObject({ status: 500, body: { code: 'internal' } });
  });
});

test('errorLogFields have the stack without the message', () => {
  const { error_name: name, error_at: places } = errorLogFields(new RangeError('alice@example.test'));
  expect(name).toBe('RangeError');
  expect(places.length).toBeGreaterThan(0);
  expect(places.join(' ')).not.toContain('alice');
});

test('the log of a refused call has nothing of its request', async () => {
  const api = await adminApi();
  await api.call('/users/CreateUser', { email: 'somebody private' });
  await api.call('/somebody@private.test/GetUser', {});
  expect(JSON.stringify(api.log.records)).not.toMatch(/private/);
  expect(api.log.records).toMatchObject([
    { message: 'admin call refused', details: { code: 'invalid_argument', path: '/users/CreateUser' } },
    { message: 'admin call refused', details: { code: 'not_found', path: '/status/?' } },
  ]);
});

test('responses are JSON that is not cached', async () => {
  const { headers } = await (await adminApi()).call('/status/Ping');
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store', 'x-correlation-id': 'request-1' });
});

test('a body may be base64, as API Gateway sends bodies that are not text', async () => {
  const api = await adminApi();
  const body = Buffer.from('{"user_id":"user_person"}').toString('base64');
  expect((await api.send('/users/GetUser', body, { token: 'admin', base64: true })).status).toBe(200);
});

test('the name of the stage at the start of the path is ignored', async () => {
  const { handlers } = await adminApi();
  const event = httpEvent('/prod/status/Ping', '{}', { token: 'admin' });
  const staged = (stage: string) => handlers.status({ ...event, requestContext: { ...event.requestContext, stage } });
  expect(await staged('prod')).toMatchObject({ statusCode: 200 });
  expect(await staged('$default')).toMatchObject({ statusCode: 404 });
  expect(await staged('pro')).toMatchObject({ statusCode: 404 });
});

test('a service whose method is wired to the contract of another one does not start', async () => {
  const list = adminMethod(services.audit.methods.ListOperations, { run: async () => ({ operations: [] }) });
  const actors = adminMethod(services.audit.methods.ListActors, { run: async () => ({ actors: [] }) });
  const logs = adminMethod(services.audit.methods.ListAuditLogs, { run: async () => ({ audit_logs: [], next_page_token: '' }) });
  const methods = { ListOperations: actors, ListActors: list, ListAuditLogs: logs } as unknown as AdminMethods<typeof services.audit>;
  const { dependencies } = await adminApi();
  expect(() => serve(services.audit, methods, dependencies)).toThrow('audit/ListOperations has the implementation of another method');
});
