import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { email } from '../../../contract/jmap/email.ts';
import { quota, quotaResources, quotaUse, type QuotaAmounts, type QuotaResource } from '../../../contract/jmap/quota.ts';
import { quotaOfAccount } from '../../../core/mail-types/quota/account-quota.ts';
import type { AccountView } from '../../../core/account-index/account-view.ts';
import type { BehaviourOf } from '../request/behaviour.ts';
import { filterTest, readableRecords, recordComparison, type PlainRecord } from '../request/plain-records.ts';

const names: { readonly [resource in QuotaResource]: string } = { octets: 'Storage', count: 'Emails' };

const descriptions: { readonly [resource in QuotaResource]: string } = {
  octets: 'Octets of all messages of the account, as they are stored.',
  count: 'Number of Emails of the account.',
};

/** The Quotas of an account by id (RFC 9425 §4). They have no `warnLimit` and no `softLimit`. */
const quotaRecords = (view: AccountView, defaults: QuotaAmounts): ReadonlyMap<string, PlainRecord> => {
  const ofAccount = quotaOfAccount(view, defaults);
  return new Map(quotaResources.map((resource) => [resource, {
    id: resource,
    resourceType: resource,
    ...ofAccount[resource],
    scope: 'account',
    name: names[resource],
    types: [email.name],
    warnLimit: null,
    softLimit: null,
    description: descriptions[resource],
  }]));
};

/** Whether a Quota meets all members of a condition (RFC 9425 §4.4.1). */
const matchesCondition = (record: JsonObject, { name, scope, resourceType, type }: JsonObject): boolean =>
  (name === undefined || (record['name'] as string).includes(name as string))
  && (scope === undefined || record['scope'] === scope)
  && (resourceType === undefined || record['resourceType'] === resourceType)
  && (type === undefined || (record['types'] as readonly unknown[]).includes(type));

/**
 * Quota (RFC 9425). Its records are derived from the Emails and from the limits of the account and of the deployment.
 */
export const quotaBehaviour: BehaviourOf<typeof quota> = {
  get: { records: (_args, { view }, { dependencies }) => readableRecords(quota, quotaRecords(view, dependencies.quotaDefaults)) },
  changes: {
    /** The property `updatedProperties` (RFC 9425 §4.3). */
    additionalProperties: ({ onlyComputed }) => ({ updatedProperties: onlyComputed ? quotaUse : null }),
  },
  query: {
    matchingIds: (view, filter, sort, _args, _account, { dependencies }) => [...quotaRecords(view, dependencies.quotaDefaults).values()]
      .filter(filterTest(filter, (condition) => (record) => matchesCondition(record, condition)))
      .toSorted(recordComparison(sort))
      .map(({ id }) => id),
  },
};
