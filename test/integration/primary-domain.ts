import type { Domain } from '../../contract/admin/domains.ts';
import { ok } from './admin-calls.ts';

/** Reads the deployment's own domain. The list also contains domains of other tests. */
export const primaryDomain = async (token: string): Promise<Domain> => {
  const { domains } = await ok<{ domains: Domain[] }>(token, 'domains/ListDomains', { page_size: 100 });
  return domains.find(({ is_primary: isPrimary }) => isPrimary)!;
};
