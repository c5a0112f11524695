import { domains as contract } from '../../../contract/admin/domains.ts';
import type { Request } from '../../../contract/rpc.ts';
import type { DomainSettings, StoredDomain } from '../../../core/directory/domains.ts';
import { givenFields } from '../../../contract/fields.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { changesBetween, type Audit } from '../../../core/rpc/audit.ts';
import { conflict, retryOnConflictFrom } from '../../../core/storage/retry-on-conflict.ts';
import { readStaleStatus, storeStatus } from './domain-provider-status.ts';
import type { DomainsConnections } from './domains-connections.ts';
import { assertValidSpf, changeableDomain, toDomain } from './stored-domain.ts';

type Connections = Pick<DomainsConnections, 'domains' | 'emailProvider' | 'mailDomain' | 'clock' | 'log'>;

const settingNames = [
  'dmarc_policy', 'dmarc_report_email', 'send_enabled', 'receive_enabled', 'dmarc_enabled', 'spf_mode', 'spf_value',
] as const satisfies readonly (keyof DomainSettings)[];

const settingsOf = (
  { dmarc_policy, dmarc_report_email, send_enabled, receive_enabled, dmarc_enabled, spf_mode, spf_value }: DomainSettings,
): DomainSettings => ({ dmarc_policy, dmarc_report_email, send_enabled, receive_enabled, dmarc_enabled, spf_mode, spf_value });

/**
 * Changes the given settings of a domain and keeps the others.
 * @param prefetched the domain as it was just read; a later attempt reads it again.
 * @throws RpcError not_found; invalid_argument for an SPF policy that is missing or invalid; failed_precondition while
 * the domain is being removed.
 * @throws StoreConflict
 */
const update = (
  { domains, clock }: Connections, prefetched: StoredDomain | undefined, { id, ...changes }: Request<typeof contract.methods.UpdateDomain>,
  audit: Audit,
): Promise<StoredDomain> => retryOnConflictFrom(prefetched, () => domains.find(id), async (latest) => {
  const stored = changeableDomain(latest);
  const settings = { ...settingsOf(stored), ...givenFields(changes) };
  audit.describe({ entity_name: stored.domain, changes: changesBetween<DomainSettings>(stored, settings, settingNames) });
  assertValidSpf(settings);
  const now = clock();
  if (!(await domains.update(stored, settings, now, audit.successWrites()))) return conflict;
  return { ...stored, ...settings, version: stored.version + 1, updated_at: now.toISOString() };
});

/** UpdateDomain. */
export const updateDomain = (connections: Connections) => adminMethod(contract.methods.UpdateDomain, {
  prefetch: ({ id }) => connections.domains.find(id),
  run: async (request, { audit }, prefetched) => {
    const [updated, status] = await Promise.all([
      update(connections, prefetched, request, audit),
      prefetched && readStaleStatus(prefetched, connections),
    ]);
    return { domain: toDomain(await storeStatus(updated, status, connections), connections.mailDomain) };
  },
});
