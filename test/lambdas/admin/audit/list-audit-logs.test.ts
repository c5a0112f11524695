import type { AuditLog } from '../../../../contract/admin/audit.ts';
import { adminApiPerTest } from '../../../support/admin-api.ts';

let now: Date;

beforeEach(() => {
  now = new Date('2026-09-30T23:59:50Z');
});

const api = adminApiPerTest({ clock: () => now });

const advanceClock = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1000);
};
const list = async (request: object = {}) => {
  const { audit_logs: logs, next_page_token: next } = await api.ok('/audit/ListAuditLogs', request);
  return { logs: logs as AuditLog[], next: next as string };
};
/** Makes an audited call, which fails for an unknown user. */
const renameUser = (user_id: string, token?: string) => api.call('/users/UpdateUser', { user_id, display_name: `n${now.getTime()}` }, token);

/** Stores seven entries across the end of a month: five by an admin, two by a headless client. */
const makeEntries = async () => {
  for (let index = 0; index < 7; index++) {
    await renameUser(index % 2 ? 'user_person' : 'user_unknown', index < 5 ? 'admin' : 'machine');
    advanceClock(4);
  }
};

const listAllPages = async (request: object, between: () => Promise<unknown> = async () => undefined) => {
  const seen: AuditLog[] = [];
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

  test('lists every entry once, newest first, across months and pages, while entries are added', async () => {
    await makeEntries();
    const { logs } = await list();
    expect(logs).toHaveLength(7);
    expect(logs.map(({ timestamp }) => timestamp)).toEqual(
      logs
        .map(({ timestamp }) => timestamp)
        .toSorted()
        .toReversed(),
    );
    expect(new Set(logs.map(({ timestamp }) => timestamp.slice(0, 7)))).toEqual(new Set(['2026-09', '2026-10']));
    for (const page_size of [1, 2, 3, 7, 8]) {
      const seen = await listAllPages({ page_size }, async () => {
        advanceClock(1);
        await renameUser('user_person');
      });
      expect(seen.filter(({ audit_id: id }) => logs.some(({ audit_id }) => audit_id === id))).toEqual(logs);
      expect(new Set(seen.map(({ audit_id: id }) => id)).size).toBe(seen.length);
    }
  });

  test('skips months without entries', async () => {
    await makeEntries();
    now = new Date('2029-01-01T00:00:00Z');
    expect((await listAllPages({ page_size: 3 })).length).toBe(7);
  });

  test('filters by action or by a prefix of it', async () => {
    await makeEntries();
    await api.ok('/users/CreateUser', { email: 'alice@example.test' });
    await api.ok('/domains/AddDomain', { domain: 'example.test' });
    expect((await list({ operation: 'users/' })).logs).toHaveLength(8);
    expect((await list({ operation: 'users/CreateUser' })).logs).toMatchObject([{ action: 'users/CreateUser', status: 'success' }]);
    expect((await list({ operation: 'domains/AddDomain' })).logs).toHaveLength(1);
    expect((await list({ operation: 'CreateUser' })).logs).toEqual([]);
    expect(await listAllPages({ operation: 'users/UpdateUser', page_size: 2 })).toHaveLength(7);
  });

  test('filters by actor or by actor type', async () => {
    await makeEntries();
    expect((await list({ actor: { actor_type: 'USER' } })).logs).toHaveLength(5);
    expect((await list({ actor: { actor_type: 'ACTOR_TYPE_SERVICE', actorId: 'adminheadless' } })).logs).toHaveLength(2);
    expect((await list({ actor: { actor_type: 'SERVICE', actor_id: 'user_admin' } })).logs).toEqual([]);
    expect((await list({ actor: { actor_type: 'SYSTEM' } })).logs).toEqual([]);
    expect(await listAllPages({ actor: { actor_type: 'USER', actor_id: 'user_admin' }, page_size: 2 })).toHaveLength(5);
  });

  test('finds the only entry of an actor among thousands, across pages that may be empty', async () => {
    await renameUser('user_person', 'machine');
    await Promise.all(
      Array.from({ length: 2600 }, (_, index) =>
        api.trail.record({
          audit_id: `audit_${index}`,
          timestamp: new Date(now.getTime() + 1000 + index).toISOString(),
          action: 'users/UpdateUser',
          status: 'success',
          entity_id: '',
          entity_name: '',
          actor: { actor_type: 'USER', actor_id: 'user_admin' },
        }),
      ),
    );
    advanceClock(60);
    const first = await list({ actor: { actor_type: 'SERVICE' } });
    expect(first.logs).toEqual([]);
    expect(first.next).not.toBe('');
    expect(await listAllPages({ actor: { actor_type: 'SERVICE' } })).toHaveLength(1);
  });

  test('rejects a page_token with other filters', async () => {
    await makeEntries();
    const { next } = await list({ page_size: 1, operation: 'users/' });
    expect(await api.call('/audit/ListAuditLogs', { page_token: next, operation: 'domains/' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_argument' },
    });
  });

  test.each([0, 101])('rejects a page_size of %d', async (page_size) => {
    expect(await api.call('/audit/ListAuditLogs', { page_size })).toMatchObject({ status: 400 });
  });

  test('records a call of CreateDomain, an alternative name of AddDomain, as AddDomain', async () => {
    await api.ok('/domains/CreateDomain', { domain: 'example.test' });
    expect((await list()).logs).toMatchObject([{ action: 'domains/AddDomain', entity_id: expect.stringMatching(/^dom_/), entity_name: 'example.test' }]);
  });
});
