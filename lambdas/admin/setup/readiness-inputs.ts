import type { Problem } from '../../../contract/admin/problems.ts';
import type { SESStatus } from '../../../contract/admin/status.ts';
import type { WaitingMail } from '../../../core/aws/cloudwatch/waiting-mail.ts';
import type { StoredDomain } from '../../../core/directory/domains/domains.ts';
import type { MxLookups } from '../../../core/directory/domains/mx-lookups.ts';

/** A source of {@link ReadinessInputs}. The health issue about its failure uses the same name. */
export type ReadinessSource = 'domains' | 'users' | 'accounts' | 'sending provider' | 'identities' | 'public DNS' | 'metrics' | 'progress'
  | 'problems';

/** The inputs of the readiness. An input is undefined if its source failed. */
export type ReadinessInputs = {
  readonly domains: readonly StoredDomain[] | undefined;
  /** The number of users who are not deleted. */
  readonly userCount: number | undefined;
  readonly accountCount: number | undefined;
  /** The status of the AWS account at SES. */
  readonly sendingAccount: Omit<SESStatus, 'reputation'> | undefined;
  /** Verified addresses and domains, from which mail can be sent. */
  readonly verifiedIdentities: readonly string[] | undefined;
  readonly mx: MxLookups;
  /** Domains that send, and whose SPF policy does not allow SES. */
  readonly foreignSpf: readonly string[];
  /** Mail that waits for full accounts. */
  readonly waitingMail: WaitingMail | undefined;
  /** The list of problems that the watch keeps. */
  readonly problems: readonly Problem[] | undefined;
  readonly testMailSent: boolean;
  readonly welcomeDismissed: boolean;
  /** The deployment's own mail domain. */
  readonly mailDomain: string;
  /** Whether Cognito sends its mail by SES, and not by its own sender. */
  readonly cognitoSendsBySes: boolean;
  readonly now: Date;
  readonly failedSources: readonly ReadinessSource[];
};
