import { setup as contract } from '../../../contract/admin/setup.ts';
import { inboundHost } from '../../../contract/sending.ts';
import type { EmailProvider } from '../../../core/aws/ses/email-provider.ts';
import type { SenderAddresses } from '../../../core/aws/ses/sender-addresses.ts';
import type { Accounts } from '../../../core/directory/accounts.ts';
import type { Domains, StoredDomain } from '../../../core/directory/domains.ts';
import type { Setup } from '../../../core/directory/setup.ts';
import type { Users } from '../../../core/directory/users.ts';
import type { PublicDns } from '../../../core/dns/public-dns.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { errorLogFields } from '../../../core/runtime/errors.ts';
import type { Log } from '../../../core/runtime/log.ts';
import type { Page } from '../../../core/storage/page.ts';
import type { ReadinessInputs, ReadinessSource } from './readiness-inputs.ts';
import { readinessOf } from './readiness.ts';

export type ReadinessConnections = {
  readonly setup: Pick<Setup, 'find'>;
  readonly domains: Pick<Domains, 'list'>;
  readonly users: Pick<Users, 'list'>;
  readonly accounts: Pick<Accounts, 'list'>;
  readonly emailProvider: Pick<EmailProvider, 'accountStatus'>;
  readonly senderAddresses: Pick<SenderAddresses, 'listVerifiedIdentities'>;
  readonly dns: PublicDns;
  /** The deployment's own mail domain. */
  readonly mailDomain: string;
  readonly region: string;
  readonly log: Log;
};

/** Items of one read. */
const pageSize = 1000;

/** At most so many domains have their MX looked up. */
const maxMxLookups = 25;

const readAllPages = async <T>(list: (after: string | undefined, size: number) => Promise<Page<T>>): Promise<T[]> => {
  const items: T[] = [];
  let after: string | undefined;
  do {
    const page = await list(after, pageSize);
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return items;
};

/** Reads everything that the readiness depends on. A source that fails is logged and listed in `failedSources`. */
const readInputs = async (connections: ReadinessConnections): Promise<ReadinessInputs> => {
  const { setup, domains, users, accounts, emailProvider, senderAddresses, dns, mailDomain, region, log } = connections;
  const failed = new Set<ReadinessSource>();

  const readSource = async <T>(source: ReadinessSource, reading: Promise<T>): Promise<T | undefined> => {
    try {
      return await reading;
    } catch (error) {
      failed.add(source);
      log.warn('reading a part of the readiness failed', { source, ...errorLogFields(error) });
      return undefined;
    }
  };

  /** The names of the receiving domains with an MX record that names the inbound host of SES. */
  const domainsWithMx = async (all: readonly StoredDomain[]): Promise<string[]> => {
    const host = inboundHost(region);
    const receiving = all.filter((domain) => domain.receive_enabled).slice(0, maxMxLookups);
    const names = await Promise.all(receiving.map(async ({ domain }) => {
      const values = await dns.lookup(domain, 'MX');
      if (!values) failed.add('public DNS');
      return (values ?? []).some((value) => value.split(' ').at(-1) === host) ? [domain] : [];
    }));
    return names.flat();
  };

  const readingDomains = readSource('domains', readAllPages(domains.list));
  const [progress, allDomains, mxDomains, allUsers, allAccounts, sendingAccount, verifiedIdentities] = await Promise.all([
    readSource('progress', setup.find()),
    readingDomains,
    readingDomains.then((all) => domainsWithMx(all ?? [])),
    readSource('users', readAllPages(users.list)),
    readSource('accounts', readAllPages(accounts.list)),
    readSource('sending provider', emailProvider.accountStatus()),
    readSource('identities', senderAddresses.listVerifiedIdentities()),
  ]);
  return {
    domains: allDomains,
    userCount: allUsers?.filter((user) => !user.is_deleted).length,
    accountCount: allAccounts?.length,
    sendingAccount,
    verifiedIdentities,
    mxDomains,
    testMailSent: progress?.testMailSent === true,
    welcomeDismissed: progress?.welcomeDismissed === true,
    mailDomain,
    failedSources: [...failed].sort(),
  };
};

export const getReadiness = (connections: ReadinessConnections) => adminMethod(contract.methods.GetReadiness, {
  run: async () => ({ readiness: readinessOf(await readInputs(connections)) }),
});
