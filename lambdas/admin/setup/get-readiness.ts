import { setup as contract } from '../../../contract/admin/setup.ts';
import type { MonitoredResources } from '../../../contract/deployment/monitored-resources.ts';
import type { Metrics } from '../../../core/aws/cloudwatch/metrics.ts';
import { readWaitingMail } from '../../../core/aws/cloudwatch/waiting-mail.ts';
import type { EmailProvider } from '../../../core/aws/ses/identities/email-provider.ts';
import type { SenderAddresses } from '../../../core/aws/ses/identities/sender-addresses.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { Domains } from '../../../core/directory/domains/domains.ts';
import type { Problems } from '../../../core/directory/operations/problems.ts';
import type { Setup } from '../../../core/directory/operations/setup.ts';
import type { Users } from '../../../core/directory/users/users.ts';
import type { PublicDns } from '../../../core/runtime/public-dns.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { errorLogFields } from '../../../core/runtime/errors.ts';
import type { Log } from '../../../core/runtime/log.ts';
import { readAllPages } from '../../../core/storage/page.ts';
import { lookUpMx } from '../../../core/directory/domains/mx-lookups.ts';
import { findForeignSpf } from '../../../core/directory/domains/spf-lookups.ts';
import type { ReadinessInputs, ReadinessSource } from './readiness-inputs.ts';
import { readinessOf } from './readiness.ts';

export type ReadinessDependencies = {
  readonly setup: Pick<Setup, 'find'>;
  readonly domains: Pick<Domains, 'list'>;
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

/** Reads all inputs of the readiness. A source that fails is logged and listed in `failedSources`. */
const readInputs = async (dependencies: ReadinessDependencies): Promise<ReadinessInputs> => {
  const { setup, domains, problems, users, accounts, emailProvider, senderAddresses, metrics, resources, mailDomain, cognitoSendsBySes, clock, log } = dependencies;
  const failed = new Set<ReadinessSource>();

  const readSource = async <T>(source: ReadinessSource, reading: Promise<T>): Promise<T | undefined> => {
    try {
      return await reading;
    } catch (error) {
      failed.add(source);
      log.warn('a source of the readiness could not be read', { source, ...errorLogFields(error) });
      return undefined;
    }
  };

  const readingDomains = readSource('domains', readAllPages(domains.list));
  const [progress, allDomains, mx, foreignSpf, allUsers, allAccounts, sendingAccount, verifiedIdentities, waitingMail, listedProblems] = await Promise.all([
    readSource('progress', setup.find()),
    readingDomains,
    readingDomains.then((all) => lookUpMx(all ?? [], dependencies)),
    readingDomains.then((all) => findForeignSpf(all ?? [], dependencies)),
    readSource('users', readAllPages(users.list)),
    readSource('accounts', readAllPages(accounts.list)),
    readSource('sending provider', emailProvider.accountStatus()),
    readSource('identities', senderAddresses.listVerifiedIdentities()),
    readSource('metrics', readWaitingMail(metrics, resources, clock())),
    readSource('problems', readAllPages(problems.list)),
  ]);
  if (mx.failed.length > 0) failed.add('public DNS');
  return {
    domains: allDomains,
    userCount: allUsers?.filter((user) => !user.is_deleted).length,
    accountCount: allAccounts?.length,
    sendingAccount,
    verifiedIdentities,
    mx,
    foreignSpf,
    waitingMail,
    problems: listedProblems,
    testMailSent: progress?.testMailSent === true,
    welcomeDismissed: progress?.welcomeDismissed === true,
    mailDomain,
    cognitoSendsBySes,
    now: clock(),
    failedSources: [...failed].sort(),
  };
};

export const getReadiness = (dependencies: ReadinessDependencies) => adminMethod(contract.methods.GetReadiness, {
  run: async () => ({ readiness: readinessOf(await readInputs(dependencies)) }),
});
