import { adminApi } from '../../../support/admin-api.ts';

type Entry = { audit_id: string; timestamp: string; action: string; status: string; entity_id: string; actor: { actor_type: string; actor_id: string } };
type Api = Awaited<ReturnType<typeof adminApi>>;

let api: Api;
let at: Date;

beforeEach(async () => {
  at = new Date('2026-09-30T23:59:50Z');
  api = await adminApi({ now: () => at });
});

const later = (seconds: number) => {
  at = new Date(at.getTime() + seconds * 1000);
};
const list = async (request: object = {}) => {
  const { audit_logs: logs, next_page_token: next } = await api.ok('/audit/ListAuditLogs', request);
  return { logs: logs as Entry[], next: next as string };
};
const deactivate = (user_id: string, token?: string) => api.call('/users/UpdateUser', { user_id, display_name: `n${at.getTime()}` }, token);

/** Seven entries, a second apart, over the end of a month. */
const history = async () => {
  for (let index = 0; index < 7; index++) {
    await deactivate(index % 2 ? 'user_person' : 'user_unknown', index < 5 ? 'admin' : 'machine');
    later(4);
  }
};

const pages = async (request: object, between: () => Promise<unknown> = async () => undefined) => {
  const seen: Entry[] = [];
  let token = '';
  do {
    const { logs, next } = await list({ ...request, ...(token && { page_token: token }) });
    seen.push(...logs);
    token = next;
    await between();
  } while (token);
  return seen;
};

describe('ListAuditLogs', () => {
  test('is empty at first', async () => {
    expect(await list()).toEqual({ logs: [], next: '' });
  });

  test('newest first, over the ends of months, a page at a time, each once, whatever is written in between', async () => {
    await history();
    const { logs } = await list();
    expect(logs).toHaveLength(7);
    expect(logs.map(({ timestamp }) => timestamp)).toEqual(logs.map(({ timestamp }) => timestamp).toSorted().toReversed());
    expect(new Set(logs.map(({ timestamp }) => timestamp.slice(0, 7)))).toEqual(new Set(['2026-09', '2026-10']));
    for (const page_size of [1, 2, 3, 7, 8]) {
      const seen = await pages({ page_size }, async () => {
        later(1);
        await deactivate('user_person');
      });
      expect(seen.filter(({ audit_id: id }) => logs.some(({ audit_id }) => audit_id === id))).toEqual(logs);
      expect(new Set(seen.map(({ audit_id: id }) => id)).size).toBe(seen.length);
    }
  });

  test('months in which nothing happened cost nothing', async () => {
    await history();
    at = new Date('2029-01-01T00:00:00Z');
    expect((await pages({ page_size: 3 })).length).toBe(7);
  });

  test('by action, whole or as it begins', async () => {
    await history();
    await api.ok('/users/CreateUser', { email: 'alice@example.test' });
    await api.ok('/domains/AddDomain', { domain: 'example.test' });
    expect((await list({ operation: 'users/' })).logs).toHaveLength(8);
    expect((await list({ operation: 'users/CreateUser' })).logs).toMatchObject([{ action: 'users/CreateUser', status: 'success' }]);
    expect((await list({ operation: 'domains/AddDomain' })).logs).toHaveLength(1);
    expect((await list({ operation: 'CreateUser' })).logs).toEqual([]);
    expect(await pages({ operation: 'users/UpdateUser', page_size: 2 })).toHaveLength(7);
  });

  test('by actor, or by their kind', async () => {
    await history();
    expect((await list({ actor: { actor_type: 'USER' } })).logs).toHaveLength(5);
    expect((await list({ actor: { actor_type: 'ACTOR_TYPE_SERVICE', actorId: 'adminheadless' } })).logs).toHaveLength(2);
    expect((await list({ actor: { actor_type: 'SERVICE', actor_id: 'user_admin' } })).logs).toEqual([]);
    expect((await list({ actor: { actor_type: 'SYSTEM' } })).logs).toEqual([]);
    expect(await pages({ actor: { actor_type: 'USER', actor_id: 'user_admin' }, page_size: 2 })).toHaveLength(5);
  });

  test('a rare actor in a long record is found, over pages that may be empty', async () => {
    await deactivate('user_person', 'machine');
    await Promise.all(Array.from({ length: 2600 }, (_, index) => api.trail.record({
      audit_id: `audit_${index}`, timestamp: new Date(at.getTime() + 1000 + index).toISOString(), action: 'users/UpdateUser', status: 'success', entity_id: '', entity_name: '',
      actor: { actor_type: 'USER', actor_id: 'user_admin' },
    })));
    later(60);
    const first = await list({ actor: { actor_type: 'SERVICE' } });
    expect(first.logs).toEqual([]);
    expect(first.next).not.toBe('');
    expect(await pages({ actor: { actor_type: 'SERVICE' } })).toHaveLength(1);
  });

  test('a token does not open with other filters', async () => {
    await history();
    const { next } = await list({ page_size: 1, operation: 'users/' });
    expect(await api.call('/audit/ListAuditLogs', { page_token: next, operation: 'domains/' })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
  });

  test.each([0, 101])('a page of %d is invalid_argument', async (page_size) => {
    expect(await api.call('/audit/ListAuditLogs', { page_size })).toMatchObject({ status: 400 });
  });
});

test('ListActors names everybody of a kind who is in the record, with their last address and without where they called from', async () => {
  await history();
  expect((await api.ok('/audit/ListActors', { actor_type: 'USER' }))['actors']).toEqual([
    { actor_type: 'USER', actor_id: 'user_admin', user_id: 'user_admin', username: 'admin@example.test', email: 'admin@example.test' },
  ]);
  expect((await api.ok('/audit/ListActors', { actor_type: 'SERVICE' }))['actors']).toMatchObject([{ actor_id: 'adminheadless' }]);
  expect((await api.ok('/audit/ListActors', { actor_type: 'VENDOR' }))['actors']).toEqual([]);
});

test('ListOperations names every action that can be in the record, once', async () => {
  const operations = (await api.ok('/audit/ListOperations'))['operations'] as string[];
  expect(operations).toEqual(operations.toSorted());
  expect(operations).toEqual(expect.arrayContaining(['accounts/DeleteAccount', 'domains/AddDomain', 'users/UpdateUser']));
  expect(operations).not.toContain('domains/CreateDomain');
  expect(operations).not.toContain('users/GetUser');
});

test('another name of a method is recorded under the method’s own', async () => {
  await api.ok('/domains/CreateDomain', { domain: 'example.test' });
  expect((await list()).logs).toMatchObject([{ action: 'domains/AddDomain', entity_id: expect.stringMatching(/^dom_/), entity_name: 'example.test' }]);
});
