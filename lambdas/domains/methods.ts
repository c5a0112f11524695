import type { domains as contract, Domain } from '../../contract/admin/domains.ts';
import type { Behaviours } from '../platform/admin-pipe.ts';
import type { Clock } from '../platform/clock.ts';
import { traceOf } from '../platform/failure.ts';
import type { NewId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import { notFound } from '../platform/rpc-error.ts';
import type { DnsProvider } from '../providers/dns-provider.ts';
import type { EmailProvider } from '../providers/email-provider.ts';
import type { PublicDns } from '../providers/public-dns.ts';
import type { Domains, StoredDomain } from '../store/directory/domains.ts';
import { removeDomain, updateDomain } from './changed-domain.ts';
import { wantedRecords, type ServicePlace } from './dns-records.ts';
import { validateDns } from './dns-validation.ts';
import { applyRecords, deleteRecord } from './managed-dns.ts';
import { addDomain } from './new-domain.ts';
import { sendTestEmail, type TestSending } from './send-test-email.ts';
import { hasMoved, isSettled, isStale, standingOf } from './standing.ts';

export type DomainsConnections = {
  readonly domains: Domains;
  readonly emailProvider: EmailProvider;
  readonly dns: PublicDns;
  /** Who keeps DNS that we can write. */
  readonly dnsProvider: DnsProvider;
  readonly testSending: TestSending;
  /** The deployment's own mail domain: `is_primary`. */
  readonly mailDomain: string;
  readonly place: ServicePlace;
  readonly newId: NewId;
  readonly clock: Clock;
  readonly log: Log;
};

/** What /domains does. */
export const domainsMethods = (connections: DomainsConnections): Behaviours<typeof contract> => {
  const { domains, emailProvider, dns, mailDomain, place, clock, log } = connections;

  const shown = (domain: StoredDomain): Domain => ({ ...domain, is_primary: domain.domain === mailDomain });

  /** The domain with what the provider says now, and what public DNS says if that is wanted. */
  const getDomain = async (id: string, withDns: boolean): Promise<{ domain: Domain }> => {
    const stored = await domains.find(id);
    if (!stored) throw notFound('domain');
    const identity = await emailProvider.findDomain(stored.domain);
    const standing = standingOf(identity);
    const [validation] = await Promise.all([
      withDns ? validateDns(dns, wantedRecords(stored, { dkimTokens: identity?.dkimTokens ?? [], mail_from_domain: standing.mail_from_domain }, place)) : undefined,
      hasMoved(stored, standing) ? domains.keepStanding(id, standing, clock()) : undefined,
    ]);
    return { domain: { ...shown({ ...stored, ...standing }), dns_validation: validation } };
  };

  /** For lists: what is kept while it has settled, else what the provider says now; what is kept as well when it can't be asked. */
  const refreshed = async (stored: StoredDomain): Promise<StoredDomain> => {
    if (!isStale(stored, clock())) return stored;
    try {
      const standing = standingOf(await emailProvider.findDomain(stored.domain));
      if (hasMoved(stored, standing) || isSettled(standing)) await domains.keepStanding(stored.id, standing, clock());
      return { ...stored, ...standing };
    } catch (error) {
      log.warn('the provider could not be asked about a domain', { domain_id: stored.id, ...traceOf(error) });
      return stored;
    }
  };

  const add: Behaviours<typeof contract>['AddDomain'] = async (request, { audit }) => ({ domain: shown(await addDomain(connections, request, audit)) });

  return {
    AddDomain: add,
    GetDomain: ({ id, include_dns_validation }) => getDomain(id, include_dns_validation),
    async ListDomains({ page_size }, { pageAfter, nextPageToken }) {
      const { items, next } = await domains.list(pageAfter, page_size);
      const current = await Promise.all(items.map(refreshed));
      return { domains: current.map(shown), next_page_token: await nextPageToken(next) };
    },
    async UpdateDomain(wanted, { audit }) {
      return { domain: shown(await refreshed(await updateDomain(connections, wanted, audit))) };
    },
    async RemoveDomain({ id }, { audit }) {
      await removeDomain(connections, id, audit);
      return {};
    },
    async CheckDNSProvider({ id }) {
      const stored = await domains.find(id);
      if (!stored) throw notFound('domain');
      const zone = await connections.dnsProvider.findZone(stored.domain);
      return zone ? { has_access: true, provider_type: 'ROUTE53', hosted_zone: zone } : { has_access: false };
    },
    ApplyDomainRecords: ({ id }, { audit }) => applyRecords(connections, id, audit),
    DeleteDomainRecord: async (wanted, { audit }) => ({ deleted: await deleteRecord(connections, wanted, audit) }),
    SendTestEmail: (request, { audit }) => sendTestEmail(request, connections, audit),
    CreateDomain: add,
    GetDomainVerification: ({ domain_id }) => getDomain(domain_id, true),
    VerifyDomain: ({ domain_id }) => getDomain(domain_id, false),
  };
};
