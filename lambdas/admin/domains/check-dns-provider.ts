import { domains as contract } from '../../../contract/admin/domains.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import type { DomainsDependencies } from './domains-dependencies.ts';

/** Implements CheckDNSProvider: whether the deployment can write a hosted zone that contains the domain. */
export const checkDNSProvider = ({ domains, dnsProvider }: Pick<DomainsDependencies, 'domains' | 'dnsProvider'>) =>
  adminMethod(contract.methods.CheckDNSProvider, {
    prefetch: ({ id }) => domains.find(id),
    run: async (_request, _call, stored) => {
      if (!stored) throw notFound('domain');
      const zone = await dnsProvider.findZone(stored.domain);
      return zone ? { has_access: true, provider_type: 'ROUTE53' as const, hosted_zone: zone } : { has_access: false };
    },
  });
