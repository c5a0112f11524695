import type { Domain } from '../../contract/admin/domains.ts';
import { ok } from './admin-calls.ts';

/** The deployment's own domain. The list has domains of other tests too. */
export const primaryDomain = async (token: string): Promise<Domain> => {
  const { domains } = await ok<{ domains: Domain[] }>(token, 'domains/ListDomains', { page_size: 100 });
  return domains.find(({ is_primary: isPrimary }) => isPrimary)!;
};
