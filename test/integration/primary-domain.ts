import type { Domain } from '../../contract/admin/domains.ts';
import { domainOf } from '../../contract/values/mail-address.ts';
import { ok } from './admin-calls.ts';
import { deployed } from './deployment.ts';

/** Reads the deployment's own domain or, where nobody has added it, that of the tests' users. */
export const primaryDomain = async (token: string): Promise<Domain> => {
  const { domains } = await ok<{ domains: Domain[] }>(token, 'domains/ListDomains', { page_size: 100 });
  const other = domainOf(deployed.users[0]!.email);
  return domains.find(({ is_primary: isPrimary }) => isPrimary) ?? domains.find(({ domain }) => domain === other)!;
};
