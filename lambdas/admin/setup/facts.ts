import type { SESStatus } from '../../../contract/admin/status.ts';
import type { StoredDomain } from '../../../core/directory/domains.ts';

/** A part of what is known; its name stands in for it where it could not be learned. */
export type Source = 'domains' | 'users' | 'accounts' | 'sending provider' | 'identities' | 'public DNS' | 'progress';

/** What the readiness is judged by. What could not be learned is undefined. */
export type Facts = {
  readonly domains: readonly StoredDomain[] | undefined;
  readonly userCount: number | undefined;
  readonly accountCount: number | undefined;
  readonly sending: Omit<SESStatus, 'reputation'> | undefined;
  /** Addresses and domains that mail may be sent from. */
  readonly verified: readonly string[] | undefined;
  /** The names of domains that receive and whose MX leads here. */
  readonly mxLeadsHere: readonly string[];
  readonly testMailSent: boolean;
  readonly welcomeDismissed: boolean;
  /** The deployment's own mail domain. */
  readonly mailDomain: string;
  readonly failedSources: readonly Source[];
};

/** Verified as the provider says now; as it last said, where it can't be asked. */
export const isVerified = ({ verified }: Pick<Facts, 'verified'>, { domain, verification_status: status }: StoredDomain): boolean =>
  verified?.includes(domain) ?? status === 'SUCCESS';
