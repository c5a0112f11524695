/**
 * Which sessions of a support role may do nothing any more, as IAM reads it: an inline policy of the role beside its rights. The template makes it, so that
 * it goes with the role, and denies every session; the support Lambda writes the ends of access into it.
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

/** The name of the policy at each role. */
export const sessionsPolicyName = 'ended-sessions';

/** Seconds that a session of a support role lasts at most: as short as AWS lets it be limited at a role. */
export const maxSession = 3600;

/** Characters, white space not counted, of a role's inline policies together ("IAM and AWS STS character limits"); this one is the only one. */
export const maxInlinePolicyLength = 10_240;

/** For a role by which nobody has access. */
export const noSessionGoesOn: SessionsPolicy = { Version: '2012-10-17', Statement: [{ Effect: 'Deny', Action: '*', Resource: '*' }] };

/** Who may assume a support role, as IAM reads it: written by `lib/` for a role without cases, by the support Lambda for the cases of the moment. */
export type TrustStatement = {
  readonly Effect: 'Allow' | 'Deny';
  readonly Principal: { readonly AWS: string | readonly string[] };
  readonly Action: 'sts:AssumeRole';
  readonly Condition?: { readonly [operator: string]: { readonly [key: string]: string } };
};
export type TrustPolicy = { readonly Version: '2012-10-17'; readonly Statement: readonly TrustStatement[] };

/** Characters, white space not counted, that IAM takes as a trust policy unless AWS was asked for more ("Role trust policy length"). */
export const maxTrustPolicyLength = 2048;

/**
 * Trusts nobody now. It names the supporters all the same, in a statement that ended long ago: a deployment with other supporters has another
 * template then, and CloudFormation takes the access of those who were named before.
 */
export const trustOfNobody = (principals: readonly string[]): TrustPolicy => ({
  Version: '2012-10-17',
  Statement: [principals.length === 0
    ? { Effect: 'Deny', Principal: { AWS: '*' }, Action: 'sts:AssumeRole' }
    : { Effect: 'Allow', Principal: { AWS: principals }, Action: 'sts:AssumeRole', Condition: { DateLessThan: { 'aws:CurrentTime': '1970-01-01T00:00:00Z' } } }],
});
