import { setTimeout as pause } from 'node:timers/promises';
import type { RoleTier, SupportCase } from '../../../../contract/admin/support.ts';
import { allSessionsDenied } from '../../../../contract/deployment/support-roles.ts';
import { ProviderRefusal } from '../../../../core/aws/provider-errors.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi, supportPrincipals, type AdminApi } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';

const start = Date.parse('2026-11-21T12:00:00.000Z');
let clock: number;
let api: AdminApi;
const now = () => new Date(clock);
/** A case that is open in all of these tests, so that both roles are in use. */
let bystander: string;
beforeEach(async () => {
  clock = start - 60_000;
  api = await adminApi({ clock: now });
  bystander = await open({ allowed_tiers: ['DIAG', 'CONFIG_READ'] });
  clock = start;
});

const minute = 60;
const pass = (seconds: number) => {
  clock += seconds * 1000;
};
const later = (seconds: number) => new Date(clock + seconds * 1000).toISOString();
const open = async (more: object = {}, to = api) =>
  (await to.ok('/support/OpenSupportCase', { subject: 's', allowed_tiers: ['DIAG'], ...more }))['case_id'] as string;
const close = (case_id: string, to = api) => to.call('/support/CloseSupportCase', { case_id });
const setTiers = (case_id: string, allowed_tiers: readonly RoleTier[]) => api.ok('/support/SetSupportCaseTiers', { case_id, allowed_tiers });
const setUntil = (case_id: string, active_until: string) => api.ok('/support/SetSupportCaseActiveUntil', { case_id, active_until });
const list = () => api.ok('/support/ListSupportCases');
/** Begins a session at the current time. @returns a function that tests whether the session is still permitted. */
const begin = (tier: RoleTier = 'DIAG', to = api) => {
  const issued = now();
  return () => to.supportRoles.permitsSession(tier, { issued, at: now() });
};
const lets = (externalId: string) => api.supportRoles.permitsAssumption('DIAG', { principal: supportPrincipals[0], externalId, at: now() });

describe('revoking access ends its sessions', () => {
  test('CloseSupportCase ends earlier sessions of the case’s tiers; later sessions of another case continue', async () => {
    const id = await open({ allowed_tiers: ['DIAG', 'CONFIG_READ'] });
    const [diag, config] = [begin(), begin('CONFIG_READ')];
    pass(minute);
    expect([diag(), config()]).toEqual([true, true]);
    expect((await close(id)).status).toBe(200);
    expect([diag(), config()]).toEqual([false, false]);
    expect(begin()()).toBe(false);
    pass(1);
    const other = begin();
    pass(10 * minute);
    expect([other(), diag()]).toEqual([true, false]);
  });

  test('SetSupportCaseTiers ends sessions of a removed tier; the other tier’s continue', async () => {
    const id = await open({ allowed_tiers: ['DIAG', 'CONFIG_READ'] });
    const [diag, config] = [begin(), begin('CONFIG_READ')];
    pass(minute);
    await setTiers(id, ['CONFIG_READ']);
    expect([diag(), config()]).toEqual([false, true]);
    await setTiers(id, []);
    expect(config()).toBe(false);
  });

  test.each([0, -2 * 3600])('SetSupportCaseActiveUntil with a time %d seconds from now ends the sessions issued until now', async (seconds) => {
    const id = await open();
    pass(3 * 3600);
    const session = begin();
    pass(minute);
    await setUntil(id, later(seconds));
    expect(session()).toBe(false);
  });

  test('a lapse ends sessions without a call', async () => {
    await open({ activation_seconds: 300 });
    pass(299);
    const session = begin();
    const writes = api.supportRoles.written.length;
    clock = start + 300_000 - 1;
    expect(session()).toBe(true);
    clock += 1;
    expect(session()).toBe(false);
    expect(api.supportRoles.written.length).toBe(writes);
  });

  test('a shortened window ends sessions sooner, an extended one later', async () => {
    const id = await open({ activation_seconds: 3000 });
    pass(minute);
    const session = begin();
    await setUntil(id, later(600));
    pass(599);
    expect(session()).toBe(true);
    await setUntil(id, later(1200));
    pass(1199);
    expect(session()).toBe(true);
    pass(1);
    expect(session()).toBe(false);
  });
});

describe('a past end of sessions', () => {
  test('remains after the case is reactivated, and after it is closed later', async () => {
    const id = await open({ activation_seconds: 300 });
    const before = begin();
    pass(310);
    await setUntil(id, later(1200));
    expect(before()).toBe(false);
    const after = begin();
    pass(1230);
    await close(id);
    expect([before(), after()]).toEqual([false, false]);
    const other = begin();
    await open();
    expect(other()).toBe(true);
  });

  test('is kept when an earlier end is found later', async () => {
    const lapsed = await open({ activation_seconds: 300 });
    const closed = await open();
    pass(400);
    const session = begin();
    pass(minute);
    await close(closed);
    pass(minute);
    await close(lapsed);
    expect(session()).toBe(false);
  });

  test('remains through changes of other cases, while an earlier session can exist', async () => {
    const [first, second] = [await open(), await open()];
    pass(minute);
    const session = begin();
    await close(first);
    pass(1);
    const next = begin();
    for (const act of [() => open(), () => setTiers(second, ['CONFIG_READ', 'DIAG']), () => list(), () => setUntil(second, later(3600 * 24))]) {
      pass(minute);
      await act();
      expect([session(), next()]).toEqual([false, true]);
    }
    const statements = () => api.supportRoles.sessions.DIAG!.Statement.length;
    const before = statements();
    pass(56 * minute);
    await list();
    expect(statements()).toBe(before);
    pass(5 * minute);
    await list();
    expect(statements()).toBe(before - 1);
  });

  test.each([
    ['the policy was deleted', null],
    ['the policy was replaced', { Version: '2012-10-17', Statement: [] }],
  ] as const)('is restored from the record by the next call: %s', async (_, policy) => {
    const id = await open();
    pass(minute);
    const session = begin();
    await close(id);
    const written = api.supportRoles.sessions.DIAG;
    api.supportRoles.sessions.DIAG = policy;
    expect(session()).toBe(true);
    await list();
    expect(session()).toBe(false);
    expect(api.supportRoles.sessions.DIAG).toEqual(written);
    const writes = api.supportRoles.written.length;
    await list();
    expect(api.supportRoles.written.length).toBe(writes);
  });
});

describe('a tier without access', () => {
  /** The role accepts revoked cases for some seconds, as IAM does. */
  const letInLate = begin;
  beforeEach(async () => {
    await close(bystander);
    pass(1);
  });

  test('denies every session, including later ones', async () => {
    expect(begin()()).toBe(false);
    const id = await open();
    const session = begin();
    expect([session(), begin('CONFIG_READ')()]).toEqual([true, false]);
    pass(minute);
    await close(id);
    expect(session()).toBe(false);
    pass(3);
    expect(letInLate()()).toBe(false);
    expect(api.supportRoles.sessions).toEqual({ DIAG: allSessionsDenied, CONFIG_READ: allSessionsDenied });
  });

  test('keeps earlier sessions denied once a case grants access', async () => {
    const id = await open();
    pass(minute);
    await close(id);
    pass(3);
    const late = letInLate();
    pass(1);
    await open();
    expect([late(), begin()()]).toEqual([false, true]);
  });
});

describe('concurrent changes and sessions', () => {
  test('concurrent closings each end their sessions', async () => {
    for (let round = 0; round < 10; round++) {
      const ids = [await open(), await open({ allowed_tiers: ['DIAG', 'CONFIG_READ'] }), await open({ allowed_tiers: ['CONFIG_READ'] })];
      pass(minute);
      const sessions = [begin(), begin('CONFIG_READ')];
      const [answers] = await Promise.all([Promise.all(ids.map((id) => close(id))), list()]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(sessions.map((goesOn) => goesOn())).toEqual([false, false]);
      pass(1);
    }
  });

  test('a repair during a closing never restores access', async () => {
    const id = await open();
    const { readPolicies } = api.supportRoles;
    let closed = Infinity;
    api.supportRoles.readPolicies = async (tier) => {
      api.supportRoles.readPolicies = readPolicies;
      await close(id);
      closed = api.supportRoles.written.length;
      return readPolicies(tier);
    };
    pass(minute);
    await list();
    expect(closed).toBeLessThan(Infinity);
    expect(api.supportRoles.written.slice(closed)).toEqual([]);
  });

  test('a call that wrote a role from older cases does not revive an ended session', async () => {
    const id = await open();
    pass(minute);
    const session = begin();
    api.supportRoles.fault.before = async () => {
      expect((await close(id)).status).toBe(200);
    };
    await open();
    expect(session()).toBe(false);
    expect(lets(id)).toBe(false);
  });
});

describe('sessions when IAM fails or the Lambda dies', () => {
  const down = Object.assign(new Error('slow'), { name: 'ThrottlingException' });

  test('CloseSupportCase does not record the closing while a session continues', async () => {
    const id = await open();
    const session = begin();
    pass(minute);
    api.supportRoles.fault.sessions = down;
    expect((await close(id)).status).toBe(503);
    expect(((await list())['cases'] as SupportCase[]).find(({ case_id: one }) => one === id)).toMatchObject({ status: 'open' });
    api.supportRoles.fault.sessions = undefined;
    expect((await close(id)).status).toBe(200);
    expect(session()).toBe(false);
  });

  test.each([
    ['in the same second', 0],
    ['longer', 3],
  ])('CloseSupportCase ends sessions that were issued while IAM applied the revocation, %s', async (_, seconds) => {
    const id = await open();
    pass(minute);
    let late = begin();
    api.supportRoles.fault.before = async () => {
      pass(seconds);
      late = begin();
    };
    expect((await close(id)).status).toBe(200);
    expect(late()).toBe(false);
    pass(1);
    expect(begin()()).toBe(true);
  });

  test('OpenSupportCase grants no access while the session’s end can’t be set', async () => {
    api.supportRoles.fault.sessions = down;
    const { status, body } = await api.call('/support/OpenSupportCase', { subject: 's', allowed_tiers: ['DIAG'] });
    expect(status).toBe(503);
    const id = /case_[A-Za-z0-9_-]{21}/.exec(body.message!)![0];
    expect(lets(id)).toBe(false);
    api.supportRoles.fault.sessions = undefined;
    await list();
    expect(lets(id)).toBe(true);
  });

  test('OpenSupportCase is refused with a reason when manually added inline policies leave no room', async () => {
    api.supportRoles.fault.sessions = new ProviderRefusal('Maximum policy size of 10240 bytes exceeded');
    expect(await api.call('/support/OpenSupportCase', { subject: 's', allowed_tiers: ['DIAG'] })).toMatchObject({
      status: 400,
      body: { code: 'failed_precondition', message: expect.stringContaining('check the role for inline policies that were added by hand') },
    });
  });

  test('an extended window ends as before until the extension is recorded', async () => {
    const directory = memoryTable();
    const ending = await adminApi({ directory, clock: now });
    const id = await open({ activation_seconds: 300 }, ending);
    const session = begin('DIAG', ending);
    const writes = ending.supportRoles.written.length;
    directory.write = async () => {
      // The process ends when the roles have been written as far as they are before the record.
      await pause(5);
      ending.supportRoles.fault.error = down;
      throw new Error('ended');
    };
    expect((await ending.call('/support/SetSupportCaseActiveUntil', { case_id: id, active_until: later(3600) })).status).toBe(500);
    expect(ending.supportRoles.written.length).toBeGreaterThan(writes);
    pass(299);
    expect(session()).toBe(true);
    pass(1);
    expect(session()).toBe(false);
  });

  test('an opening that is not recorded leaves the roles unchanged', async () => {
    const directory = failingTable(memoryTable());
    const crashing = await adminApi({ directory, clock: now });
    directory.crashAtWrite(0, 'before');
    expect((await crashing.call('/support/OpenSupportCase', { subject: 's', allowed_tiers: ['DIAG'] })).status).toBe(500);
    expect(crashing.supportRoles.written.length).toBeGreaterThan(0);
    expect(crashing.supportRoles.sessions.DIAG).toEqual(allSessionsDenied);
  });

  test.each(['before', 'after'] as const)('a crash %s the closing is recorded leaves no session without an open case', async (when) => {
    const directory = failingTable(memoryTable());
    const crashing = await adminApi({ directory, clock: now });
    const id = await open({}, crashing);
    pass(minute);
    const session = begin('DIAG', crashing);
    directory.crashAtWrite(0, when);
    expect((await close(id, crashing)).status).toBeGreaterThanOrEqual(500);
    expect(session()).toBe(when === 'before');
    directory.recover();
    const [{ status } = {}] = (await crashing.ok('/support/ListSupportCases'))['cases'] as SupportCase[];
    expect(status).toBe(when === 'before' ? 'open' : 'closed');
    expect((await close(id, crashing)).status).toBe(200);
    expect(session()).toBe(false);
  });
});
