import { setTimeout as pause } from 'node:timers/promises';
import type { RoleTier, SupportCase } from '../../../../contract/admin/support.ts';
import { noSessionGoesOn } from '../../../../contract/support-roles.ts';
import { ProviderRefusal } from '../../../../core/aws/provider-errors.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi, supportPrincipals } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';

type Api = Awaited<ReturnType<typeof adminApi>>;
const start = Date.parse('2026-11-21T12:00:00.000Z');
let clock: number;
let api: Api;
const now = () => new Date(clock);
/** A case that is open in every one of these tests, so that both roles are in use. */
let bystander: string;
beforeEach(async () => {
  clock = start - 60_000;
  api = await adminApi({ clock: now });
  bystander = await open({ allowed_tiers: ['DIAG', 'CONFIG_READ'] });
  clock = start;
});

const minute = 60;
const pass = (seconds: number) => { clock += seconds * 1000; };
const later = (seconds: number) => new Date(clock + seconds * 1000).toISOString();
const open = async (more: object = {}, to = api) => (await to.ok('/support/OpenSupportCase', { subject: 's', allowed_tiers: ['DIAG'], ...more }))['case_id'] as string;
const close = (case_id: string, to = api) => to.call('/support/CloseSupportCase', { case_id });
const setTiers = (case_id: string, allowed_tiers: readonly RoleTier[]) => api.ok('/support/SetSupportCaseTiers', { case_id, allowed_tiers });
const setUntil = (case_id: string, active_until: string) => api.ok('/support/SetSupportCaseActiveUntil', { case_id, active_until });
const list = () => api.ok('/support/ListSupportCases');
/** Begins a session now, by whichever case. @returns whether it goes on, whenever asked. */
const begin = (tier: RoleTier = 'DIAG', to = api) => {
  const issued = now();
  return () => to.supportRoles.goesOn(tier, { issued, at: now() });
};
const lets = (externalId: string) => api.supportRoles.lets('DIAG', { principal: supportPrincipals[0], externalId, at: now() });

describe('access that was revoked ends with its sessions', () => {
  test('closing ends what was begun before it, in each of the case’s tiers; what is begun later by another case goes on', async () => {
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

  test('a tier that is taken ends with its sessions, the other one goes on', async () => {
    const id = await open({ allowed_tiers: ['DIAG', 'CONFIG_READ'] });
    const [diag, config] = [begin(), begin('CONFIG_READ')];
    pass(minute);
    await setTiers(id, ['CONFIG_READ']);
    expect([diag(), config()]).toEqual([false, true]);
    await setTiers(id, []);
    expect(config()).toBe(false);
  });

  test.each([0, -2 * 3600])('deactivating it by a time %d seconds from now ends what was begun until now', async (seconds) => {
    const id = await open();
    pass(3 * 3600);
    const session = begin();
    pass(minute);
    await setUntil(id, later(seconds));
    expect(session()).toBe(false);
  });

  test('a lapse ends them without a call', async () => {
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

  test('a window that is shortened ends them sooner, one that is extended later', async () => {
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

describe('an end that is past', () => {
  test('holds when the same case comes back, and when it is closed long after', async () => {
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

  test('is not forgotten for an earlier one that is found later', async () => {
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

  test('holds whatever is done with other cases, for as long as a session of before can be left', async () => {
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

  test.each([['somebody took the policy away', null], ['somebody wrote another one', { Version: '2012-10-17', Statement: [] }]] as const)('is known from what is recorded: %s, and the next call puts it back', async (_, policy) => {
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

describe('while nobody has access by a tier', () => {
  /** As IAM does for some seconds: it lets in whom it no longer should. */
  const letInLate = begin;
  beforeEach(async () => {
    await close(bystander);
    pass(1);
  });

  test('no session goes on, whoever was let in since', async () => {
    expect(begin()()).toBe(false);
    const id = await open();
    const session = begin();
    expect([session(), begin('CONFIG_READ')()]).toEqual([true, false]);
    pass(minute);
    await close(id);
    expect(session()).toBe(false);
    pass(3);
    expect(letInLate()()).toBe(false);
    expect(api.supportRoles.sessions).toEqual({ DIAG: noSessionGoesOn, CONFIG_READ: noSessionGoesOn });
  });

  test('and none of before goes on when somebody has', async () => {
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

describe('races', () => {
  test('of closings that happen at once each ends its sessions, and none is lost', async () => {
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

  test('who looks while a case is closed gives nobody access back, not for a moment', async () => {
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

  test('somebody who wrote a role from older cases does not bring an ended session back', async () => {
    const id = await open();
    pass(minute);
    const session = begin();
    api.supportRoles.trouble.before = async () => {
      expect((await close(id)).status).toBe(200);
    };
    await open();
    expect(session()).toBe(false);
    expect(lets(id)).toBe(false);
  });
});

describe('IAM fails, or the process ends', () => {
  const down = Object.assign(new Error('slow'), { name: 'ThrottlingException' });

  test('closing: while a session may go on, the case is not closed on record', async () => {
    const id = await open();
    const session = begin();
    pass(minute);
    api.supportRoles.trouble.sessions = down;
    expect((await close(id)).status).toBe(503);
    expect(((await list())['cases'] as SupportCase[]).find(({ case_id: one }) => one === id)).toMatchObject({ status: 'open' });
    api.supportRoles.trouble.sessions = undefined;
    expect((await close(id)).status).toBe(200);
    expect(session()).toBe(false);
  });

  test.each([['in the same second', 0], ['longer', 3]])('closing: whoever was let in while IAM took %s to take it is out too', async (_, seconds) => {
    const id = await open();
    pass(minute);
    let late = begin();
    api.supportRoles.trouble.before = async () => {
      pass(seconds);
      late = begin();
    };
    expect((await close(id)).status).toBe(200);
    expect(late()).toBe(false);
    pass(1);
    expect(begin()()).toBe(true);
  });

  test('opening: nobody is let in whose session would not end with the case', async () => {
    api.supportRoles.trouble.sessions = down;
    const { status, body } = await api.call('/support/OpenSupportCase', { subject: 's', allowed_tiers: ['DIAG'] });
    expect(status).toBe(503);
    const id = /case_[A-Za-z0-9_-]{21}/.exec(body.message!)![0];
    expect(lets(id)).toBe(false);
    api.supportRoles.trouble.sessions = undefined;
    await list();
    expect(lets(id)).toBe(true);
  });

  test('a role that somebody gave policies of their own, so that ours has no room: refused in words', async () => {
    api.supportRoles.trouble.sessions = new ProviderRefusal('Maximum policy size of 10240 bytes exceeded');
    expect(await api.call('/support/OpenSupportCase', { subject: 's', allowed_tiers: ['DIAG'] })).toMatchObject({
      status: 400, body: { code: 'failed_precondition', message: expect.stringContaining('check the role for inline policies that were added by hand') },
    });
  });

  test('a window that is extended ends when it did before, as long as it is not recorded otherwise', async () => {
    const directory = memoryTable();
    const ending = await adminApi({ directory, clock: now });
    const id = await open({ activation_seconds: 300 }, ending);
    const session = begin('DIAG', ending);
    const writes = ending.supportRoles.written.length;
    directory.write = async () => {
      // The process ends when the roles have been written as far as they are before the record.
      await pause(5);
      ending.supportRoles.trouble.error = down;
      throw new Error('ended');
    };
    expect((await ending.call('/support/SetSupportCaseActiveUntil', { case_id: id, active_until: later(3600) })).status).toBe(500);
    expect(ending.supportRoles.written.length).toBeGreaterThan(writes);
    pass(299);
    expect(session()).toBe(true);
    pass(1);
    expect(session()).toBe(false);
  });

  test('an opening that is not recorded leaves the roles as they were', async () => {
    const directory = failingTable(memoryTable());
    const crashing = await adminApi({ directory, clock: now });
    directory.crashAtWrite(0, 'before');
    expect((await crashing.call('/support/OpenSupportCase', { subject: 's', allowed_tiers: ['DIAG'] })).status).toBe(500);
    expect(crashing.supportRoles.written.length).toBeGreaterThan(0);
    expect(crashing.supportRoles.sessions.DIAG).toEqual(noSessionGoesOn);
  });

  test.each(['before', 'after'] as const)('a crash %s closing is recorded leaves no session without an open case', async (when) => {
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
