import { memoryTable } from '../fakes/memory-table.ts';
import { adminApi } from '../support/admin-api.ts';
import { tripsMeter } from '../support/trips-table.ts';

const start = Date.parse('2026-11-21T12:00:00.000Z');

const prepared = async () => {
  const meter = tripsMeter();
  let clock = start;
  const api = await adminApi({ directory: meter.table(memoryTable()), now: () => new Date(clock) });
  meter.watch(api.supportRoles);
  meter.watch(api.assumptionLookup);
  const later = (seconds: number) => new Date(clock + seconds * 1000).toISOString();
  const open = async (...allowed_tiers: string[]) => (await api.ok('/support/OpenSupportCase', { subject: 's', allowed_tiers }))['case_id'] as string;
  /** Trips to AWS that a warm call waits for, the gate's question included. */
  const trips = async (path: string, request: object = {}) => {
    clock += 60_000;
    const before = meter.trips.count;
    await api.ok(`/support/${path}`, request);
    return meter.trips.count - before;
  };
  return { open, trips, later };
};

test('what changes nobody’s access waits for two trips: what is recorded, while the gate asks who calls; then IAM and CloudTrail, while it is recorded', async () => {
  const { open, trips, later } = await prepared();
  const id = await open('DIAG');
  expect(await trips('ListSupportCases')).toBe(2);
  expect(await trips('ListSupportRoleAssumptions', { case_id: id })).toBe(2);
  expect(await trips('OpenSupportCase', { subject: 's' })).toBe(2);
  expect(await trips('SetSupportCaseTiers', { case_id: id, allowed_tiers: ['DIAG'] })).toBe(2);
  const closed = await open();
  expect(await trips('SetSupportCaseActiveUntil', { case_id: closed, active_until: later(3600) })).toBe(2);
  expect(await trips('CloseSupportCase', { case_id: closed })).toBe(2);
  expect(await trips('CloseSupportCase', { case_id: closed })).toBe(2);
});

test('IAM forces more, since it has neither transactions nor conditional writes: its part comes before or after the record, and both are looked at once more', async () => {
  const { open, trips, later } = await prepared();
  const [first, second] = [await open('DIAG'), await open('DIAG', 'CONFIG_READ')];
  // Reads; the record, with the end that is to come written beside it; the roles, which give access only when that is recorded; whether somebody was faster.
  expect(await trips('OpenSupportCase', { subject: 's', allowed_tiers: ['DIAG', 'CONFIG_READ'] })).toBe(4);
  expect(await trips('SetSupportCaseTiers', { case_id: first, allowed_tiers: ['DIAG', 'CONFIG_READ'] })).toBe(4);
  expect(await trips('SetSupportCaseActiveUntil', { case_id: first, active_until: later(6 * 86_400) })).toBe(4);
  // Reads; the roles, which take access before that is recorded; the record; whether somebody else wrote a role between.
  expect(await trips('SetSupportCaseActiveUntil', { case_id: first, active_until: later(3600) })).toBe(4);
  expect(await trips('SetSupportCaseTiers', { case_id: first, allowed_tiers: [] })).toBe(4);
  expect(await trips('CloseSupportCase', { case_id: second })).toBe(4);
  // Both: taking before the record, giving after it.
  const third = await open('DIAG');
  expect(await trips('SetSupportCaseTiers', { case_id: third, allowed_tiers: ['CONFIG_READ'] })).toBe(5);
});
