import { domains as contract, type Domain } from '../../../contract/admin/domains.ts';
import { roleLocalParts } from '../../../contract/values/role-addresses.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import { findDomainWithRecords, type DomainWithRecords } from './domain-dns-changes.ts';
import { expectedRecords } from './domain-dns-records.ts';
import { validateDns } from './domain-dns-validation.ts';
import { providerStatus, statusChanged } from './domain-provider-status.ts';
import type { DomainsDependencies } from './domains-dependencies.ts';
import { toDomain } from './stored-domain.ts';

type Dependencies = Pick<DomainsDependencies, 'domains' | 'addresses' | 'accounts' | 'emailProvider' | 'dns' | 'dnsTargets' | 'mailDomain' | 'clock'>;

/** Who gets the mail to the role addresses of a domain that receives mail. */
const readRoleMail = async (domain: string, { addresses, accounts }: Dependencies): Promise<Domain['role_mail']> => {
  const roles = roleLocalParts.map((role) => `${role}@${domain}`);
  const receivers = await addresses.resolve(roles);
  const emails = new Map(
    (await accounts.findAll([...new Set([...receivers.values()].map(({ accountId }) => accountId))])).map((account) => [account.account_id, account.email]),
  );
  return roles.map((address) => ({ address, account_email: emails.get(receivers.get(address)?.accountId ?? '') }));
};

/**
 * Reads the domain and its current status, and stores the status. On request it also looks up the domain's records in
 * public DNS.
 */
const readCurrentDomain = async (
  [stored, applied]: DomainWithRecords,
  includeDnsValidation: boolean,
  dependencies: Dependencies,
): Promise<{ domain: Domain }> => {
  const { domains, emailProvider, dns, dnsTargets, mailDomain, clock } = dependencies;
  if (!stored) throw notFound('domain');
  const identity = await emailProvider.findDomain(stored.domain);
  const status = providerStatus(identity);
  const providerRecords = { dkimTokens: identity?.dkimTokens ?? [], mail_from_domain: status.mail_from_domain };
  const [validation, roleMail] = await Promise.all([
    includeDnsValidation ? validateDns(dns, expectedRecords(stored, providerRecords, dnsTargets), applied) : undefined,
    includeDnsValidation && stored.receive_enabled ? readRoleMail(stored.domain, dependencies) : undefined,
    statusChanged(stored, status) ? domains.storeProviderStatus(stored.id, status, clock()) : undefined,
  ]);
  return { domain: { ...toDomain({ ...stored, ...status }, mailDomain), dns_validation: validation, role_mail: roleMail } };
};

/** The domain without DNS records, when they are not requested. */
const findDomain = async (domains: Dependencies['domains'], id: string): Promise<DomainWithRecords> => [await domains.find(id), []];

export const getDomain = (dependencies: Dependencies) =>
  adminMethod(contract.methods.GetDomain, {
    prefetch: ({ id, include_dns_validation: includesDns }) => (includesDns ? findDomainWithRecords : findDomain)(dependencies.domains, id),
    run: ({ include_dns_validation }, _call, stored) => readCurrentDomain(stored, include_dns_validation, dependencies),
  });

/** GetDomainVerification: GetDomain with include_dns_validation. */
export const getDomainVerification = (dependencies: Dependencies) =>
  adminMethod(contract.methods.GetDomainVerification, {
    prefetch: ({ domain_id }) => findDomainWithRecords(dependencies.domains, domain_id),
    run: (_request, _call, stored) => readCurrentDomain(stored, true, dependencies),
  });

/** VerifyDomain: GetDomain without include_dns_validation. */
export const verifyDomain = (dependencies: Dependencies) =>
  adminMethod(contract.methods.VerifyDomain, {
    prefetch: ({ domain_id }) => findDomain(dependencies.domains, domain_id),
    run: (_request, _call, stored) => readCurrentDomain(stored, false, dependencies),
  });
