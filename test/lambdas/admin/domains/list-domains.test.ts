import type { Domain } from '../../../../contract/admin/domains.ts';
import { adminApiPerTest } from '../../../support/admin-api.ts';

let now = new Date('2026-11-21T08:38:00Z');
const api = adminApiPerTest({ clock: () => now });
beforeEach(() => {
  now = new Date('2026-11-21T08:38:00Z');
});

const add = async (domain: string) => (await api.ok('/domains/AddDomain', { domain }))['domain'] as Domain;

describe('ListDomains', () => {
  test('returns the domains in pages, with the provider’s status of each', async () => {
    for (const name of ['a.test', 'b.test', 'c.test']) await add(name);
    api.emailProvider.verify('b.test');
    const first = await api.ok('/domains/ListDomains', { page_size: 2 });
    const second = await api.ok('/domains/ListDomains', { page_size: 2, page_token: first['next_page_token'] });
    const all = [...(first['domains'] as Domain[]), ...(second['domains'] as Domain[])];
    expect(Object.fromEntries(all.map(({ domain, verification_status: status }) => [domain, status]))).toEqual({
      'a.test': 'PENDING',
      'b.test': 'SUCCESS',
      'c.test': 'PENDING',
    });
    expect(second['next_page_token']).toBe('');
  });

  test('asks the provider about a verified domain once an hour', async () => {
    await add('a.test');
    api.emailProvider.verify('a.test');
    const providerCalls = () => api.emailProvider.calls['findDomain'] ?? 0;
    await api.ok('/domains/ListDomains');
    await api.ok('/domains/ListDomains');
    expect(providerCalls()).toBe(1);
    now = new Date(now.getTime() + 3_600_001);
    await api.ok('/domains/ListDomains');
    expect(providerCalls()).toBe(2);
  });

  test('returns the stored status while the provider fails', async () => {
    await add('a.test');
    api.emailProvider.findDomain = async () => {
      throw Object.assign(new Error('Rate exceeded'), { name: 'TooManyRequestsException' });
    };
    expect((await api.ok('/domains/ListDomains'))['domains']).toMatchObject([{ domain: 'a.test', verification_status: 'PENDING' }]);
    const [{ id }] = (await api.ok('/domains/ListDomains'))['domains'] as [Domain];
    expect(await api.call('/domains/GetDomain', { id })).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  });
});
