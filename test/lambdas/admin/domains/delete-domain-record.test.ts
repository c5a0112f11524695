import type { DNSApplyState, Domain } from '../../../../contract/admin/domains.ts';
import { RecordChangeRefused } from '../../../../core/aws/route53-dns-provider.ts';
import { adminApiPerTest } from '../../../support/admin-api.ts';

const api = adminApiPerTest();
let id: string;
const appliedNames = [
  '_dmarc.other.test',
  'bounce.other.test',
  'other.test',
  'token110._domainkey.other.test',
  'token210._domainkey.other.test',
  'token310._domainkey.other.test',
];

const applyState = async () => ((await api.ok('/domains/GetDomain', { id }))['domain'] as Domain).dns_apply_state as DNSApplyState;
const apply = () => api.call('/domains/ApplyDomainRecords', { id });
const deleteRecord = (record_name: string, record_type = 'TXT') => api.call('/domains/DeleteDomainRecord', { id, record_name, record_type });
const txtValues = () => api.dnsProvider.values('other.test', 'other.test', 'TXT');

beforeEach(async () => {
  api.dnsProvider.addZone('other.test');
  ({ id } = (await api.ok('/domains/AddDomain', { domain: 'other.test' }))['domain'] as Domain);
});

describe('DeleteDomainRecord', () => {
  test('removes a record once that ApplyDomainRecords wrote', async () => {
    await apply();
    expect(await deleteRecord('Token110._domainkey.other.test.', 'CNAME')).toMatchObject({ status: 200, body: { deleted: true } });
    expect(api.dnsProvider.values('other.test', 'token110._domainkey.other.test', 'CNAME')).toBeUndefined();
    expect((await applyState()).applied_record_names).toEqual(appliedNames.filter((name) => !name.startsWith('token110')));
    expect(await deleteRecord('token110._domainkey.other.test', 'CNAME')).toMatchObject({ status: 200, body: { deleted: false } });
  });

  test('keeps foreign values of the same record set', async () => {
    api.dnsProvider.put('other.test', { name: 'other.test', type: 'TXT', values: ['"verification=1"'] });
    await apply();
    expect(await deleteRecord('other.test')).toMatchObject({ body: { deleted: true } });
    expect(txtValues()).toEqual(['"verification=1"']);
  });

  test('keeps a foreign record, and a record of the deployment that was changed manually', async () => {
    api.dnsProvider.put('other.test', { name: 'www.other.test', type: 'TXT', values: ['"x"'] });
    expect(await deleteRecord('www.other.test')).toMatchObject({ body: { deleted: false } });
    await apply();
    api.dnsProvider.put('other.test', { name: 'other.test', type: 'TXT', values: ['"v=spf1 -all"'] });
    expect(await deleteRecord('other.test')).toMatchObject({ body: { deleted: false } });
    expect(txtValues()).toEqual(['"v=spf1 -all"']);
  });

  test('lets ApplyDomainRecords write the record again', async () => {
    await apply();
    await deleteRecord('_dmarc.other.test');
    expect(await apply()).toMatchObject({ body: { dns_apply_state: { applied_record_names: appliedNames } } });
  });

  test('refuses a record type that it does not delete with invalid_argument', async () => {
    expect(await deleteRecord('other.test', 'A')).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
  });

  test('aborts when the record set changes at every attempt', async () => {
    await apply();
    api.dnsProvider.beforeChange = () => {
      throw new RecordChangeRefused(['moved']);
    };
    expect(await deleteRecord('other.test')).toMatchObject({ status: 409, body: { code: 'aborted' } });
  });
});
