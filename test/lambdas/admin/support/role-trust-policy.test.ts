import { maxTrustPolicyLength, trustWithoutCases } from '../../../../contract/deployment/support-roles.ts';
import { fitsTrustPolicyLimit, isSamePolicy, trustPolicy, type Grant } from '../../../../lambdas/admin/support/role-trust-policy.ts';

const supporters = { principals: ['arn:aws:iam::111122223333:role/supporters'], region: 'eu-central-1' };
const grant = (name: string, until = '2026-11-21T12:00:00.999Z'): Grant => ({ externalId: `case_${name.padStart(21, '0')}`, until: new Date(until) });

describe('a role’s trust policy', () => {
  test('has a statement for each case, by external id and by time to the second before, and none for other regions', () => {
    expect(trustPolicy([grant('b'), grant('a')], supporters)).toEqual({
      Version: '2012-10-17',
      Statement: [
        { Effect: 'Deny', Principal: { AWS: '*' }, Action: 'sts:AssumeRole', Condition: { StringNotEquals: { 'aws:RequestedRegion': 'eu-central-1' } } },
        ...['a', 'b'].map((name) => ({
          Effect: 'Allow',
          Principal: { AWS: supporters.principals },
          Action: 'sts:AssumeRole',
          Condition: { StringEquals: { 'sts:ExternalId': grant(name).externalId }, DateLessThan: { 'aws:CurrentTime': '2026-11-21T12:00:00Z' } },
        })),
      ],
    });
  });

  test('trusts no principal without a case or without supporters', () => {
    const nobody = { Version: '2012-10-17', Statement: [{ Effect: 'Deny', Principal: { AWS: '*' }, Action: 'sts:AssumeRole' }] };
    expect(trustPolicy([], supporters)).toEqual(nobody);
    expect(trustPolicy([grant('a')], { ...supporters, principals: [] })).toEqual(nobody);
  });

  test('has room for seven cases and one supporter, but not for eight cases', () => {
    const of = (count: number) =>
      trustPolicy(
        Array.from({ length: count }, (_, index) => grant(String(index))),
        supporters,
      );
    expect([6, 7, 8, 9].map((count) => fitsTrustPolicyLimit(of(count)))).toEqual([true, true, false, false]);
    expect(JSON.stringify(of(7)).length).toBeLessThanOrEqual(maxTrustPolicyLength);
  });

  test('equals IAM’s copy, with another order of keys and single values instead of lists', () => {
    const policy = trustPolicy([grant('a')], supporters);
    const [deny, allow] = policy.Statement;
    expect(
      isSamePolicy(
        {
          Statement: [{ Principal: { AWS: supporters.principals[0] }, Effect: 'Allow', Condition: allow!.Condition, Action: ['sts:AssumeRole'] }, deny],
          Version: '2012-10-17',
        },
        policy,
      ),
    ).toBe(true);
    for (const other of [
      trustPolicy([grant('b')], supporters),
      trustPolicy([grant('a', '2026-11-21T12:00:01Z')], supporters),
      trustWithoutCases([]),
      null,
      {},
    ]) {
      expect(isSamePolicy(other, policy)).toBe(false);
    }
  });

  test('in the template names the supporters but trusts none, so that other supporters change the template', () => {
    expect(trustWithoutCases(supporters.principals).Statement).toEqual([
      {
        Effect: 'Allow',
        Principal: { AWS: supporters.principals },
        Action: 'sts:AssumeRole',
        Condition: { DateLessThan: { 'aws:CurrentTime': '1970-01-01T00:00:00Z' } },
      },
    ]);
  });
});
