import { domains as contract } from '../../../contract/admin/domains.ts';
import { requestedPage } from '../../../core/directory/listings.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { readStaleStatus, storeStatus } from './domain-provider-status.ts';
import type { DomainsDependencies } from './domains-dependencies.ts';
import { toDomain } from './stored-domain.ts';

type Dependencies = Pick<DomainsDependencies, 'domains' | 'emailProvider' | 'mailDomain' | 'clock' | 'log'>;

/**
 * Lists the domains. It asks the provider about domains whose status is stale. If the provider fails, the stored status
 * is returned.
 */
export const listDomains = (dependencies: Dependencies) =>
  adminMethod(contract.methods.ListDomains, {
    prefetch({ page_size, ...request }, { pageAfter }) {
      const page = requestedPage(request, 'DOMAIN');
      return page ? dependencies.domains.listed(page, pageAfter, page_size) : dependencies.domains.list(pageAfter, page_size);
    },
    run: async (_request, { nextPageToken }, { items, next }) => {
      const current = await Promise.all(items.map(async (stored) => storeStatus(stored, await readStaleStatus(stored, dependencies), dependencies)));
      return { domains: current.map((stored) => toDomain(stored, dependencies.mailDomain)), next_page_token: await nextPageToken(next) };
    },
  });
