import type { SESStatus } from '../../../contract/admin/status.ts';
import type { WaitingMail } from '../../../core/aws/cloudwatch/waiting-mail.ts';
import type { StoredDomain } from '../../../core/directory/domains/domains.ts';
import type { MxLookups } from './mx-lookups.ts';

/** A source of {@link ReadinessInputs}, named as in the health issue that reports its failure. */
export type ReadinessSource = 'domains' | 'users' | 'accounts' | 'sending provider' | 'identities' | 'public DNS' | 'metrics' | 'progress';

/** The inputs of the readiness. An input is undefined if its source failed. */
export type ReadinessInputs = {
  readonly domains: readonly StoredDomain[] | undefined;
  /** Users that are not deleted. */
  readonly userCount: number | undefined;
  readonly accountCount: number | undefined;
  /** The status of the AWS account at SES. */
  readonly sendingAccount: Omit<SESStatus, 'reputation'> | undefined;
  /** Verified addresses and domains: mail can be sent from them. */
  readonly verifiedIdentities: readonly string[] | undefined;
  readonly mx: MxLookups;
  /** Mail that waits for room in full accounts. */
  readonly waitingMail: WaitingMail | undefined;
  readonly testMailSent: boolean;
  readonly welcomeDismissed: boolean;
  /** The deployment's own mail domain. */
  readonly mailDomain: string;
  readonly failedSources: readonly ReadinessSource[];
};

/** Whether the provider says that the domain is verified now; if the provider cannot be read, its last known status. */
export const isDomainVerified = (
  { verifiedIdentities }: Pick<ReadinessInputs, 'verifiedIdentities'>, { domain, verification_status: lastStatus }: StoredDomain,
): boolean => verifiedIdentities?.includes(domain) ?? lastStatus === 'SUCCESS';
