import { recordPlan, recordState, zoneFile, type Domain, type NeededRecord } from '../../../../console/pages/domains/domain-records.ts';
import { nextStep } from '../../../../console/pages/domains/set-up/set-up-step.ts';
import { domainWords } from '../../../../console/words/pages/domains.ts';

const { groups } = domainWords.records;

const record = (change: Partial<NeededRecord> = {}): NeededRecord => ({
  name: 'example.test',
  record_type: 'MX',
  value: '10 mx.example.test',
  ttl: 3600,
  exists: false,
  valid: false,
  applied: false,
  found_values: [],
  requirement: 'REQUIRED',
  group: groups.mx,
  ...change,
});

const different = { exists: true, valid: false };

describe('what applying does with a record', () => {
  const settings = { spf_mode: 'CREATE_IF_MISSING' as const };
  const spf = { ...different, group: groups.spf, record_type: 'TXT' as const };

  test.each([
    ['a valid record stays', record({ exists: true, valid: true }), settings, 'stays'],
    ['a missing record is added', record(), settings, 'added'],
    ['a foreign record is in the way', record(different), settings, 'conflict'],
    ['a record of ours is updated', record({ ...different, applied: true }), settings, 'updated'],
    ['a foreign SPF policy is kept', record(spf), settings, 'kept'],
    ['an SPF policy of ours is updated', record({ ...spf, applied: true }), settings, 'updated'],
    ['a foreign SPF policy is replaced by a forced one', record(spf), { spf_mode: 'FORCE_VALUE' as const }, 'replaced'],
    ['an SPF record that is only checked stays away', record({ ...spf, exists: false }), { spf_mode: 'CHECK_ONLY' as const }, 'stays'],
  ])('%s', (_, needed, domain, plan) => {
    expect(recordPlan(needed, domain)).toBe(plan);
  });

  test('a foreign SPF policy is kept even if another record with its name was applied', () => {
    const domain = { ...settings, dns_apply_state: { status: 'APPLIED' as const, applied_record_names: ['example.test'] } };
    expect(recordPlan(record(spf), domain)).toBe('kept');
    expect(recordPlan(record(different), domain)).toBe('conflict');
  });
});

describe('the step at which a set-up continues', () => {
  const domain = (status: Domain['verification_status'], found: Partial<NeededRecord>, recommended = true): Domain =>
    ({
      verification_status: status,
      spf_mode: 'CREATE_IF_MISSING',
      dns_validation: {
        dkim_records: [record(found)],
        mail_from_records: [],
        autodiscovery_records: [],
        required_valid: found.valid === true,
        recommended_valid: recommended,
        ...(!recommended && { dmarc_record: record({ requirement: 'RECOMMENDED' }) }),
      },
    }) as unknown as Domain;
  const valid = { exists: true, valid: true };

  test.each([
    ['the records, when one is missing', domain('PENDING', {}), 'records'],
    ['the check, while SES has not verified the records', domain('PENDING', valid), 'check'],
    ['the records, when recommended ones are missing', domain('SUCCESS', valid, false), 'records'],
    ['the test mail, when nothing is missing', domain('SUCCESS', valid), 'test'],
  ])('is %s', (_, found, step) => {
    expect(nextStep(found)).toBe(step);
  });
});

describe('the zone file of a domain', () => {
  const record = (record_type: 'TXT' | 'CNAME' | 'MX' | 'A', value: string) => ({
    name: 'x.example.com',
    record_type,
    value,
    ttl: 3600,
    exists: false,
    valid: false,
    applied: false,
    found_values: [] as string[],
    requirement: 'REQUIRED' as const,
  });

  test('has a line for each record, with host names that end in a dot', () => {
    expect(zoneFile([record('CNAME', 'a.dkim.amazonses.com'), record('MX', '10 inbound-smtp.eu-west-1.amazonaws.com'), record('A', '192.0.2.1')])).toBe(
      [
        'x.example.com.\t3600\tIN\tCNAME\ta.dkim.amazonses.com.',
        'x.example.com.\t3600\tIN\tMX\t10 inbound-smtp.eu-west-1.amazonaws.com.',
        'x.example.com.\t3600\tIN\tA\t192.0.2.1',
        '',
      ].join('\n'),
    );
  });

  test('has a comment for a record that replaces another value, so that an import never adds a second value', () => {
    const spf = { ...record('TXT', 'v=spf1 a include:amazonses.com -all'), exists: true, found_values: ['v=spf1 a -all'] };
    expect(zoneFile([spf, { ...record('A', '192.0.2.1'), exists: true, valid: true }])).toBe(
      [
        '; Replace this:',
        '; x.example.com.\tTXT\t"v=spf1 a -all"',
        '; by this:',
        '; x.example.com.\t3600\tIN\tTXT\t"v=spf1 a include:amazonses.com -all"',
        'x.example.com.\t3600\tIN\tA\t192.0.2.1',
        '',
      ].join('\n'),
    );
  });

  test('has quoted texts, in strings of at most 255 characters', () => {
    const [line] = zoneFile([record('TXT', `${'a'.repeat(255)}b"\\`)]).split('\n');
    expect(line).toBe(`x.example.com.\t3600\tIN\tTXT\t"${'a'.repeat(255)}" "b\\"\\\\"`);
  });
});

test.each([
  ['valid', { exists: true, valid: true }],
  ['different', { exists: true, valid: false }],
  ['absent', { exists: false, valid: false }],
] as const)('a record is %s', (state, found) => {
  expect(recordState(found)).toBe(state);
});
