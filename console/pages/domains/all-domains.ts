import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { everyPage } from '../../../people/every-page.ts';
import { callMethod, useAdminClient, type ResponseOf } from '../../api/admin-api.tsx';

/** Reads all domains, ordered by name, for a page that compares an address with them. */
export const useAllDomains = (): UseQueryResult<ResponseOf<'domains', 'ListDomains'>['domains']> => {
  const client = useAdminClient();
  return useQuery({
    queryKey: ['domains', 'ListDomains', 'all'],
    queryFn: () =>
      everyPage(
        (paging) => callMethod(client, 'domains', 'ListDomains', { order_by: 'DOMAIN', page_size: 100, ...paging }),
        ({ domains }) => domains,
      ),
  });
};
