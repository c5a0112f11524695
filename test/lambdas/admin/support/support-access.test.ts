import { accessEndsAt, mayAssume, type CaseAccess } from '../../../../lambdas/admin/support/support-access.ts';

const until = '2026-11-21T12:00:00.000Z';
const at = (offset: number) => new Date(Date.parse(until) + offset);
const open: CaseAccess = { status: 'open', allowed_tiers: ['DIAG'], active_until: until };

describe('the access rule', () => {
  test.each([
    ['a millisecond before the end', open, 'DIAG', at(-1), true],
    ['at the end', open, 'DIAG', at(0), false],
    ['a millisecond after the end', open, 'DIAG', at(1), false],
    ['long before the end', open, 'DIAG', new Date(0), true],
    ['another tier than the case’s', open, 'CONFIG_READ', at(-1), false],
    ['a case without tiers', { ...open, allowed_tiers: [] }, 'DIAG', at(-1), false],
    ['a case with both tiers', { ...open, allowed_tiers: ['DIAG', 'CONFIG_READ'] }, 'CONFIG_READ', at(-1), true],
    ['a closed case that has neither lapsed nor lost its tier', { ...open, status: 'closed' }, 'DIAG', at(-1), false],
  ] as const)('%s', (_, access, tier, now, expected) => {
    expect(mayAssume(access, tier, now)).toBe(expected);
    expect(accessEndsAt(access, tier, now)).toBe(expected ? Date.parse(until) : 0);
  });
});
