import { memoryTable } from '../../fakes/memory-table.ts';
import { adminApi } from '../../support/admin-api.ts';
import { tripsMeter } from '../../support/trips-table.ts';

const start = Date.parse('2026-11-21T12:00:00.000Z');

/** @param pages requests that CloudTrail is asked one after the other, for the events of a role. */
const prepared = async (pages = 1) => {
  const meter = tripsMeter();
  let clock = start;
  const api = await adminApi({ directory: meter.table(memoryTable()), now: () => new Date(clock) });
  meter.watch(api.supportRoles);
  meter.watch(api.assumptionLookup, { search: pages });
  const open = async (...allowed_tiers: string[]) => (await api.ok('/support/OpenSupportCase', { subject: 's', allowed_tiers }))['case_id'] as string;
  /** Trips to AWS that a warm call waits for, the gate's question included. */
  const trips = async (path: string, request: object) => {
    clock += 60_000;
    const before = meter.trips.count;
    await api.ok(path, request);
    return meter.trips.count - before;
  };
  /** IAM takes a second longer than it is given, once. */
  const slowIam = () => { api.supportRoles.trouble.before = async () => { clock += 1000; }; };
  return { open, trips, slowIam };
};

const later = (seconds: number) => new Date(start + seconds * 1000).toISOString();
const both = ['DIAG', 'CONFIG_READ'];

/** What a call is made with, and what is special about it. The cases of the tiers DIAG, both, none, and DIAG again. */
const callsOf = ([diag, wide, none, other]: readonly string[]): readonly (readonly [path: string, request: object, special?: string])[] => [
  ['/support/ListSupportCases', {}], ['/support/ListSupportRoleAssumptions', { case_id: diag }],
  ['/support/OpenSupportCase', { subject: 's' }], ['/support/OpenSupportCase', { subject: 's', allowed_tiers: both }, 'access is given'],
  ['/support/SetSupportCaseTiers', { case_id: diag, allowed_tiers: ['DIAG'] }], ['/support/SetSupportCaseTiers', { case_id: diag, allowed_tiers: both }, 'access is given'],
  ['/support/SetSupportCaseTiers', { case_id: diag, allowed_tiers: [] }, 'access is taken'], ['/support/SetSupportCaseTiers', { case_id: other, allowed_tiers: ['CONFIG_READ'] }, 'both'],
  ['/support/SetSupportCaseActiveUntil', { case_id: none, active_until: later(3600) }], ['/support/SetSupportCaseActiveUntil', { case_id: wide, active_until: later(6 * 86_400) }, 'access is given'],
  ['/support/SetSupportCaseActiveUntil', { case_id: wide, active_until: later(86_400) }, 'access is taken'],
  ['/support/CloseSupportCase', { case_id: none }], ['/support/CloseSupportCase', { case_id: wide }, 'access is taken'], ['/support/CloseSupportCase', { case_id: wide }, 'again'],
];

const [given, taken] = [
  'IAM, which has no transaction with the record and no conditional write: UpdateAssumeRolePolicy after the record, then a look whether somebody else changed cases meanwhile',
  'IAM, likewise: UpdateAssumeRolePolicy and PutRolePolicy before the record, and GetRole and GetRolePolicy after it, since somebody else may have written the role between',
] as const;

/** What waits for more, and which calls of a provider force it. */
const forced: { readonly [call: string]: readonly [trips: number, why: string] } = {
  '/support/OpenSupportCase (access is given)': [4, given],
  '/support/SetSupportCaseTiers (access is given)': [4, given],
  '/support/SetSupportCaseTiers (access is taken)': [4, taken],
  '/support/SetSupportCaseTiers (both)': [5, 'IAM, likewise: what is taken before the record, what is given after it, and the look'],
  '/support/SetSupportCaseActiveUntil (access is given)': [4, given],
  '/support/SetSupportCaseActiveUntil (access is taken)': [4, taken],
  '/support/CloseSupportCase (access is taken)': [4, taken],
};

test('every method of /support waits for two calls to AWS one after the other, but for those listed, where a provider forces more', async () => {
  const { open, trips } = await prepared();
  const cases = [await open('DIAG'), await open(...both), await open(), await open('DIAG')];
  const counted: { [call: string]: number } = {};
  for (const [path, request, special] of callsOf(cases)) counted[special ? `${path} (${special})` : path] = await trips(path, request);
  const expected = Object.keys(counted).map((call) => [call, forced[call]?.[0] ?? 2]);
  expect(counted).toEqual(Object.fromEntries(expected));
  expect(Object.keys(forced).filter((call) => !(call in counted))).toEqual([]);
});

test('IAM forces two more where it takes until another second: whoever was let in until then is out too', async () => {
  const { open, trips, slowIam } = await prepared();
  const [id] = [await open('DIAG'), await open('DIAG')];
  slowIam();
  expect(await trips('/support/CloseSupportCase', { case_id: id })).toBe(6);
});

test('CloudTrail forces more where a role was assumed often: it tells 50 events a request, of which four are made', async () => {
  const { open, trips } = await prepared(4);
  expect(await trips('/support/ListSupportRoleAssumptions', { case_id: await open('DIAG') })).toBe(5);
});
