import { setTimeout as pause } from 'node:timers/promises';
import type { CaseFields } from '../../../../core/directory/support-cases.ts';
import { supportRoleSync } from '../../../../lambdas/admin/support/support-role-sync.ts';
import { memorySupportRoles } from '../../../fakes/memory-support-roles.ts';

test('scheduleSessionEnds waits for every write also when one fails, so that no late write overwrites another call’s policy', async () => {
  const now = new Date('2026-11-21T08:00:00Z');
  const noAccess = { open: [], ended: undefined };
  const opened: CaseFields = {
    case_id: 'case_1',
    external_id: 'case_1',
    status: 'open',
    subject: 'Help',
    allowed_tiers: ['DIAG', 'CONFIG_READ'],
    active_until: '2026-11-21T09:00:00.000Z',
    opened_at: now.toISOString(),
    opened_by: 'user_1',
  };
  const roles = memorySupportRoles();
  const setSessions = roles.setSessions.bind(roles);
  roles.setSessions = async (tier, policy) => {
    if (tier === 'DIAG') throw new Error('IAM failed');
    await pause(20);
    await setSessions(tier, policy);
  };
  const sync = supportRoleSync({
    cases: {
      findAccess: async () => {
        throw new Error('not called');
      },
    },
    roles,
    supporters: { principals: ['arn:aws:iam::111122223333:root'], region: 'us-east-1' },
    clock: () => now,
  });
  const change = sync.planChange({ revision: 0, tiers: { DIAG: noAccess, CONFIG_READ: noAccess } }, undefined, opened, now);
  await change.scheduleSessionEnds();
  expect(roles.written.map(({ tier }) => tier)).toEqual(['CONFIG_READ']);
});
