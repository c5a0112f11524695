import { domains as contract, type Domain } from '../../../contract/admin/domains.ts';
import { adminMethod, type AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { errorLogFields } from '../../../core/runtime/errors.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import type { Log } from '../../../core/runtime/log.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import type { DnsProvider } from '../../../core/aws/route53/dns-provider.ts';
import type { EmailProvider } from '../../../core/aws/ses/email-provider.ts';
import type { PublicDns } from '../../../core/dns/public-dns.ts';
import type { Domains, Standing, StoredDomain } from '../../../core/directory/domains.ts';
import { removeDomain, updateDomain } from './changed-domain.ts';
import { wantedRecords, type ServicePlace } from './dns-records.ts';
import { validateDns } from './dns-validation.ts';
import { applyRecords, deleteRecord, lookAtDns } from './managed-dns.ts';
import { addDomain } from './new-domain.ts';
import { lookAtTestEmail, sendTestEmail, type TestSending } from './send-test-email.ts';
import { hasMoved, isSettled, isStale, standingOf } from './standing.ts';

type Method<Name extends keyof (typeof contract)['methods']> = (typeof contract)['methods'][Name];

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
export const domainsMethods = (connections: DomainsConnections): AdminMethods<typeof contract> => {
  const { domains, emailProvider, dns, mailDomain, place, clock, log } = connections;

  const shown = (domain: StoredDomain): Domain => ({ ...domain, is_primary: domain.domain === mailDomain });

  const find = ({ id }: { readonly id: string }) => domains.find(id);
  const findById = ({ domain_id: id }: { readonly domain_id: string }) => domains.find(id);

  /** The domain with what the provider says now, and what public DNS says if that is wanted. */
  const currentDomain = async (stored: StoredDomain | undefined, withDns: boolean): Promise<{ domain: Domain }> => {
    if (!stored) throw notFound('domain');
    const identity = await emailProvider.findDomain(stored.domain);
    const standing = standingOf(identity);
    const [validation] = await Promise.all([
      withDns ? validateDns(dns, wantedRecords(stored, { dkimTokens: identity?.dkimTokens ?? [], mail_from_domain: standing.mail_from_domain }, place)) : undefined,
      hasMoved(stored, standing) ? domains.keepStanding(stored.id, standing, clock()) : undefined,
    ]);
    return { domain: { ...shown({ ...stored, ...standing }), dns_validation: validation } };
  };

  /** What the provider says now; undefined while what is kept has settled, and when the provider can't be asked. */
  const newStanding = async (stored: StoredDomain): Promise<Standing | undefined> => {
    if (!isStale(stored, clock())) return undefined;
    try {
      return standingOf(await emailProvider.findDomain(stored.domain));
    } catch (error) {
      log.warn('the provider could not be asked about a domain', { domain_id: stored.id, ...errorLogFields(error) });
      return undefined;
    }
  };

  /** The domain with what the provider said of it, which is kept if it is news. */
  const withStanding = async (stored: StoredDomain, standing: Standing | undefined): Promise<StoredDomain> => {
    if (!standing) return stored;
    if (hasMoved(stored, standing) || isSettled(standing)) await domains.keepStanding(stored.id, standing, clock());
    return { ...stored, ...standing };
  };

  /** AddDomain and CreateDomain are two names of one method. */
  const addDomainMethod = (method: Method<'AddDomain'>) => adminMethod(method, {
    prefetch: ({ domain }) => domains.idOf(domain),
    run: async (request, { audit }, known) => ({ domain: shown(await addDomain(connections, known, request, audit)) }),
  });

  return {
    AddDomain: addDomainMethod(contract.methods.AddDomain),
    GetDomain: adminMethod(contract.methods.GetDomain, {
      prefetch: find,
      run: ({ include_dns_validation }, _call, stored) => currentDomain(stored, include_dns_validation),
    }),
    ListDomains: adminMethod(contract.methods.ListDomains, {
      prefetch: ({ page_size }, { pageAfter }) => domains.list(pageAfter, page_size),
      run: async (_request, { nextPageToken }, { items, next }) => {
        const current = await Promise.all(items.map(async (stored) => withStanding(stored, await newStanding(stored))));
        return { domains: current.map(shown), next_page_token: await nextPageToken(next) };
      },
    }),
    UpdateDomain: adminMethod(contract.methods.UpdateDomain, {
      prefetch: find,
      run: async (wanted, { audit }, found) => {
        const [updated, standing] = await Promise.all([updateDomain(connections, found, wanted, audit), found && newStanding(found)]);
        return { domain: shown(await withStanding(updated, standing)) };
      },
    }),
    RemoveDomain: adminMethod(contract.methods.RemoveDomain, {
      prefetch: find,
      run: async ({ id }, { audit }, found) => {
        await removeDomain(connections, found, id, audit);
        return {};
      },
    }),
    CheckDNSProvider: adminMethod(contract.methods.CheckDNSProvider, {
      prefetch: find,
      run: async (_request, _call, stored) => {
        if (!stored) throw notFound('domain');
        const zone = await connections.dnsProvider.findZone(stored.domain);
        return zone ? { has_access: true, provider_type: 'ROUTE53', hosted_zone: zone } : { has_access: false };
      },
    }),
    ApplyDomainRecords: adminMethod(contract.methods.ApplyDomainRecords, {
      prefetch: ({ id }) => lookAtDns(domains, id),
      run: (_request, { audit }, known) => applyRecords(connections, known, audit),
    }),
    DeleteDomainRecord: adminMethod(contract.methods.DeleteDomainRecord, {
      prefetch: ({ id }) => lookAtDns(domains, id),
      run: async (wanted, { audit }, known) => ({ deleted: await deleteRecord(connections, known, wanted, audit) }),
    }),
    SendTestEmail: adminMethod(contract.methods.SendTestEmail, {
      prefetch: (request) => lookAtTestEmail(request, connections),
      run: (request, { audit }, found) => sendTestEmail(found, request, connections, audit),
    }),
    CreateDomain: addDomainMethod(contract.methods.CreateDomain),
    GetDomainVerification: adminMethod(contract.methods.GetDomainVerification, {
      prefetch: findById,
      run: (_request, _call, stored) => currentDomain(stored, true),
    }),
    VerifyDomain: adminMethod(contract.methods.VerifyDomain, {
      prefetch: findById,
      run: (_request, _call, stored) => currentDomain(stored, false),
    }),
  };
};
