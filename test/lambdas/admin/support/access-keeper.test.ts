import { setTimeout as pause } from 'node:timers/promises';
import { accessKeeper } from '../../../../lambdas/admin/support/access-keeper.ts';
import type { CaseFields } from '../../../../core/directory/support-cases.ts';
import { memorySupportRoles } from '../../../fakes/memory-support-roles.ts';

test('what is begun ahead of a record has ended when it failed, so that no late write undoes what somebody else settled', async () => {
  const now = new Date('2026-11-21T08:00:00Z');
  const nobody = { open: [], ended: undefined };
  const opened: CaseFields = {
    case_id: 'case_1', external_id: 'case_1', status: 'open', subject: 'Help', allowed_tiers: ['DIAG', 'CONFIG_READ'],
    active_until: '2026-11-21T09:00:00.000Z', opened_at: now.toISOString(), opened_by: 'user_1',
  };
  const roles = memorySupportRoles();
  const setSessions = roles.setSessions.bind(roles);
  roles.setSessions = async (tier, policy) => {
    if (tier === 'DIAG') throw new Error('IAM is away');
    await pause(20);
    await setSessions(tier, policy);
  };
  const keeper = accessKeeper({
    cases: { findAccess: async () => { throw new Error('not asked'); } }, roles, supporters: { principals: ['arn:aws:iam::111122223333:root'], region: 'us-east-1' }, clock: () => now,
  });
  const change = keeper.change({ revision: 0, tiers: { DIAG: nobody, CONFIG_READ: nobody } }, undefined, opened, now);
  await change.foresee();
  expect(roles.written.map(({ tier }) => tier)).toEqual(['CONFIG_READ']);
});
