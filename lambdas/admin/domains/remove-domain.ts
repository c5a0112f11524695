import { domains as contract } from '../../../contract/admin/domains.ts';
import type { StoredDomain } from '../../../core/directory/domains/domains.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { changesBetween, type Audit } from '../../../core/rpc/audit.ts';
import { notFound, RpcError } from '../../../core/rpc/rpc-error.ts';
import { conflict, retryOnConflictFrom } from '../../../core/storage/retry-on-conflict.ts';
import type { DomainsDependencies } from './domains-dependencies.ts';

type Dependencies = Pick<DomainsDependencies, 'domains' | 'emailProvider'>;

const inUse = (count: number) => {
  const addresses = count === 1 ? 'address of accounts and aliases is' : 'addresses of accounts and aliases are';
  return new RpcError('failed_precondition', `${count} ${addresses} at this domain; delete them first`);
};

/** Removes the identity, unless it existed before the domain was added. */
const removeIdentity = async (emailProvider: Dependencies['emailProvider'], { domain, adopted }: StoredDomain): Promise<void> => {
  if (!adopted) await emailProvider.removeDomain(domain);
};

/**
 * Removes a domain in three steps: the domain accepts no more addresses, its identity at the provider is deleted, then
 * its record. The next call completes an interrupted one. Of two concurrent calls, one removes the domain and the other
 * throws not_found.
 * @param prefetched the domain that the caller read; a later attempt reads it again.
 * @throws RpcError not_found; failed_precondition while there are addresses at the domain.
 * @throws StoreConflict
 */
const remove = ({ domains, emailProvider }: Dependencies, prefetched: StoredDomain | undefined, id: string, audit: Audit): Promise<void> =>
  retryOnConflictFrom(
    prefetched,
    () => domains.find(id),
    async (stored) => {
      if (!stored) throw notFound('domain');
      audit.describe({ entity_name: stored.domain, changes: changesBetween<StoredDomain>(stored, {}, ['domain']) });
      if (stored.state === 'ready') {
        if (stored.address_count > 0) throw inUse(stored.address_count);
        if (!(await domains.beginRemoval(stored))) return conflict;
      }
      const [records] = await Promise.all([domains.appliedRecords(id), removeIdentity(emailProvider, stored)]);
      if (!(await domains.finishRemoval(stored, records, audit.successWrites()))) throw notFound('domain');
      return undefined;
    },
  );

export const removeDomain = (dependencies: Dependencies) =>
  adminMethod(contract.methods.RemoveDomain, {
    prefetch: ({ id }) => dependencies.domains.find(id),
    run: async ({ id }, { audit }, prefetched) => {
      await remove(dependencies, prefetched, id, audit);
      return {};
    },
  });
