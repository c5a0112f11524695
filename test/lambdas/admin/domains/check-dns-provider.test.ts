import type { Domain } from '../../../../contract/admin/domains.ts';
import { adminApiPerTest } from '../../../support/admin-api.ts';

const api = adminApiPerTest();
let id: string;
beforeEach(async () => {
  api.dnsProvider.addZone('other.test');
  ({ id } = (await api.ok('/domains/AddDomain', { domain: 'other.test' }))['domain'] as Domain);
});

describe('CheckDNSProvider', () => {
  test('returns the hosted zone that holds the domain', async () => {
    expect(await api.ok('/domains/CheckDNSProvider', { id })).toEqual({
      has_access: true,
      provider_type: 'ROUTE53',
      hosted_zone: { id: 'Z-other.test', name: 'other.test', record_count: 0 },
    });
  });
  test('returns has_access false without a hosted zone', async () => {
    const { domain } = await api.ok('/domains/AddDomain', { domain: 'elsewhere.test' });
    expect(await api.ok('/domains/CheckDNSProvider', { id: (domain as Domain).id })).toEqual({ has_access: false });
  });
  test('refuses an unknown domain with not_found', async () => {
    expect(await api.call('/domains/CheckDNSProvider', { id: 'dom_unknown' })).toMatchObject({ status: 404 });
  });
});
