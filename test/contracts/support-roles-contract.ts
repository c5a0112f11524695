import { trustOfNobody } from '../../contract/support-trust.ts';
import type { SupportRoles } from '../../lambdas/providers/support-roles.ts';
import { sameTrust, trustPolicy } from '../../lambdas/support/trust-policy.ts';

/** What any {@link SupportRoles} does, for roles that trust nobody at first. @param principal somebody who exists. */
export const supportRolesContract = (open: () => Promise<{ readonly roles: SupportRoles; readonly principal: string }>): void => {
  test('a role trusts whom it was told to trust last, and each role by itself', async () => {
    const { roles, principal } = await open();
    const policy = trustPolicy([{ externalId: 'case_1', until: new Date('2026-11-21T12:00:00Z') }, { externalId: 'case_2', until: new Date('2026-11-22T12:00:00Z') }], { principals: [principal], region: 'us-east-1' });
    await roles.setTrust('CONFIG_READ', trustOfNobody([]));
    await roles.setTrust('DIAG', policy);
    expect(sameTrust(await roles.trustOf('DIAG'), policy)).toBe(true);
    expect(sameTrust(await roles.trustOf('CONFIG_READ'), trustOfNobody([]))).toBe(true);
    await roles.setTrust('DIAG', trustOfNobody([]));
    expect(sameTrust(await roles.trustOf('DIAG'), trustOfNobody([]))).toBe(true);
  });
};
