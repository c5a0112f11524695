import type { SESReputation, SESStatus } from '../../contract/admin/status.ts';
import type { MonitoredResources } from '../../contract/deployment/monitored-resources.ts';
import type { QuotaAmounts } from '../../contract/jmap/quota.ts';
import type * as z from 'zod';
import type { Head } from '../../core/account-log/head.ts';
import type { Metrics } from '../../core/aws/cloudwatch/metrics.ts';
import type { ClientRegistrar } from '../../core/aws/cognito/client-registrar.ts';
import type { EmailProvider } from '../../core/aws/ses/identities/email-provider.ts';
import type { SenderAddresses } from '../../core/aws/ses/identities/sender-addresses.ts';
import type { QueueDepth, QueueDepths } from '../../core/aws/sqs/queue-depths.ts';
import type { AccountRemovals } from '../../core/directory/accounts/account-removals.ts';
import type { Accounts } from '../../core/directory/accounts/accounts.ts';
import type { Domains, StoredDomain } from '../../core/directory/domains/domains.ts';
import type { MxLookups } from '../../core/directory/domains/mx-lookups.ts';
import type { UserRemovals } from '../../core/directory/users/user-removals.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { ServedCertificates } from '../../core/runtime/http/served-certificates.ts';
import type { PublicDns } from '../../core/runtime/public-dns.ts';
import type { ClientRegistrations } from '../../core/directory/clients/client-registrations.ts';
import type { Table } from '../../core/storage/table.ts';

/** The dependencies of the readers of the sources. */
export type SourceDependencies = {
  readonly resources: MonitoredResources;
  readonly queueDepths: QueueDepths;
  readonly metrics: Metrics;
  readonly emailProvider: Pick<EmailProvider, 'accountStatus'>;
  readonly senderAddresses: Pick<SenderAddresses, 'listVerifiedIdentities'>;
  readonly domains: Pick<Domains, 'list'>;
  readonly dns: PublicDns;
  readonly accounts: Pick<Accounts, 'list'>;
  /** The mail table, with the heads of accounts and the messages that could not be parsed. */
  readonly mail: Pick<Table, 'batchGet' | 'query'>;
  readonly removals: Pick<AccountRemovals, 'list'>;
  readonly userRemovals: Pick<UserRemovals, 'listDue'>;
  /** Undefined when no client can register. */
  readonly appClients: Pick<ClientRegistrar, 'count'> | undefined;
  readonly registrations: Pick<ClientRegistrations, 'countNew'>;
  readonly certificates: ServedCertificates;
  /** Host names of the deployment's custom domains. */
  readonly hostNames: readonly string[];
  readonly quotaDefaults: QuotaAmounts;
  /** The deployment's own mail domain. */
  readonly mailDomain: string;
  readonly region: string;
  readonly clock: Clock;
};

/**
 * A queue, and the age of its oldest message in seconds, which is known when a consumer has messages or could have
 * them.
 */
export type WatchedQueue = QueueDepth & { readonly oldestSeconds: number };

/** The values of the sources. Keys of the maps are subjects of problems. */
export type Sources = {
  readonly queues: ReadonlyMap<string, WatchedQueue>;
  /** Milliseconds by which each Lambda of a stream is behind. */
  readonly streams: ReadonlyMap<string, number>;
  /** Errors of each Lambda in the last 30 minutes. Lambdas without errors are left out. */
  readonly 'errors of Lambdas': ReadonlyMap<string, number>;
  /** Throttled calls of all Lambdas of the AWS account in the last 15 minutes. */
  readonly throttles: number;
  /** Responses with a status 5xx of each API in the last 15 minutes. */
  readonly APIs: ReadonlyMap<string, number>;
  readonly SES: Omit<SESStatus, 'reputation'>;
  readonly reputation: z.input<typeof SESReputation>;
  readonly domains: { readonly all: readonly StoredDomain[]; readonly verified: readonly string[]; readonly mx: MxLookups };
  /** The expiry of the certificate of each host name. */
  readonly certificates: ReadonlyMap<string, Date>;
  readonly accounts: ReadonlyMap<string, Head>;
  /** Messages that could not be parsed, each as `<account id>/<blob id>`. */
  readonly 'unparsed messages': readonly string[];
  /** Ids of deleted accounts and users whose data should be gone. */
  readonly removals: readonly string[];
  /** The number of app clients of the user pool. */
  readonly 'app clients': number;
  /** The number of new clients in the last 24 hours. */
  readonly registrations: number;
};
export type SourceName = keyof Sources;

/** The values that a run has read. A source is undefined when it failed or was not due. */
export type Facts = { readonly [Name in SourceName]?: Sources[Name] | undefined } & {
  readonly now: Date;
  readonly quotaDefaults: QuotaAmounts;
};
