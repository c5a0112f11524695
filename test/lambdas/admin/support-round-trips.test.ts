import { memoryTable } from '../../fakes/memory-table.ts';
import { adminApi } from '../../support/admin-api.ts';
import { roundTripMeter } from '../../support/round-trip-meter.ts';
import type { AdminCall } from '../../support/successful-admin-calls.ts';

const start = Date.parse('2026-11-21T12:00:00.000Z');

/** @param pages the number of sequential requests that CloudTrail needs for the events of one role. */
const measuredApi = async (pages = 1) => {
  const meter = roundTripMeter();
  let now = start;
  const api = await adminApi({ directory: meter.table(memoryTable()), clock: () => new Date(now) });
  meter.watch(api.supportRoles);
  meter.watch(api.assumptionLookup, { search: pages });
  const open = async (...allowed_tiers: string[]) => (await api.ok('/support/OpenSupportCase', { subject: 's', allowed_tiers }))['case_id'] as string;
  /** Sequential round trips of a warm call, including the gate's read of the user. */
  const roundTrips = async (path: string, request: object) => {
    now += 60_000;
    const before = meter.roundTrips.count;
    await api.ok(path, request);
    return meter.roundTrips.count - before;
  };
  /** Delays the next IAM call by a second. */
  const slowIam = () => {
    api.supportRoles.fault.before = async () => {
      now += 1000;
    };
  };
  return { open, roundTrips, slowIam };
};

const later = (seconds: number) => new Date(start + seconds * 1000).toISOString();
const bothTiers = ['DIAG', 'CONFIG_READ'];

/** The calls to measure, each with its variant. @param caseIds support cases with the tiers DIAG, both, none, and DIAG. */
const supportCalls = ([diag, wide, none, other]: readonly string[]): readonly AdminCall[] => [
  ['/support/ListSupportCases', {}],
  ['/support/ListSupportRoleAssumptions', { case_id: diag }],
  ['/support/OpenSupportCase', { subject: 's' }],
  ['/support/OpenSupportCase', { subject: 's', allowed_tiers: bothTiers }, 'grants access'],
  ['/support/SetSupportCaseTiers', { case_id: diag, allowed_tiers: ['DIAG'] }],
  ['/support/SetSupportCaseTiers', { case_id: diag, allowed_tiers: bothTiers }, 'grants access'],
  ['/support/SetSupportCaseTiers', { case_id: diag, allowed_tiers: [] }, 'revokes access'],
  ['/support/SetSupportCaseTiers', { case_id: other, allowed_tiers: ['CONFIG_READ'] }, 'grants and revokes access'],
  ['/support/SetSupportCaseActiveUntil', { case_id: none, active_until: later(3600) }],
  ['/support/SetSupportCaseActiveUntil', { case_id: wide, active_until: later(6 * 86_400) }, 'grants access'],
  ['/support/SetSupportCaseActiveUntil', { case_id: wide, active_until: later(86_400) }, 'revokes access'],
  ['/support/CloseSupportCase', { case_id: none }],
  ['/support/CloseSupportCase', { case_id: wide }, 'revokes access'],
  ['/support/CloseSupportCase', { case_id: wide }, 'already closed'],
];

// IAM has no transaction with the table and no conditional write.
const granting = 'IAM: UpdateAssumeRolePolicy after the record, then a read for concurrent changes of cases';
const revoking = 'IAM: UpdateAssumeRolePolicy and PutRolePolicy before the record; then GetRole and GetRolePolicy for concurrent writes';

/** The calls that need more than two round trips, with the provider calls that require them. */
const exceptions: { readonly [call: string]: readonly [roundTrips: number, why: string] } = {
  '/support/OpenSupportCase (grants access)': [4, granting],
  '/support/SetSupportCaseTiers (grants access)': [4, granting],
  '/support/SetSupportCaseTiers (revokes access)': [4, revoking],
  '/support/SetSupportCaseTiers (grants and revokes access)': [5, 'IAM: revocation before the record, grant after it, then the read'],
  '/support/SetSupportCaseActiveUntil (grants access)': [4, granting],
  '/support/SetSupportCaseActiveUntil (revokes access)': [4, revoking],
  '/support/CloseSupportCase (revokes access)': [4, revoking],
};

test('every method of /support makes two sequential round trips to AWS, except for the calls listed above', async () => {
  const { open, roundTrips } = await measuredApi();
  const cases = [await open('DIAG'), await open(...bothTiers), await open(), await open('DIAG')];
  const counted: { [call: string]: number } = {};
  for (const [path, request, variant] of supportCalls(cases)) {
    counted[variant ? `${path} (${variant})` : path] = await roundTrips(path, request);
  }
  const expected = Object.keys(counted).map((call) => [call, exceptions[call]?.[0] ?? 2]);
  expect(counted).toEqual(Object.fromEntries(expected));
  expect(Object.keys(exceptions).filter((call) => !(call in counted))).toEqual([]);
});

test('CloseSupportCase makes two more round trips if IAM takes until the next second: it revokes again with the new time', async () => {
  const { open, roundTrips, slowIam } = await measuredApi();
  const [id] = [await open('DIAG'), await open('DIAG')];
  slowIam();
  expect(await roundTrips('/support/CloseSupportCase', { case_id: id })).toBe(6);
});

test('ListSupportRoleAssumptions makes one round trip for each page of 50 CloudTrail events', async () => {
  const { open, roundTrips } = await measuredApi(4);
  expect(await roundTrips('/support/ListSupportRoleAssumptions', { case_id: await open('DIAG') })).toBe(5);
});
