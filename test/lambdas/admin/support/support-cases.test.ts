import type { RoleTier, SupportCase } from '../../../../contract/admin/support.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi, supportPrincipals, type AdminApi } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';

const start = Date.parse('2026-11-21T12:00:00.000Z');
let clock: number;
let api: AdminApi;
const now = () => new Date(clock);
beforeEach(async () => {
  clock = start;
  api = await adminApi({ clock: now });
});

const later = (seconds: number) => new Date(clock + seconds * 1000).toISOString();
const open = async (more: object = {}, to = api) =>
  (await to.ok('/support/OpenSupportCase', { subject: 'Mail is slow', allowed_tiers: ['DIAG'], ...more }))['case_id'] as string;
const close = (case_id: string, to = api) => to.call('/support/CloseSupportCase', { case_id });
const setTiers = (case_id: string, allowed_tiers: readonly RoleTier[], more: object = {}) =>
  api.call('/support/SetSupportCaseTiers', { case_id, allowed_tiers, ...more });
const setUntil = (case_id: string, active_until: string) => api.call('/support/SetSupportCaseActiveUntil', { case_id, active_until });
const list = async (to = api) => (await to.ok('/support/ListSupportCases'))['cases'] as SupportCase[];
const find = async (case_id: string, to = api) => (await list(to)).find((one) => one.case_id === case_id)!;
const lets = (tier: RoleTier, externalId: string, { at = now(), to = api }: { at?: Date; to?: AdminApi } = {}) =>
  to.supportRoles.permitsAssumption(tier, { principal: supportPrincipals[0], externalId, at });
const pointers = async (tier: RoleTier) => (await api.directory.query({ pk: `support-tier#${tier}` })).map(({ sk }) => sk);
const entries = async (operation: string, to = api) =>
  (await to.ok('/audit/ListAuditLogs', { operation: `support/${operation}` }))['audit_logs'] as {
    status: string;
    error_msg?: string;
    changes: unknown[];
    entity_id: string;
  }[];
const day = 86_400;

describe('OpenSupportCase', () => {
  test('returns the case id, which is the external id, and grants access by its tiers for three days', async () => {
    const id = await open({ description: 'Since\nMonday' });
    expect(id).toMatch(/^case_[A-Za-z0-9_-]{21}$/);
    expect(await list()).toEqual([
      {
        case_id: id,
        external_id: id,
        status: 'open',
        subject: 'Mail is slow',
        description: 'Since\nMonday',
        allowed_tiers: ['DIAG'],
        active_until: later(3 * day),
        opened_at: now().toISOString(),
        opened_by: 'user_admin',
      },
    ]);
    expect(lets('DIAG', id)).toBe(true);
    expect(lets('CONFIG_READ', id)).toBe(false);
    expect(lets('DIAG', `${id}x`)).toBe(false);
    expect(await pointers('DIAG')).toEqual([id]);
    expect(await entries('Open')).toMatchObject([
      {
        status: 'success',
        entity_id: id,
        entity_name: 'Mail is slow',
        changes: [{ field: 'status', new_value: 'open' }, {}, { field: 'allowed_tiers', new_value: '["DIAG"]' }, {}],
      },
    ]);
  });

  test('grants no access without tiers until SetSupportCaseTiers', async () => {
    const id = await open({ allowed_tiers: [] });
    expect(await find(id)).toMatchObject({ status: 'open', allowed_tiers: [] });
    expect(api.supportRoles.written).toEqual([]);
    expect((await setTiers(id, ['CONFIG_READ'])).status).toBe(200);
    expect(lets('CONFIG_READ', id)).toBe(true);
    expect(lets('DIAG', id)).toBe(false);
  });

  test.each([
    [300, 200],
    [604_800, 200],
    [299, 400],
    [604_801, 400],
  ])('with activation_seconds %d returns status %d', async (activation_seconds, status) => {
    expect((await api.call('/support/OpenSupportCase', { subject: 's', allowed_tiers: ['DIAG'], activation_seconds })).status).toBe(status);
    if (status === 200) expect((await list())[0]!.active_until).toBe(later(activation_seconds));
    else expect(await list()).toEqual([]);
  });

  test('stores a repeated tier once', async () => {
    expect(await find(await open({ allowed_tiers: ['DIAG', 'ROLE_TIER_DIAG', 'CONFIG_READ'] }))).toMatchObject({ allowed_tiers: ['CONFIG_READ', 'DIAG'] });
  });
});

describe('CloseSupportCase', () => {
  test('revokes access and keeps the history', async () => {
    const id = await open({ allowed_tiers: ['DIAG', 'CONFIG_READ'] });
    const other = await open();
    clock += 1000;
    expect(await close(id)).toMatchObject({ status: 200, body: {} });
    expect([lets('DIAG', id), lets('CONFIG_READ', id), lets('DIAG', other)]).toEqual([false, false, true]);
    expect(await find(id)).toMatchObject({ status: 'closed', allowed_tiers: ['CONFIG_READ', 'DIAG'], closed_at: now().toISOString(), closed_by: 'user_admin' });
    expect([await pointers('DIAG'), await pointers('CONFIG_READ')]).toEqual([[other], []]);
  });

  test('does nothing for a closed case', async () => {
    const id = await open();
    await close(id);
    const closed = await find(id);
    clock += 60_000;
    expect(await close(id)).toMatchObject({ status: 200, body: {} });
    expect(await find(id)).toEqual(closed);
    expect(await entries('Close')).toMatchObject([
      { status: 'success', changes: [] },
      { status: 'success', changes: [{ field: 'status', old_value: 'open', new_value: 'closed' }] },
    ]);
  });

  test('makes the case refuse tiers and active_until', async () => {
    const id = await open();
    await close(id);
    for (const answer of [await setTiers(id, ['DIAG']), await setUntil(id, later(60))]) {
      expect(answer).toMatchObject({ status: 400, body: { code: 'failed_precondition', message: 'the case is closed; open another one' } });
    }
    expect(lets('DIAG', id)).toBe(false);
  });
});

describe('SetSupportCaseTiers', () => {
  test('treats an absent list, as proto3 writes an empty one, as no tiers', async () => {
    const id = await open();
    expect(await api.ok('/support/SetSupportCaseTiers', { case_id: id })).toMatchObject({ case: { case_id: id, status: 'open', allowed_tiers: [] } });
    expect(lets('DIAG', id)).toBe(false);
  });

  test('grants access by added tiers, revokes it for removed ones, and keeps the window', async () => {
    const id = await open();
    const until = (await find(id)).active_until;
    clock += 60_000;
    const { body } = await setTiers(id, ['CONFIG_READ']);
    expect(body['case']).toMatchObject({ case_id: id, status: 'open', allowed_tiers: ['CONFIG_READ'], active_until: until });
    expect([await pointers('DIAG'), await pointers('CONFIG_READ')]).toEqual([[], [id]]);
    expect([lets('DIAG', id), lets('CONFIG_READ', id)]).toEqual([false, true]);
  });

  test('with an empty list revokes access and keeps the case open', async () => {
    const id = await open();
    expect((await setTiers(id, [])).body['case']).toMatchObject({ status: 'open', allowed_tiers: [] });
    expect(lets('DIAG', id)).toBe(false);
  });

  test('reactivates a lapsed case for a day, with the same id', async () => {
    const id = await open({ activation_seconds: 300 });
    clock += 300_000;
    expect((await setTiers(id, ['DIAG'])).body['case']).toMatchObject({ case_id: id, external_id: id, active_until: later(day) });
    expect(lets('DIAG', id)).toBe(true);
  });

  test('with an empty list keeps a lapsed case lapsed, and counts given seconds from now', async () => {
    const id = await open({ activation_seconds: 300 });
    const until = (await find(id)).active_until;
    clock += 400_000;
    expect((await setTiers(id, [])).body['case']).toMatchObject({ active_until: until });
    expect((await setTiers(id, ['DIAG'], { activation_seconds: 600 })).body['case']).toMatchObject({ active_until: later(600) });
    expect((await setTiers(id, ['DIAG'], { activation_seconds: 300 })).body['case']).toMatchObject({ active_until: later(300) });
    expect(lets('DIAG', id, { at: new Date(clock + 299_999) })).toBe(true);
    expect(lets('DIAG', id, { at: new Date(clock + 300_000) })).toBe(false);
  });
});

describe('SetSupportCaseActiveUntil', () => {
  test('extends the window to at most seven days from now', async () => {
    const id = await open();
    expect((await setUntil(id, later(7 * day))).body['case']).toMatchObject({ active_until: later(7 * day) });
    expect(await setUntil(id, new Date(clock + 7 * day * 1000 + 1).toISOString())).toMatchObject({
      status: 400,
      body: { code: 'invalid_argument', message: 'active_until must be at most 7 days from now' },
    });
    expect(await find(id)).toMatchObject({ active_until: later(7 * day) });
    expect(lets('DIAG', id, { at: new Date(clock + 6.9 * day * 1000) })).toBe(true);
  });

  test('deactivates the case with the current time, and reactivates it with the same id, external id and tiers', async () => {
    const id = await open({ allowed_tiers: ['DIAG', 'CONFIG_READ'] });
    expect((await setUntil(id, now().toISOString())).body['case']).toMatchObject({
      status: 'open',
      allowed_tiers: ['CONFIG_READ', 'DIAG'],
      active_until: now().toISOString(),
    });
    expect([lets('DIAG', id), lets('CONFIG_READ', id)]).toEqual([false, false]);
    expect((await setUntil(id, later(60))).body['case']).toMatchObject({ case_id: id, external_id: id, allowed_tiers: ['CONFIG_READ', 'DIAG'] });
    expect([lets('DIAG', id), lets('CONFIG_READ', id)]).toEqual([true, true]);
  });

  test('a lapse ends access without a call; the case stays open, and the next call updates the roles', async () => {
    const id = await open({ activation_seconds: 300 });
    const writes = api.supportRoles.written.length;
    clock += 300_000;
    expect(lets('DIAG', id)).toBe(false);
    expect(api.supportRoles.written.length).toBe(writes);
    expect(await find(id)).toMatchObject({ status: 'open', allowed_tiers: ['DIAG'] });
    expect(api.supportRoles.trusted.DIAG.Statement).toMatchObject([{ Effect: 'Deny', Principal: { AWS: '*' } }]);
  });

  test('applies a shorter window immediately', async () => {
    const id = await open();
    await setUntil(id, later(60));
    expect(lets('DIAG', id, { at: new Date(clock + 60_000) })).toBe(false);
    expect(lets('DIAG', id, { at: new Date(clock + 59_000) })).toBe(true);
  });
});

test('an unknown support case is not_found, and audited', async () => {
  for (const answer of [
    await close('case_x'),
    await setTiers('acc_1', []),
    await setUntil('case_x', later(1)),
    await api.call('/support/ListSupportRoleAssumptions', { case_id: 'case_x' }),
  ]) {
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found', message: 'there is no such support case' } });
  }
  expect(await entries('Close')).toMatchObject([{ status: 'failure', entity_id: 'case_x', error_msg: 'there is no such support case' }]);
});

test('ListSupportCases returns the newest case first', async () => {
  const ids = [];
  for (let count = 0; count < 3; count++) {
    ids.unshift(await open());
    clock += 1000;
  }
  expect((await list()).map(({ case_id: id }) => id)).toEqual(ids);
});

describe('the limit of cases in a trust policy', () => {
  test('refuses one more case with a reason and does not record it; a lapsed or closed case makes room', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 7; count++) ids.push(await open({ activation_seconds: 300 + count }));
    const refused = await api.call('/support/OpenSupportCase', { subject: 's', allowed_tiers: ['CONFIG_READ', 'DIAG'] });
    expect(refused).toMatchObject({
      status: 400,
      body: { code: 'failed_precondition', message: expect.stringContaining('the role for DIAG has no room for another case') },
    });
    expect(await list()).toHaveLength(7);
    clock += 300_000;
    const next = await open();
    expect(lets('DIAG', next)).toBe(true);
    expect((await setUntil(ids[0]!, later(60))).status).toBe(400);
    await close(ids[6]!);
    expect((await setUntil(ids[0]!, later(60))).status).toBe(200);
  });

  test('holds for cases that are opened concurrently, and every recorded case has its access', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => api.call('/support/OpenSupportCase', { subject: 's', allowed_tiers: ['DIAG'] })));
    const opened = answers.filter(({ status }) => status === 200);
    expect(opened.length).toBeLessThanOrEqual(7);
    expect(answers.every(({ status }) => [200, 400, 409].includes(status))).toBe(true);
    const cases = await list();
    expect(cases).toHaveLength(opened.length);
    for (const { case_id: id } of cases) expect(lets('DIAG', id)).toBe(true);
  });
});

describe('concurrent changes of support cases', () => {
  test('two admins close a case concurrently: one call closes it, the other finds it closed', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await open();
      const answers = await Promise.all([close(id), close(id)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(lets('DIAG', id)).toBe(false);
    }
    const closings = (await entries('Close')).filter(({ changes }) => changes.length > 0);
    expect(closings).toHaveLength(10);
  });

  test('the roles match the record after concurrent changes of tiers, window and status', async () => {
    for (let round = 0; round < 15; round++) {
      const id = await open();
      await Promise.all([setTiers(id, ['CONFIG_READ']), setUntil(id, later(3600)), setTiers(id, ['DIAG', 'CONFIG_READ']), ...(round % 2 ? [close(id)] : [])]);
      const { status, allowed_tiers: tiers = [] } = await find(id);
      for (const tier of ['DIAG', 'CONFIG_READ'] as const) expect(lets(tier, id)).toBe(status === 'open' && tiers.includes(tier));
      await close(id);
    }
  });

  test('a call that wrote a role from older cases reads again and corrects it', async () => {
    const id = await open();
    api.supportRoles.fault.before = async () => {
      expect((await close(id)).status).toBe(200);
    };
    const other = await open();
    expect([lets('DIAG', id), lets('DIAG', other)]).toEqual([false, true]);
  });
});

describe('support cases when IAM fails or the Lambda dies', () => {
  const down = Object.assign(new Error('slow'), { name: 'ThrottlingException' });

  test('CloseSupportCase does not record the closing while the role trusts the case', async () => {
    const id = await open();
    api.supportRoles.fault.error = down;
    expect(await close(id)).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(await find(id)).toMatchObject({ status: 'open' });
    expect(await entries('Close')).toMatchObject([{ status: 'failure' }]);
    api.supportRoles.fault.error = undefined;
    expect((await close(id)).status).toBe(200);
    expect(lets('DIAG', id)).toBe(false);
  });

  test('OpenSupportCase returns an error with the case id, and the next call grants access', async () => {
    api.supportRoles.fault.error = down;
    const { status, body } = await api.call('/support/OpenSupportCase', { subject: 's', allowed_tiers: ['DIAG'] });
    expect(status).toBe(503);
    const id = /case_[A-Za-z0-9_-]{21}/.exec(body.message!)![0];
    expect(await find(id)).toMatchObject({ status: 'open' });
    expect(await entries('Open')).toMatchObject([{ status: 'failure', entity_id: id }]);
    expect(lets('DIAG', id)).toBe(false);
    api.supportRoles.fault.error = undefined;
    await list();
    expect(lets('DIAG', id)).toBe(true);
  });

  test('reading methods succeed and log the failure', async () => {
    const id = await open();
    api.supportRoles.trusted.DIAG = api.supportRoles.trusted.CONFIG_READ;
    api.supportRoles.fault.error = down;
    expect(await list()).toHaveLength(1);
    expect((await api.call('/support/ListSupportRoleAssumptions', { case_id: id })).status).toBe(200);
    expect(JSON.stringify(api.log.records)).toContain('the support roles could not be repaired');
  });

  test.each(['/support/ListSupportCases', '/support/OpenSupportCase', '/support/CloseSupportCase'])(
    '%s repairs a role that was changed by hand',
    async (path) => {
      const [id, other] = [await open(), await open()];
      api.supportRoles.trusted.DIAG = api.supportRoles.trusted.CONFIG_READ;
      expect(lets('DIAG', id)).toBe(false);
      await api.ok(
        path,
        path.endsWith('Open') || path.endsWith('OpenSupportCase') ? { subject: 's' } : path.endsWith('CloseSupportCase') ? { case_id: other } : {},
      );
      expect(lets('DIAG', id)).toBe(true);
    },
  );

  test('a principal that does not exist is refused with a reason, the role trusts no principal, and CloseSupportCase works', async () => {
    const id = await open();
    const other = await open({ activation_seconds: 600 });
    api.supportRoles.fault.missingPrincipal = 'supporters';
    expect(await setUntil(id, later(3600 * 24 * 5))).toMatchObject({
      status: 400,
      body: { code: 'failed_precondition', message: expect.stringContaining('supportPrincipals') },
    });
    expect(lets('DIAG', other)).toBe(false);
    await close(id);
    expect(await find(id)).toMatchObject({ status: 'closed' });
    expect((await close(other)).status).toBe(200);
  });

  test.each([
    ['before', 0],
    ['after', 0],
  ] as const)('a crash %s write %d of CloseSupportCase leaves no access without an open case', async (when, write) => {
    const directory = failingTable(memoryTable());
    const crashing = await adminApi({ directory, clock: now });
    const id = await open({}, crashing);
    directory.crashAtWrite(write, when);
    expect((await close(id, crashing)).status).toBeGreaterThanOrEqual(500);
    directory.recover();
    const { status } = await find(id, crashing);
    expect(status).toBe(when === 'before' ? 'open' : 'closed');
    expect(lets('DIAG', id, { to: crashing })).toBe(status === 'open');
    expect((await close(id, crashing)).status).toBe(200);
    expect(lets('DIAG', id, { to: crashing })).toBe(false);
  });
});
