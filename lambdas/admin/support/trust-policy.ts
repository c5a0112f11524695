import { maxTrustPolicyLength, trustOfNobody, type TrustPolicy, type TrustStatement } from '../../../contract/support-trust.ts';

/** A case that may use a role until then. */
export type Grant = { readonly externalId: string; readonly until: Date };

/** Who the supporters are, and the region through which they come. */
export type Supporters = { readonly principals: readonly string[]; readonly region: string };

/** To the second, which is what IAM compares; never later than `until`. */
const inSeconds = (until: Date): string => `${until.toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z`;

const granted = ({ externalId, until }: Grant, principals: readonly string[]): TrustStatement => ({
  Effect: 'Allow',
  Principal: { AWS: principals },
  Action: 'sts:AssumeRole',
  Condition: { StringEquals: { 'sts:ExternalId': externalId }, DateLessThan: { 'aws:CurrentTime': inSeconds(until) } },
});

/** CloudTrail tells of an assumption in the region that was asked for it; elsewhere nobody of ours would learn of it. */
const onlyHere = (region: string): TrustStatement =>
  ({ Effect: 'Deny', Principal: { AWS: '*' }, Action: 'sts:AssumeRole', Condition: { StringNotEquals: { 'aws:RequestedRegion': region } } });

/**
 * A role's trust policy: a statement for each case, which ends by itself when the case lapses. The order of the grants is of no meaning. Without a case it
 * names nobody, so that IAM, which refuses principals that are gone, always takes it.
 */
export const trustPolicy = (grants: readonly Grant[], { principals, region }: Supporters): TrustPolicy => {
  if (grants.length === 0 || principals.length === 0) return trustOfNobody([]);
  const sorted = grants.toSorted((a, b) => (a.externalId < b.externalId ? -1 : 1));
  return { Version: '2012-10-17', Statement: [onlyHere(region), ...sorted.map((grant) => granted(grant, principals))] };
};

/** Whether IAM takes a policy of this size. */
export const fits = (policy: TrustPolicy): boolean => JSON.stringify(policy).length <= maxTrustPolicyLength;

/** IAM may give a list of one back as that one, and keys in another order. */
const normal = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 1 ? normal(value[0]) : value.map((item) => JSON.stringify(normal(item))).toSorted();
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).map(([name, field]) => [name, normal(field)] as const).toSorted(([a], [b]) => (a < b ? -1 : 1));
};

/** Whether two policies mean the same to IAM. */
export const samePolicy = (a: unknown, b: unknown): boolean => JSON.stringify(normal(a)) === JSON.stringify(normal(b));
