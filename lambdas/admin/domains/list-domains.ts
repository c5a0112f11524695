import { domains as contract } from '../../../contract/admin/domains.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { readStaleStatus, storeStatus } from './domain-provider-status.ts';
import type { DomainsConnections } from './domains-connections.ts';
import { toDomain } from './stored-domain.ts';

type Connections = Pick<DomainsConnections, 'domains' | 'emailProvider' | 'mailDomain' | 'clock' | 'log'>;

/**
 * ListDomains. The provider is asked about domains whose stored status is stale; where that fails, the stored status is
 * returned.
 */
export const listDomains = (connections: Connections) => adminMethod(contract.methods.ListDomains, {
  prefetch: ({ page_size }, { pageAfter }) => connections.domains.list(pageAfter, page_size),
  run: async (_request, { nextPageToken }, { items, next }) => {
    const current = await Promise.all(items.map(async (stored) =>
      storeStatus(stored, await readStaleStatus(stored, connections), connections)));
    return { domains: current.map((stored) => toDomain(stored, connections.mailDomain)), next_page_token: await nextPageToken(next) };
  },
});
