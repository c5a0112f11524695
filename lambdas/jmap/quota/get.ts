import { email } from '../../../contract/jmap/email.ts';
import { quota, quotaResources, type QuotaAmounts, type QuotaResource } from '../../../contract/jmap/quota.ts';
import type { AccountView } from '../../../core/account-index/account-view.ts';
import { quotaOfAccount } from '../../../core/mail/quota/account-quota.ts';
import type { BehaviourOf } from '../request/behaviour.ts';
import { readableRecords, type PlainRecord } from '../request/plain-records.ts';

const names: { readonly [resource in QuotaResource]: string } = { octets: 'Storage', count: 'Emails' };

const descriptions: { readonly [resource in QuotaResource]: string } = {
  octets: 'Octets of all messages of the account, as they are stored.',
  count: 'Number of Emails of the account.',
};

export type QuotaRecord = PlainRecord & { readonly name: string; readonly scope: string; readonly resourceType: string; readonly types: readonly string[] };

/** The Quotas of an account by id (RFC 9425 §4). They have no `warnLimit` and no `softLimit`. */
export const quotaRecords = (view: AccountView, defaults: QuotaAmounts): ReadonlyMap<string, QuotaRecord> => {
  const ofAccount = quotaOfAccount(view, defaults);
  return new Map(
    quotaResources.map((resource) => [
      resource,
      {
        id: resource,
        resourceType: resource,
        ...ofAccount[resource],
        scope: 'account',
        name: names[resource],
        types: [email.name],
        warnLimit: null,
        softLimit: null,
        description: descriptions[resource],
      },
    ]),
  );
};

/** Quota/get (RFC 9425 §4.1). */
export const quotaGet: BehaviourOf<typeof quota>['get'] = {
  records: (_args, { view }, { dependencies }) => readableRecords(quota, quotaRecords(view, dependencies.quotaDefaults)),
};
