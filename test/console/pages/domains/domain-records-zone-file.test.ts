import { recordState, zoneFile } from '../../../../console/pages/domains/domain-records.ts';

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

describe('the zone file of a domain', () => {
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
