import type { MonitoredResources } from '../../../contract/deployment/monitored-resources.ts';
import { roleLocalParts } from '../../../contract/values/role-addresses.ts';
import type { Metrics } from '../../../core/aws/cloudwatch/metrics.ts';
import { readWaitingMail } from '../../../core/aws/cloudwatch/waiting-mail.ts';
import type { EmailProvider } from '../../../core/aws/ses/ses-email-provider.ts';
import type { SenderAddresses } from '../../../core/aws/ses/ses-sender-addresses.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { Addresses } from '../../../core/directory/aliases/addresses.ts';
import { lookUpMx, findForeignSpf } from '../../../core/directory/domains/domain-lookups.ts';
import type { Domains, StoredDomain } from '../../../core/directory/domains/domains.ts';
import type { Problems } from '../../../core/directory/problems/problems.ts';
import type { Setup } from '../../../core/directory/setup.ts';
import type { StoredUser, Users } from '../../../core/directory/users/users.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Log } from '../../../core/runtime/log.ts';
import type { PublicDns } from '../../../core/runtime/public-dns.ts';
import { readSources } from '../../../core/runtime/read-sources.ts';
import { readAllPages } from '../../../core/storage/page.ts';

export type ReadinessDependencies = {
  readonly setup: Pick<Setup, 'find'>;
  readonly domains: Pick<Domains, 'list'>;
  readonly addresses: Pick<Addresses, 'resolve'>;
  readonly problems: Pick<Problems, 'list'>;
  readonly users: Pick<Users, 'list'>;
  readonly accounts: Pick<Accounts, 'list'>;
  readonly emailProvider: Pick<EmailProvider, 'accountStatus'>;
  readonly senderAddresses: Pick<SenderAddresses, 'listVerifiedIdentities'>;
  readonly dns: PublicDns;
  readonly metrics: Metrics;
  /** The deployment's own resources. */
  readonly resources: MonitoredResources;
  /** The deployment's own mail domain. */
  readonly mailDomain: string;
  /** Whether Cognito sends its mail by SES, and not by its own sender. */
  readonly cognitoSendsBySes: boolean;
  readonly region: string;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * The role addresses that reach nobody, at domains where somebody receives mail. They reach an admin as long as one with the
 * role ALL has a mailbox, so that most calls need no read.
 */
const unreadRoles = async (domains: readonly StoredDomain[], users: readonly StoredUser[], { addresses }: ReadinessDependencies): Promise<string[]> => {
  if (users.some((user) => user.admin_role === 'ALL' && user.is_active && !user.is_deleted && user.primary_account_id !== undefined)) return [];
  const roles = domains
    .filter((domain) => domain.state === 'ready' && domain.receive_enabled && domain.address_count > 0)
    .flatMap(({ domain }) => roleLocalParts.map((role) => `${role}@${domain}`));
  const receivers = roles.length === 0 ? new Map<string, never>() : await addresses.resolve(roles);
  return roles.filter((address) => !receivers.has(address)).toSorted();
};

/**
 * Reads all inputs of the readiness. An input is undefined if its source failed. The health issue about the failure has
 * the name of the source.
 */
export const readReadinessInputs = async (dependencies: ReadinessDependencies) => {
  const { setup, domains, problems, users, accounts, emailProvider, senderAddresses, metrics, resources, mailDomain, cognitoSendsBySes, clock, log } =
    dependencies;
  const listing = readAllPages(domains.list);
  const known = listing.catch(() => []);
  const userListing = readAllPages(users.list);
  const knownUsers = userListing.catch(() => []);
  const [{ values, failed }, mx, foreignSpf] = await Promise.all([
    readSources(
      {
        progress: () => setup.find(),
        domains: () => listing,
        users: () => userListing,
        addresses: async () => unreadRoles(await known, await knownUsers, dependencies),
        accounts: () => readAllPages(accounts.list),
        'sending provider': () => emailProvider.accountStatus(),
        identities: () => senderAddresses.listVerifiedIdentities(),
        metrics: () => readWaitingMail(metrics, resources, clock()),
        problems: () => readAllPages(problems.list),
      },
      'readiness',
      log,
    ),
    known.then((all) => lookUpMx(all, dependencies)),
    known.then((all) => findForeignSpf(all, dependencies)),
  ]);
  return {
    domains: values.domains,
    userCount: values.users?.filter((user) => !user.is_deleted).length,
    accountCount: values.accounts?.length,
    /** The status of the AWS account at SES. */
    sendingAccount: values['sending provider'],
    /** Verified addresses and domains, from which mail can be sent. */
    verifiedIdentities: values.identities,
    mx,
    /** Domains that send, and whose SPF policy does not allow SES. */
    foreignSpf,
    unreadRoles: values.addresses ?? [],
    /** Mail that waits for full accounts. */
    waitingMail: values.metrics,
    /** The list of problems that the watch keeps. */
    problems: values.problems,
    testMailSent: values.progress?.testMailSent === true,
    welcomeDismissed: values.progress?.welcomeDismissed === true,
    mailDomain,
    cognitoSendsBySes,
    now: clock(),
    failedSources: [...failed, ...(mx.failed.length > 0 ? ['public DNS'] : [])].sort(),
  };
};

export type ReadinessInputs = Awaited<ReturnType<typeof readReadinessInputs>>;
