import { allSessionsDenied, trustWithoutCases } from '../../contract/deployment/support-roles.ts';
import type { SupportRoles } from '../../core/aws/iam-support-roles.ts';
import { endedSessionsPolicy, maxFutureEnds } from '../../lambdas/admin/support/ended-sessions-policy.ts';
import { isSamePolicy, trustPolicy } from '../../lambdas/admin/support/role-trust-policy.ts';

/** The specification of {@link SupportRoles}, for roles without grants. @param principal an existing principal. */
export const supportRolesSuite = (open: () => Promise<{ readonly roles: SupportRoles; readonly principal: string }>): void => {
  test('setTrust replaces the trust policy of one role', async () => {
    const { roles, principal } = await open();
    const policy = trustPolicy(
      [
        { externalId: 'case_1', until: new Date('2026-11-21T12:00:00Z') },
        { externalId: 'case_2', until: new Date('2026-11-22T12:00:00Z') },
      ],
      { principals: [principal], region: 'us-east-1' },
    );
    await roles.setTrust('CONFIG_READ', trustWithoutCases([]));
    await roles.setTrust('DIAG', policy);
    expect(isSamePolicy((await roles.readPolicies('DIAG')).trust, policy)).toBe(true);
    expect(isSamePolicy((await roles.readPolicies('CONFIG_READ')).trust, trustWithoutCases([]))).toBe(true);
    await roles.setTrust('DIAG', trustWithoutCases([]));
    expect(isSamePolicy((await roles.readPolicies('DIAG')).trust, trustWithoutCases([]))).toBe(true);
  });

  test('setSessions replaces the policy of ended sessions of one role, with the maximum of ends', async () => {
    const { roles } = await open();
    const now = Date.parse('2026-11-21T12:00:00Z');
    const untils = Array.from({ length: 2 * maxFutureEnds }, (_, index) => new Date(now + index * 60_000).toISOString());
    const policy = endedSessionsPolicy(
      { open: untils.map((until, index) => ({ case_id: `case_${index}`, active_until: until })), ended: undefined },
      new Date(now),
    );
    await roles.setSessions('CONFIG_READ', allSessionsDenied);
    await roles.setSessions('DIAG', policy);
    expect(isSamePolicy((await roles.readPolicies('DIAG')).sessions, policy)).toBe(true);
    expect(isSamePolicy((await roles.readPolicies('CONFIG_READ')).sessions, allSessionsDenied)).toBe(true);
    await roles.setSessions('DIAG', allSessionsDenied);
    expect(isSamePolicy((await roles.readPolicies('DIAG')).sessions, allSessionsDenied)).toBe(true);
  });
};
