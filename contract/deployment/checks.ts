import { domainOf } from '../values/mail-address.ts';
import { isReceivingRegion, receivingRegions } from './receiving-regions.ts';
import { inboundHost } from './sending.ts';
import { cognitoMailsPerDay, settingsForSes } from './sign-in-mail.ts';

/*
 * The checks that at least two of these make: the preflight, the first resource of a deployment, GetReadiness and the
 * watch. A check finds a fault in facts.
 */

/** A fault in words, with the fields of a problem (contract/admin/problems.ts). */
export type Fault = { readonly title: string; readonly meaning: string; readonly next_step: string };

/**
 * Executions that AWS keeps unreserved for the Lambdas of an account and region (Lambda developer guide, "Configuring
 * reserved concurrency").
 */
const leastUnreserved = 100;

type ConcurrencyFacts = {
  /** The setting `lambdaConcurrency`. */
  readonly setting: number;
  /** The executions that the deployment reserves in addition to what it has reserved before. */
  readonly reserved: number;
  /** The limits of the AWS account in the region. */
  readonly limits: { readonly account_limit?: number; readonly unreserved_concurrency?: number };
};

/** The faults for which the first resource refuses a deployment. */
export const refusals = {
  /** @param hasInboundHost whether public DNS has the host that receives mail in the region; undefined if DNS does not answer. */
  region: (region: string, hasInboundHost: boolean | undefined): Fault | undefined =>
    isReceivingRegion(region) || hasInboundHost !== false
      ? undefined
      : { title: `SES receives no mail in ${region}`, meaning: `DNS has no host ${inboundHost(region)}.`, next_step: receivingRegions.nextStep },

  concurrency({ setting, reserved, limits: { account_limit: limit, unreserved_concurrency: unreserved } }: ConcurrencyFacts): Fault | undefined {
    if (limit !== undefined && setting > limit) {
      return {
        title: `Of concurrent Lambdas, the account has ${limit} in this region, and the setting says ${setting}`,
        meaning: 'Queues would take what the APIs need, and clients get 503.',
        next_step: `Pass -c lambdaConcurrency=${Math.max(10, limit)}, or ask AWS for more.`,
      };
    }
    return unreserved === undefined || reserved <= 0 || unreserved - reserved >= leastUnreserved
      ? undefined
      : {
          title: `Other Lambdas of the account leave ${unreserved} unreserved, and the deployment reserves ${reserved}`,
          meaning: `AWS keeps ${leastUnreserved} unreserved.`,
          next_step: 'Pass a lambdaConcurrency below 1000, or reserve less elsewhere.',
        };
  },

  /** The sender of sign-in mail. @param status of its domain at SES. */
  sender: (signInMailFrom: string, status: string | undefined): Fault | undefined =>
    status === 'SUCCESS'
      ? undefined
      : {
          title: `SES has not verified ${domainOf(signInMailFrom)}`,
          meaning: `Cognito can't send from ${signInMailFrom}.`,
          next_step: 'Deploy without signInMailFrom, add the domain, and deploy again with it when the domain is verified.',
        },
};

/** The AWS account at SES, as GetStatus returns it. */
type SendingAccount = {
  readonly sandbox?: boolean | undefined;
  readonly production_access_enabled?: boolean | undefined;
  readonly sending_enabled?: boolean | undefined;
  readonly enforcement_status?: string | undefined;
  readonly quota: { readonly max_24h_send?: number | undefined; readonly sent_last_24h?: number | undefined };
};

/** Finds the limit of invitations and of codes for forgotten passwords, which Cognito mails. */
export const signInMailLimit = ({
  sendsBySes,
  mailDomain,
  isVerified,
  account,
}: {
  /** Whether Cognito sends its mail by SES, and not by its own sender. */
  readonly sendsBySes: boolean;
  readonly mailDomain: string;
  /** Whether SES has verified the mail domain. */
  readonly isVerified: boolean;
  readonly account: SendingAccount | undefined;
}): (Fault & { readonly severity: 'INFO' | 'WARNING' }) | undefined => {
  if (sendsBySes) {
    return account?.sandbox === true
      ? {
          severity: 'WARNING',
          title: 'Invitations and codes for forgotten passwords reach verified addresses only',
          meaning: 'SES sends them, and its sandbox allows no others.',
          next_step: 'Request production access, or deploy without signInMailFrom until SES grants it.',
        }
      : undefined;
  }
  const when =
    account?.production_access_enabled === true && isVerified ? 'Deploy' : `When SES has verified ${mailDomain} and granted production access, deploy`;
  return {
    severity: 'INFO',
    title: `Cognito mails at most ${cognitoMailsPerDay} invitations and codes a day`,
    meaning: 'It uses its own sender, whose limit is that of the whole AWS account.',
    next_step: `${when} again with ${settingsForSes(mailDomain)}, so that SES sends them.`,
  };
};

/** The facts of {@link problemChecks}, by the names that the watch has for their sources. Undefined: unknown. */
export type ProblemFacts = {
  readonly SES: SendingAccount | undefined;
  readonly domains:
    | {
        readonly all: readonly { readonly domain: string; readonly state: string; readonly verification_status: string }[];
        /** The verified identities at SES. */
        readonly verified: readonly string[] | undefined;
        /** Domains by the result of their MX lookup. */
        readonly mx: { readonly [Result in 'elsewhere' | 'failed' | 'skipped']: readonly string[] };
      }
    | undefined;
};

/** Whether there is a problem of the kind with the subject already. It then ends at another value than it begins. */
export type IsOpen = (subject?: string) => boolean;

/** Subjects of problems. The whole deployment is undefined. */
export type Subjects = readonly (string | undefined)[];

type ProblemCheck<Name extends keyof ProblemFacts> = {
  readonly needs: readonly [Name];
  /** Returns the subjects that have the problem now; undefined if the facts that decide are unknown. */
  readonly find: (facts: Pick<ProblemFacts, Name>, isOpen: IsOpen) => Subjects | undefined;
};

const sendingCheck = (holds: (account: SendingAccount, isOpen: boolean) => boolean): ProblemCheck<'SES'> => ({
  needs: ['SES'],
  find: ({ SES }, isOpen) => SES && (holds(SES, isOpen()) ? [undefined] : []),
});

/** The used shares of the daily sending quota at which the problem begins, and below which it ends. */
const quotaUse = { begin: 0.8, end: 0.7 };

/**
 * A check of the domains that SES has not verified.
 * @param isFailed true: those whose verification failed, or that SES no longer has. False: those that still wait.
 */
const unverifiedCheck = (isFailed: boolean): ProblemCheck<'domains'> => ({
  needs: ['domains'],
  find: ({ domains: { all = [], verified } = {} }) =>
    verified &&
    all
      .filter(
        ({ domain, state, verification_status: lastStatus }) => state === 'ready' && !verified.includes(domain) && (lastStatus !== 'PENDING') === isFailed,
      )
      .map(({ domain }) => domain)
      .toSorted(),
});

/** The checks of problems by their names. Their words are those of the problems. */
export const problemChecks = {
  SES_SANDBOX: sendingCheck(({ sandbox }) => sandbox === true),
  SENDING_PAUSED: sendingCheck(({ sending_enabled: isEnabled }) => isEnabled === false),
  SES_ENFORCEMENT: sendingCheck(({ enforcement_status: status = 'HEALTHY' }) => status !== 'HEALTHY'),
  QUOTA_NEARLY_USED: sendingCheck(
    ({ quota: { max_24h_send: max = 0, sent_last_24h: sent = 0 } }, isOpen) => max > 0 && sent / max >= (isOpen ? quotaUse.end : quotaUse.begin),
  ),
  DOMAIN_VERIFICATION_FAILED: unverifiedCheck(true),
  DOMAIN_NOT_VERIFIED: unverifiedCheck(false),
  MX_MISSING: {
    needs: ['domains'],
    // Nothing is known of a domain whose lookup failed, or for which there was no time: its problem stays.
    find: ({ domains }, isOpen) =>
      domains && [...domains.mx.elsewhere.toSorted(), ...[...domains.mx.failed, ...domains.mx.skipped].filter((domain) => isOpen(domain)).toSorted()],
  } satisfies ProblemCheck<'domains'>,
};
