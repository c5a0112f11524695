import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { callMethod, useAdminClient, type ResponseOf } from '../../api/admin-api.tsx';

type DomainPage = ResponseOf<'domains', 'ListDomains'>;

/** Reads all domains, ordered by name, for a page that compares an address with them. */
export const useAllDomains = (): UseQueryResult<DomainPage['domains']> => {
  const client = useAdminClient();
  return useQuery({
    queryKey: ['domains', 'ListDomains', 'all'],
    async queryFn() {
      const domains: DomainPage['domains'][number][] = [];
      let token: string | undefined;
      do {
        const page: DomainPage = await callMethod(client, 'domains', 'ListDomains', {
          order_by: 'DOMAIN',
          page_size: 100,
          ...(token && { page_token: token }),
        });
        domains.push(...page.domains);
        token = page.next_page_token;
      } while (token);
      return domains;
    },
  });
};
