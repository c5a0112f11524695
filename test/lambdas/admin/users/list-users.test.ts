import type { User } from '../../../../contract/admin/users.ts';
import { adminApiPerTest } from '../../../support/admin-api.ts';
import { createUser } from '../../../support/admin-resources.ts';

const api = adminApiPerTest({ clock: () => new Date('2026-11-21T08:38:00Z') });

describe('ListUsers', () => {
  const list = async (request: object) => {
    const { users, next_page_token: next } = await api.ok('/users/ListUsers', request);
    return { ids: (users as User[]).map(({ user_id }) => user_id), next: next as string };
  };

  test('returns every user once, page by page, while users are created', async () => {
    for (let index = 0; index < 7; index++) await createUser(api, `person${index}@example.test`);
    const all = (await list({})).ids;
    const seen: string[] = [];
    let token = '';
    do {
      const page = await list({ page_size: 3, ...(token && { page_token: token }) });
      expect(page.next.length).toBeLessThanOrEqual(512);
      seen.push(...page.ids);
      token = page.next;
      await createUser(api, `late${seen.length}@example.test`);
    } while (token);
    expect(all.filter((id) => !seen.includes(id))).toEqual([]);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('returns an empty next_page_token with the last page', async () => {
    expect((await list({ page_size: 4 })).next).toBe('');
    expect((await list({ page_size: 3 })).next).not.toBe('');
  });

  test('accepts a page_token with another page_size; another method rejects it', async () => {
    const { next } = await list({ page_size: 2 });
    expect((await list({ page_size: 1000, page_token: next })).ids).toHaveLength(2);
    expect(await api.call('/accounts/ListAccounts', { page_token: next })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
  });

  test('rejects a page_token that was altered', async () => {
    const { next } = await list({ page_size: 2 });
    for (let index = 0; index < next.length; index += 5) {
      const other = next[index] === 'A' ? 'B' : 'A';
      const token = `${next.slice(0, index)}${other}${next.slice(index + 1)}`;
      expect(await api.call('/users/ListUsers', { page_token: token })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    }
  });
});
