import { capability } from './core.ts';
import { recordType } from './record.ts';

/** The resources of an account that have a quota (RFC 9425 §3). The id of each Quota is its resource. */
export const quotaResources = ['octets', 'count'] as const;
export type QuotaResource = (typeof quotaResources)[number];

/** An amount of each resource: octets of raw messages, and number of Emails. */
export type QuotaAmounts = { readonly [resource in QuotaResource]: number };

/** The hard limits of accounts, if the deployment sets no others. */
export const defaultQuota: QuotaAmounts = { octets: 50_000_000_000, count: 1_000_000 };

/**
 * Quota (RFC 9425 §4). An account has one Quota for octets and one for the number of Emails. UpdateAccount or the
 * deployment sets their limits.
 */
export const quota = recordType({
  name: 'Quota',
  capability: capability.quota,
  methods: ['get', 'changes', 'query', 'queryChanges'],
  properties: {
    id: { type: 'Id', immutable: true, serverSet: true },
    resourceType: { type: 'String', immutable: true, serverSet: true },
    used: { type: 'UnsignedInt', serverSet: true, computed: true },
    hardLimit: { type: 'UnsignedInt', serverSet: true },
    scope: { type: 'String', immutable: true, serverSet: true },
    name: { type: 'String', immutable: true, serverSet: true },
    types: { type: { list: 'String' }, immutable: true, serverSet: true },
    warnLimit: { type: { orNull: 'UnsignedInt' }, serverSet: true },
    softLimit: { type: { orNull: 'UnsignedInt' }, serverSet: true },
    description: { type: { orNull: 'String' }, immutable: true, serverSet: true },
  },
  filters: { name: { type: 'String' }, scope: { type: 'String' }, resourceType: { type: 'String' }, type: { type: 'String', properties: ['types'] } },
  sorts: { name: {}, used: {} },
});

/** The value of `updatedProperties` in Quota/changes when only the use changed (RFC 9425 §4.3). */
export const quotaUse = ['used'] as const;
