import type { DnsProvider } from '../../../core/aws/route53-dns-provider.ts';
import type { EmailProvider } from '../../../core/aws/ses/ses-email-provider.ts';
import type { SenderAddresses } from '../../../core/aws/ses/ses-sender-addresses.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { Addresses } from '../../../core/directory/aliases/addresses.ts';
import type { DomainIdentities } from '../../../core/directory/aliases/domain-identities.ts';
import type { Domains } from '../../../core/directory/domains/domains.ts';
import type { TestMailNote } from '../../../core/directory/setup.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import type { Log } from '../../../core/runtime/log.ts';
import type { PublicDns } from '../../../core/runtime/public-dns.ts';
import type { Suppressions } from '../../../core/sending/feedback/suppressions.ts';
import type { AcceptDependencies } from '../../../core/sending/submission/accept-submission.ts';
import type { DnsTargets } from './domain-dns-records.ts';

/** The dependencies of SendTestEmail: the submission pipeline, and the addresses that may send a test mail. */
type TestSending = AcceptDependencies & {
  readonly suppressions: Pick<Suppressions, 'findReasons'>;
  readonly senderAddresses: Pick<SenderAddresses, 'find'>;
  readonly setup: TestMailNote;
};

/** The stores and providers of /domains. */
export type DomainsDependencies = {
  readonly domains: Domains;
  readonly addresses: Pick<Addresses, 'resolve'>;
  readonly accounts: Pick<Accounts, 'findAll'>;
  readonly domainIdentities: DomainIdentities;
  readonly emailProvider: EmailProvider;
  /** Public DNS, for validation. */
  readonly dns: PublicDns;
  /** The DNS provider with the zones that the deployment can write. */
  readonly dnsProvider: DnsProvider;
  readonly testSending: TestSending;
  /** The deployment's own mail domain, whose `is_primary` is true. */
  readonly mailDomain: string;
  readonly dnsTargets: DnsTargets;
  readonly newId: NewId;
  readonly clock: Clock;
  readonly log: Log;
};
