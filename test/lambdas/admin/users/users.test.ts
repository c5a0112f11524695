import { adminApi } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';

type User = { user_id: string; primary_email: string; idp_identities: { sub: string }[] };

let api: Awaited<ReturnType<typeof adminApi>>;
beforeEach(async () => {
  api = await adminApi({ now: () => new Date('2026-11-21T08:38:00Z') });
});

const create = async (email: string) => (await api.ok('/users/CreateUser', { email }))['user'] as User;

describe('CreateUser', () => {
  test('makes a person here and at the identity provider, invited once', async () => {
    const { user } = await api.ok('/users/CreateUser', { email: 'Alice@Example.Test', display_name: 'Alice' });
    expect(user).toEqual({
      user_id: expect.stringMatching(/^user_[A-Za-z0-9_-]{21}$/), name: 'Alice', display_name: 'Alice', primary_email: 'alice@example.test',
      is_active: true, is_admin: false, is_deleted: false,
      idp_identities: [{ provider: 'cognito', sub: expect.any(String), username: expect.any(String), email: 'alice@example.test', groups: [] }],
      created_at: '2026-11-21T08:38:00.000Z', updated_at: '2026-11-21T08:38:00.000Z',
    });
    expect(api.identityProvider.invitations).toEqual(['alice@example.test']);
    const { sub } = (user as User).idp_identities[0]!;
    expect(await api.users.findBySub(sub)).toMatchObject({ user_id: (user as User).user_id });
  });

  test('without a display name the address is the name', async () => {
    const { user } = await api.ok('/users/CreateUser', { email: 'bob@example.test' });
    expect(user).toMatchObject({ name: 'bob@example.test' });
    expect(user).not.toHaveProperty('display_name');
    expect(user).not.toHaveProperty('version');
  });

  test('the same address in any case is already_exists', async () => {
    await create('alice@example.test');
    expect(await api.call('/users/CreateUser', { email: 'ALICE@EXAMPLE.TEST' })).toMatchObject({ status: 409, body: { code: 'already_exists' } });
    expect(api.identityProvider.invitations).toHaveLength(1);
  });

  test('of twenty at once one wins and the others are already_exists', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.call('/users/CreateUser', { email: 'race@example.test' })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    expect((await api.ok('/users/ListUsers'))['users']).toHaveLength(5);
    expect(api.identityProvider.invitations).toEqual(['race@example.test']);
  });

  test('what the identity provider could not do is done by the next call', async () => {
    const invite = api.identityProvider.invite.bind(api.identityProvider);
    api.identityProvider.invite = async () => {
      throw Object.assign(new Error('Rate exceeded'), { name: 'TooManyRequestsException' });
    };
    const request = { email: 'alice@example.test' };
    expect(await api.call('/users/CreateUser', request)).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    api.identityProvider.invite = invite;
    expect(await api.call('/users/CreateUser', request)).toMatchObject({ status: 200 });
    expect(await api.call('/users/CreateUser', request)).toMatchObject({ status: 409 });
    expect(api.identityProvider.invitations).toEqual(['alice@example.test']);
  });

  test('an address that the identity provider does not take is invalid_argument, and nothing is left of it', async () => {
    const email = `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.test`;
    expect(await api.call('/users/CreateUser', { email })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    expect(await api.directory.get({ pk: 'user-email', sk: email })).toBeUndefined();
  });

  test.each([[0, 'before'], [0, 'after'], [1, 'before'], [1, 'after']] as const)('a crash %d, %s a write, is repaired by the next call', async (write, when) => {
    const directory = failingTable(memoryTable());
    const crashing = await adminApi({ directory });
    directory.endProcessAtWrite(write, when);
    expect(await crashing.call('/users/CreateUser', { email: 'alice@example.test' })).toMatchObject({ status: 500, body: { code: 'internal', message: 'something went wrong on our side' } });
    directory.recover();
    const repaired = await crashing.call('/users/CreateUser', { email: 'alice@example.test' });
    // After the last write the person is complete, and only the answer was lost.
    expect(repaired.status).toBe(write === 1 && when === 'after' ? 409 : 200);
    const users = (await crashing.ok('/users/ListUsers'))['users'] as User[];
    const made = users.filter(({ primary_email }) => primary_email === 'alice@example.test');
    expect(made).toHaveLength(1);
    expect(await crashing.users.findBySub(made[0]!.idp_identities[0]!.sub)).toMatchObject({ user_id: made[0]!.user_id });
    expect(crashing.identityProvider.invitations).toEqual(['alice@example.test']);
  });
});

describe('GetUser', () => {
  test('answers the person', async () => {
    const made = await create('alice@example.test');
    expect((await api.ok('/users/GetUser', { user_id: made.user_id }))['user']).toEqual(made);
    expect((await api.ok('/users/GetUser', { userId: made.user_id }))['user']).toEqual(made);
  });
  test.each(['user_unknown', 'dom_123456789012345678901', 'x'.repeat(128)])('%s is not_found', async (user_id) => {
    expect(await api.call('/users/GetUser', { user_id })).toMatchObject({ status: 404, body: { code: 'not_found', message: 'there is no such user' } });
  });
});

describe('ListUsers', () => {
  const listed = async (request: object) => {
    const { users, next_page_token: next } = await api.ok('/users/ListUsers', request);
    return { ids: (users as User[]).map(({ user_id }) => user_id), next: next as string };
  };

  test('pages through everybody, each once, whatever is written in between', async () => {
    for (let index = 0; index < 7; index++) await create(`person${index}@example.test`);
    const everybody = (await listed({})).ids;
    const seen: string[] = [];
    let token = '';
    do {
      const page = await listed({ page_size: 3, ...(token && { page_token: token }) });
      expect(page.next.length).toBeLessThanOrEqual(512);
      seen.push(...page.ids);
      token = page.next;
      await create(`late${seen.length}@example.test`);
    } while (token);
    expect(everybody.filter((id) => !seen.includes(id))).toEqual([]);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('the last page says so with an empty token', async () => {
    expect((await listed({ page_size: 4 })).next).toBe('');
    expect((await listed({ page_size: 3 })).next).not.toBe('');
  });

  test('a token holds good with another page size, but not for another method', async () => {
    const { next } = await listed({ page_size: 2 });
    expect((await listed({ page_size: 1000, page_token: next })).ids).toHaveLength(2);
    expect(await api.call('/accounts/ListAccounts', { page_token: next })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
  });

  test('a token that was tampered with is refused', async () => {
    const { next } = await listed({ page_size: 2 });
    for (let index = 0; index < next.length; index += 5) {
      const other = next[index] === 'A' ? 'B' : 'A';
      const token = `${next.slice(0, index)}${other}${next.slice(index + 1)}`;
      expect(await api.call('/users/ListUsers', { page_token: token })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    }
  });
});
