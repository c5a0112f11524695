import { accounts } from '../../../contract/admin/accounts.ts';
import { audit } from '../../../contract/admin/audit.ts';
import { changeRequests } from '../../../contract/admin/change-requests.ts';
import { domains } from '../../../contract/admin/domains.ts';
import { support } from '../../../contract/admin/support.ts';
import { users } from '../../../contract/admin/users.ts';
import { decodeRequest, encodeResponse } from '../../../contract/rpc/decode.ts';
import type { Method } from '../../../contract/rpc/rpc.ts';

const refusal = (method: Method, value: unknown): string => {
  try {
    decodeRequest(method, value);
    return 'accepted';
  } catch (error) {
    return (error as Error).message;
  }
};

const { AddDomain, ListDomains, GetDomain } = domains.methods;
const { CreateUser } = users.methods;
const { CreateAccount, PutAccountMember, ListAccounts } = accounts.methods;
const { SetSupportCaseActiveUntil, OpenSupportCase } = support.methods;

describe('keys of a request', () => {
  test('may be snake_case or lowerCamelCase', () => {
    expect(decodeRequest(GetDomain, { id: 'a', include_dns_validation: true })).toEqual(decodeRequest(GetDomain, { id: 'a', includeDnsValidation: true }));
    expect(
      decodeRequest(changeRequests.methods.CreateChangeRequest, {
        type: 'LAMBDA_CONCURRENCY_INCREASE',
        lambdaConcurrency: { desiredAccountLimit: 50, reason: 'mail' },
      }),
    ).toMatchObject({ lambda_concurrency: { desired_account_limit: 50, reason: 'mail' } });
  });
  test('are refused in both spellings at once', () => {
    expect(refusal(GetDomain, { id: 'a', include_dns_validation: true, includeDnsValidation: true })).toBe('include_dns_validation is given in two spellings');
  });
  test('are refused when unknown, also nested, with a message that quotes at most their beginning', () => {
    expect(refusal(GetDomain, { id: 'a', more: 1 })).toBe('more is not a field of this request');
    expect(refusal(audit.methods.ListAuditLogs, { actor: { actor_type: 'USER', more: 1 } })).toBe('actor.more is not a field of this request');
    expect(refusal(GetDomain, { id: 'a', ['x'.repeat(10_000)]: 1 }).length).toBeLessThan(120);
    expect(refusal(GetDomain, JSON.parse('{"id":"a","__proto__":1}'))).toBe('__proto__ is not a field of this request');
    expect(refusal(GetDomain, { id: 'a', constructor: 1 })).toBe('constructor is not a field of this request');
  });
});

describe('an enumeration', () => {
  test('accepts values with and without the prefix', () => {
    expect(decodeRequest(AddDomain, { domain: 'a.test', dmarc_policy: 'DMARC_POLICY_TYPE_REJECT' }).dmarc_policy).toBe('REJECT');
    expect(decodeRequest(AddDomain, { domain: 'a.test', spf_mode: 'SPF_MODE_OFF' }).spf_mode).toBe('OFF');
    expect(decodeRequest(PutAccountMember, { account_id: 'a', user_id: 'u', role: 'ACCOUNT_ROLE_READ' }).role).toBe('READ');
  });
  test.each(['read', 'UNKNOWN', 'ACCOUNT_ROLE_', 'ROLE_READ', '', 1, null, ['READ']])('refuses %j', (role) => {
    expect(refusal(PutAccountMember, { account_id: 'a', user_id: 'u', role })).toBe('role must be one of READ, WRITE, ADMIN');
  });
});

describe('a whole number', () => {
  test.each([
    [1, 1],
    ['1', 1],
    [1000, 1000],
    ['1000', 1000],
    [1e2, 100],
  ])('decodes %j as %j', (given, decoded) => {
    expect(decodeRequest(ListAccounts, { page_size: given }).page_size).toBe(decoded);
  });
  test.each([0, -1, 1001, '0', '1001', 2_147_483_648])('out of range is refused, not lowered: %j', (given) => {
    expect(refusal(ListAccounts, { page_size: given })).toBe('page_size must be 1 to 1000');
  });
  test.each([1.5, '1.5', 'ten', '', ' 1', '01', '1e2', true, null, {}, Number.POSITIVE_INFINITY])('refuses %j', (given) => {
    expect(refusal(ListAccounts, { page_size: given })).toMatch(/^page_size must be a (whole )?number$/);
  });
  test('has the default and the limits of its method', () => {
    expect(decodeRequest(ListAccounts, {})).toEqual({ page_size: 50, descending: false, include_use: false });
    expect(decodeRequest(ListDomains, {})).toEqual({ page_size: 50, descending: false });
    expect(refusal(ListDomains, { page_size: 101 })).toBe('page_size must be 1 to 100');
  });
});

describe('a timestamp', () => {
  const until = (active_until: unknown) => decodeRequest(SetSupportCaseActiveUntil, { case_id: 'c', active_until }).active_until;
  test.each([
    ['2026-11-21T08:38:00Z', '2026-11-21T08:38:00.000Z'],
    ['2026-11-21T08:38:00.5+01:00', '2026-11-21T07:38:00.500Z'],
    ['2026-11-21t08:38:00.123456z', '2026-11-21T08:38:00.123Z'],
    ['2024-02-29T23:59:59-12:30', '2024-03-01T12:29:59.000Z'],
  ])('decodes %s as %s', (given, decoded) => expect(until(given)).toBe(decoded));
  test.each([
    '2026-11-21',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T08:38:00',
    '2026-11-21 08:38:00Z',
    'tomorrow',
    '',
  ])('refuses %j', (given) => {
    expect(refusal(SetSupportCaseActiveUntil, { case_id: 'c', active_until: given })).toBe(
      'active_until must be an RFC 3339 timestamp such as 2026-11-21T08:38:00Z',
    );
  });
  test('refuses a number', () => {
    expect(refusal(SetSupportCaseActiveUntil, { case_id: 'c', active_until: 1_795_250_280 })).toBe('active_until must be text');
  });
});

describe('a domain name', () => {
  test.each([
    ['Example.COM', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['a-b.co.uk', 'a-b.co.uk'],
    ['1.example', '1.example'],
  ])('decodes %s as %s', (given, decoded) => expect(decodeRequest(AddDomain, { domain: given }).domain).toBe(decoded));
  test.each([
    'example',
    'example.com.',
    '.example.com',
    'a..com',
    '-a.com',
    'a-.com',
    'a_b.com',
    '127.0.0.1',
    '127.1',
    '[::1]',
    'a.com:25',
    'a.com/x',
    'u@a.com',
    'a b.com',
    '',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(130)}com`,
    'a.123',
    'https://a.com',
    'a%2ecom',
  ])('refuses %j', (given) => {
    expect(refusal(AddDomain, { domain: given })).toBe('domain must be a domain name of two labels or more, such as example.com');
  });
});

describe('an email address', () => {
  test.each([
    ['Alice@Example.Test', 'alice@example.test'],
    ["o'brien+tag@a.test", "o'brien+tag@a.test"],
    ['a@bücher.example', 'a@xn--bcher-kva.example'],
  ])('decodes %s as %s', (given, decoded) => {
    expect(decodeRequest(CreateUser, { email: given }).email).toBe(decoded);
  });
  test.each([
    'alice',
    '@a.test',
    'alice@',
    'a..b@a.test',
    '.a@a.test',
    'a@b@c.test',
    'a b@c.test',
    'é@a.test',
    `${'a'.repeat(65)}@a.test`,
    'a@localhost',
    'Alice <a@a.test>',
    '',
  ])('refuses %j', (given) => {
    expect(refusal(CreateUser, { email: given })).toBe('email must be an email address such as alice@example.com');
  });
  test('has a local part of 1 to 64 of atext with single dots, which is lower-cased', () => {
    const account = { user_id: 'u', name: 'n', domain_id: 'd' };
    expect(decodeRequest(CreateAccount, { ...account, local_part: 'Info.Desk' }).local_part).toBe('info.desk');
    expect(decodeRequest(CreateAccount, { ...account, local_part: 'a'.repeat(64) }).local_part).toHaveLength(64);
    for (const local_part of ['', '.', 'a.', 'a@b', 'a b', 'a'.repeat(65), 'ü']) {
      expect(refusal(CreateAccount, { ...account, local_part })).toMatch(/^local_part must be 1 to 64/);
    }
  });
});

describe('a text', () => {
  const named = (name: unknown) => refusal(CreateAccount, { user_id: 'u', name, local_part: 'a', domain_id: 'd' });
  test('has a length in characters, not in code units', () => {
    expect(named('😀'.repeat(100))).toBe('accepted');
    expect(named('😀'.repeat(101))).toBe('name must be 1 to 100 characters');
  });
  test('is refused when it is empty or blank, or has control characters or lone surrogates', () => {
    expect(named('')).toBe('name must be 1 to 100 characters');
    expect(named('   ')).toBe('name must be 1 to 100 characters');
    expect(named('a\u0000b')).toBe('name must not contain control characters');
    expect(named('a\nb')).toBe('name must not contain control characters');
    expect(named('\ud800')).toBe('name must not contain control characters');
  });
  test('may have several lines in a description', () => {
    expect(refusal(OpenSupportCase, { subject: 's', description: 'one\r\n\ttwo' })).toBe('accepted');
    expect(refusal(OpenSupportCase, { subject: 's', description: '\u0007' })).toBe('description must not contain control characters');
  });
});

describe('decodeRequest', () => {
  test.each([[null], [[]], ['text'], [1], [true]])('refuses %j', (value) => {
    expect(refusal(GetDomain, value)).toBe('the request must be an object');
  });
  test('names a missing required field', () => {
    expect(refusal(GetDomain, {})).toBe('id is required');
    expect(refusal(ListAccounts, [])).toBe('the request must be an object');
  });
  test('refuses null for a field', () => {
    expect(refusal(CreateUser, { email: 'a@a.test', display_name: null })).toBe('display_name must be text');
  });
  test('names an invalid item of a list by its index', () => {
    expect(refusal(OpenSupportCase, { subject: 's', allowed_tiers: ['DIAG', 'ROOT'] })).toBe('allowed_tiers[1] must be one of DIAG, CONFIG_READ');
    expect(refusal(OpenSupportCase, { subject: 's', allowed_tiers: Array.from({ length: 11 }, () => 'DIAG') })).toBe('allowed_tiers must be at most 10 items');
  });
});

describe('encodeResponse', () => {
  const domain = {
    id: 'd',
    domain: 'a.test',
    verification_status: 'PENDING',
    dkim_status: 'PENDING',
    dkim_enabled: true,
    send_enabled: true,
    receive_enabled: false,
    dmarc_enabled: true,
    dmarc_policy: 'NONE',
    spf_mode: 'OFF',
    is_primary: false,
    adopted: false,
    created_at: '2026-11-21T08:38:00.000Z',
    updated_at: '2026-11-21T08:38:00.000Z',
  } as const;
  test('drops undeclared fields, leaves out absent optional ones, and has every list', () => {
    const stored = { ...domain, pk: 'domain', spf_value: undefined };
    expect(JSON.parse(JSON.stringify(encodeResponse(GetDomain, { domain: stored })))).toEqual({ domain: { ...domain, role_mail: [] } });
    expect(encodeResponse(ListDomains, {})).toEqual({ domains: [], next_page_token: '' });
  });
  test('throws for a response that breaks its contract, without repeating a value', () => {
    expect(() => encodeResponse(GetDomain, { domain: { ...domain, created_at: 'secret' } })).toThrow(
      /^the response does not match its contract: domain\.created_at invalid_format$/,
    );
  });
});
