import type { SupportRoleAssumption } from '../../../../contract/admin/support.ts';
import type { RoleAssumption } from '../../../../core/aws/cloudtrail-assumption-lookup.ts';
import { roleAssumptionsIn } from '../../../../core/directory/role-assumptions.ts';
import { adminApi, supportRoleArns, type AdminApi } from '../../../support/admin-api.ts';

const start = Date.parse('2026-11-21T12:00:00.000Z');
const minutes = 60_000;
let clock: number;
let api: AdminApi;
let id: string;
beforeEach(async () => {
  clock = start;
  api = await adminApi({ clock: () => new Date(clock) });
  id = (await api.ok('/support/OpenSupportCase', { subject: 's', allowed_tiers: ['DIAG'], activation_seconds: 3600 }))['case_id'] as string;
});

const assumption = (event_id: string, minute: number, more: { [Field in keyof RoleAssumption]?: RoleAssumption[Field] | undefined } = {}): RoleAssumption => ({
  event_id,
  event_time: new Date(start + minute * minutes).toISOString(),
  assuming_principal: '111122223333:AIDAEXAMPLE',
  role_session_name: 'grace',
  source_ip_address: '192.0.2.7',
  role_assumed: supportRoleArns.DIAG,
  external_id: id,
  ...more,
});
const look = async () => {
  const { assumptions, live_lookup_complete: isComplete } = await api.ok('/support/ListSupportRoleAssumptions', { case_id: id });
  return { events: (assumptions as (typeof SupportRoleAssumption)['_output'][]).map(({ event_id: eventId }) => eventId), isComplete };
};

describe('ListSupportRoleAssumptions', () => {
  test('returns archived and live events together, each once, newest first', async () => {
    clock += 30 * minutes;
    for (const one of [assumption('a', 1), assumption('b', 2)]) await roleAssumptionsIn(api.directory).save(id, one);
    api.assumptionLookup.assumptions.push(assumption('b', 2), assumption('c', 3), assumption('d', 2, { role_assumed: supportRoleArns.CONFIG_READ }));
    expect((await look()).events).toEqual(['c', 'd', 'b', 'a']);
    const { assumptions } = await api.ok('/support/ListSupportRoleAssumptions', { case_id: id });
    expect((assumptions as unknown[])[0]).toEqual(assumption('c', 3));
  });

  test('ignores live events of other cases, of other roles and without an external id', async () => {
    clock += 30 * minutes;
    api.assumptionLookup.assumptions.push(
      assumption('a', 1, { external_id: 'case_of_somebody_else' }),
      assumption('b', 1, { external_id: undefined }),
      assumption('c', 1, { role_assumed: 'arn:aws:iam::000000000000:role/other' }),
    );
    expect((await look()).events).toEqual([]);
  });

  test('searches live events since the opening, at most 90 days back', async () => {
    await look();
    clock += 100 * 24 * 60 * minutes;
    await look();
    expect(api.assumptionLookup.searches.map(({ from, to }) => [from.toISOString(), to.toISOString()])).toEqual([
      ['2026-11-21T12:00:00.000Z', '2026-11-21T12:00:00.000Z'],
      [new Date(clock - 90 * 24 * 60 * minutes).toISOString(), new Date(clock).toISOString()],
    ]);
    expect(api.assumptionLookup.searches[0]!.roleArns.toSorted()).toEqual(Object.values(supportRoleArns).toSorted());
  });
});

describe('live_lookup_complete of ListSupportRoleAssumptions', () => {
  test('is false while the case grants access, and for 15 minutes after', async () => {
    expect(await look()).toEqual({ events: [], isComplete: false });
    clock = start + 59 * minutes;
    expect((await look()).isComplete).toBe(false);
    clock = start + 75 * minutes - 1;
    expect((await look()).isComplete).toBe(false);
    clock = start + 75 * minutes;
    expect((await look()).isComplete).toBe(true);
  });

  test('is false for 15 minutes after a change, and then true if no case grants access', async () => {
    clock += 20 * minutes;
    await api.ok('/support/CloseSupportCase', { case_id: id });
    clock += 15 * minutes - 1;
    expect((await look()).isComplete).toBe(false);
    clock += 1;
    expect((await look()).isComplete).toBe(true);
  });

  test('is false, with the archived events, when the live lookup fails', async () => {
    await roleAssumptionsIn(api.directory).save(id, assumption('a', 1));
    clock += 90 * minutes;
    expect(await look()).toEqual({ events: ['a'], isComplete: true });
    api.assumptionLookup.fault.error = new Error('no leave');
    expect(await look()).toEqual({ events: ['a'], isComplete: false });
  });

  test('is false when there were too many events to read', async () => {
    clock += 90 * minutes;
    api.assumptionLookup.fault.isCut = true;
    expect((await look()).isComplete).toBe(false);
  });
});
