import { maxTrustPolicyLength, trustWithoutCases, type TrustPolicy, type TrustStatement } from '../../../contract/deployment/support-roles.ts';

/** A case that grants access to a role, and the time at which the access ends. */
export type Grant = { readonly externalId: string; readonly until: Date };

/** The supporters' principals, and the region whose STS they must use. */
export type Supporters = { readonly principals: readonly string[]; readonly region: string };

/** The time rounded down to whole seconds, as IAM compares it. */
const toSeconds = (until: Date): string => `${until.toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z`;

const grantStatement = ({ externalId, until }: Grant, principals: readonly string[]): TrustStatement => ({
  Effect: 'Allow',
  Principal: { AWS: principals },
  Action: 'sts:AssumeRole',
  Condition: { StringEquals: { 'sts:ExternalId': externalId }, DateLessThan: { 'aws:CurrentTime': toSeconds(until) } },
});

/**
 * The statement that denies other regions, because CloudTrail would record assumptions in another region only there.
 */
const otherRegionsDenied = (region: string): TrustStatement => ({
  Effect: 'Deny',
  Principal: { AWS: '*' },
  Action: 'sts:AssumeRole',
  Condition: { StringNotEquals: { 'aws:RequestedRegion': region } },
});

/**
 * The trust policy of a role: one statement for each case, which ends when the case lapses. The order of the grants
 * does not matter. Without a grant, the policy names no principal, so that IAM accepts it even if a principal does not
 * exist.
 */
export const trustPolicy = (grants: readonly Grant[], { principals, region }: Supporters): TrustPolicy => {
  if (grants.length === 0 || principals.length === 0) return trustWithoutCases([]);
  const sorted = grants.toSorted((a, b) => (a.externalId < b.externalId ? -1 : 1));
  return { Version: '2012-10-17', Statement: [otherRegionsDenied(region), ...sorted.map((grant) => grantStatement(grant, principals))] };
};

/** Whether the policy is within IAM's limit. */
export const fitsTrustPolicyLimit = (policy: TrustPolicy): boolean => JSON.stringify(policy).length <= maxTrustPolicyLength;

/** A normal form of the value. IAM may return a list of one item as that item, and keys in another order. */
const normalize = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 1 ? normalize(value[0]) : value.map((item) => JSON.stringify(normalize(item))).toSorted();
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([name, field]) => [name, normalize(field)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
};

/** Whether two policies have the same meaning for IAM. */
export const isSamePolicy = (a: unknown, b: unknown): boolean => JSON.stringify(normalize(a)) === JSON.stringify(normalize(b));
