import { domains as contract } from '../../../contract/admin/domains.ts';
import type { Request } from '../../../contract/rpc/rpc.ts';
import { givenFields } from '../../../contract/values/given-fields.ts';
import type { AddressesAtDomain } from '../../../core/directory/aliases/domain-identities.ts';
import type { DomainSettings, StoredDomain } from '../../../core/directory/domains/domains.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { changesBetween, type Audit } from '../../../core/rpc/audit.ts';
import { conflict, retryOnConflictFrom } from '../../../core/storage/retry-on-conflict.ts';
import { readStaleStatus, storeStatus } from './domain-provider-status.ts';
import type { DomainsDependencies } from './domains-dependencies.ts';
import { assertValidSpf, changeableDomain, toDomain } from './stored-domain.ts';

type Dependencies = Pick<DomainsDependencies, 'domains' | 'domainIdentities' | 'emailProvider' | 'mailDomain' | 'clock' | 'log'>;

const settingNames = [
  'dmarc_policy',
  'dmarc_report_email',
  'send_enabled',
  'receive_enabled',
  'dmarc_enabled',
  'spf_mode',
  'spf_value',
] as const satisfies readonly (keyof DomainSettings)[];

const settingsOf = ({
  dmarc_policy,
  dmarc_report_email,
  send_enabled,
  receive_enabled,
  dmarc_enabled,
  spf_mode,
  spf_value,
}: DomainSettings): DomainSettings => ({ dmarc_policy, dmarc_report_email, send_enabled, receive_enabled, dmarc_enabled, spf_mode, spf_value });

type UpdateRequest = Request<typeof contract.methods.UpdateDomain>;

/** The domain, and its addresses if `send_enabled` may change. */
type Prefetched = readonly [domain: StoredDomain | undefined, addresses: AddressesAtDomain];

const read = ({ domains, domainIdentities }: Dependencies, { id, send_enabled: sendEnabled }: UpdateRequest): Promise<Prefetched> =>
  Promise.all([domains.find(id), sendEnabled === undefined ? undefined : domainIdentities.findAddresses(id)]);

/**
 * Maximum attempts to change Identities in the transaction of their domain. After them, the identity-sync task changes
 * the Identities.
 */
const maxAttemptsWithIdentities = 3;

/**
 * Changes the given settings of a domain and keeps the others. The Identities of its addresses change with
 * `send_enabled`.
 * @param prefetched the domain, which was just read. A later attempt reads it again.
 * @throws RpcError not_found; invalid_argument for an SPF policy that is missing or invalid; failed_precondition while
 * the domain is being removed.
 * @throws StoreConflict
 */
const update = (dependencies: Dependencies, prefetched: Prefetched, request: UpdateRequest, audit: Audit): Promise<StoredDomain> => {
  const { domains, domainIdentities, clock } = dependencies;
  const { id: _id, ...changes } = request;
  let attempts = 0;
  return retryOnConflictFrom(
    prefetched,
    () => read(dependencies, request),
    async ([latest, addresses]) => {
      const stored = changeableDomain(latest);
      const settings = { ...settingsOf(stored), ...givenFields(changes) };
      audit.describe({ entity_name: stored.domain, changes: changesBetween<DomainSettings>(stored, settings, settingNames) });
      assertValidSpf(settings);
      const now = clock();
      const changesSending = settings.send_enabled !== stored.send_enabled;
      const together = ++attempts <= maxAttemptsWithIdentities ? addresses : undefined;
      const identityWrites = changesSending ? await domainIdentities.writes(stored, settings.send_enabled, together) : [];
      const writes = [...identityWrites, ...audit.successWrites()];
      if (!(await domains.update(stored, settings, now, writes, changesSending && together !== undefined))) return conflict;
      return { ...stored, ...settings, version: stored.version + 1, updated_at: now.toISOString() };
    },
  );
};

export const updateDomain = (dependencies: Dependencies) =>
  adminMethod(contract.methods.UpdateDomain, {
    prefetch: (request) => read(dependencies, request),
    run: async (request, { audit }, prefetched) => {
      const [stored] = prefetched;
      const [updated, status] = await Promise.all([update(dependencies, prefetched, request, audit), stored && readStaleStatus(stored, dependencies)]);
      return { domain: toDomain(await storeStatus(updated, status, dependencies), dependencies.mailDomain) };
    },
  });
