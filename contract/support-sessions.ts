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
