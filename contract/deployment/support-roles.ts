/**
 * A statement of the inline policy that ends sessions of a support role. The template creates a policy that denies
 * every session. The support Lambda writes the ends of access into it.
 */
export type SessionsStatement = {
  readonly Effect: 'Deny';
  readonly Action: '*';
  readonly Resource: '*';
  readonly Condition?: {
    readonly DateLessThan: { readonly 'aws:TokenIssueTime': string };
    readonly DateGreaterThanEquals: { readonly 'aws:CurrentTime': string };
  };
};
export type SessionsPolicy = { readonly Version: '2012-10-17'; readonly Statement: readonly SessionsStatement[] };

/** The name of the policy in each role. */
export const sessionsPolicyName = 'ended-sessions';

/** Maximum seconds of a support role's session, which is the shortest maximum that AWS permits for a role. */
export const maxSessionSeconds = 3600;

/** Maximum characters of all inline policies of a role, without white space (IAM and AWS STS character limits). */
export const maxInlinePolicyLength = 10_240;

/** The policy of a role that grants no access. */
export const allSessionsDenied: SessionsPolicy = { Version: '2012-10-17', Statement: [{ Effect: 'Deny', Action: '*', Resource: '*' }] };

/**
 * A statement of a support role's trust policy: who may assume the role. `lib/` writes the policy of a role without
 * cases, and the support Lambda writes the policy for the open cases.
 */
export type TrustStatement = {
  readonly Effect: 'Allow' | 'Deny';
  readonly Principal: { readonly AWS: string | readonly string[] };
  readonly Action: 'sts:AssumeRole';
  readonly Condition?: { readonly [operator: string]: { readonly [key: string]: string } };
};
export type TrustPolicy = { readonly Version: '2012-10-17'; readonly Statement: readonly TrustStatement[] };

/**
 * Maximum characters of a trust policy, without white space, unless AWS granted more (IAM quota: role trust policy
 * length).
 */
export const maxTrustPolicyLength = 2048;

/**
 * The trust policy of a role without cases, which permits no assumption. It names the principals in an expired
 * statement. So a deployment with other principals has another template, and CloudFormation removes the earlier access.
 */
export const trustWithoutCases = (principals: readonly string[]): TrustPolicy => ({
  Version: '2012-10-17',
  Statement: [
    principals.length === 0
      ? { Effect: 'Deny', Principal: { AWS: '*' }, Action: 'sts:AssumeRole' }
      : {
          Effect: 'Allow',
          Principal: { AWS: principals },
          Action: 'sts:AssumeRole',
          Condition: { DateLessThan: { 'aws:CurrentTime': '1970-01-01T00:00:00Z' } },
        },
  ],
});
