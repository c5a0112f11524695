import { describeProblem, problemNames, type Problem, type ProblemName } from '../../../contract/admin/problems.ts';
import type { HealthIssue } from '../../../contract/admin/setup.ts';
import { cognitoMailsPerDay, settingsForSes } from '../../../contract/deployment/sign-in-mail.ts';
import { waitingMail as waitingMailRules } from '../../../contract/deployment/waiting-mail.ts';
import { unverifiedDomains } from '../../../core/directory/domains/unverified-domains.ts';
import { sendingProblems } from '../../../core/directory/operations/sending-problems.ts';
import type { ReadinessInputs, ReadinessSource } from './readiness-inputs.ts';

/**
 * The subjects that have a problem of a kind now: names of domains, or undefined for the deployment. The result is
 * undefined if a source that decides failed.
 */
type FindNow = (inputs: ReadinessInputs, listed: readonly Problem[]) => readonly (string | undefined)[] | undefined;

const unverifiedNow = (isFailed: boolean): FindNow => ({ domains, verifiedIdentities }) =>
  domains && verifiedIdentities && unverifiedDomains(domains, verifiedIdentities, isFailed);

/** A state of the AWS account at SES. */
const accountNow = (name: keyof typeof sendingProblems): FindNow =>
  ({ sendingAccount }, listed) => sendingAccount && (sendingProblems[name](sendingAccount, listed.length > 0) ? [undefined] : []);

/**
 * The kinds of problems whose state the call reads anyway, for the steps. It is newer than the list of the watch, so
 * that a step of an operator shows at once. `listed` has the problems of the kind in the list.
 */
const findNow: { readonly [Name in ProblemName]?: FindNow } = {
  SES_SANDBOX: accountNow('SES_SANDBOX'),
  SENDING_PAUSED: accountNow('SENDING_PAUSED'),
  SES_ENFORCEMENT: accountNow('SES_ENFORCEMENT'),
  QUOTA_NEARLY_USED: accountNow('QUOTA_NEARLY_USED'),
  DOMAIN_VERIFICATION_FAILED: unverifiedNow(true),
  DOMAIN_NOT_VERIFIED: unverifiedNow(false),
  // A domain whose lookup failed, or for which there was no time, has the problem if the watch found it.
  MX_MISSING: ({ domains, mx }, listed) => {
    const unknown = listed.flatMap(({ subject }) => (subject !== undefined && [...mx.failed, ...mx.skipped].includes(subject) ? [subject] : []));
    return domains && [...mx.elsewhere.toSorted(), ...unknown.toSorted()];
  },
};

const issueOf = ({ name, severity, title, meaning, next_step: nextStep }: Problem): HealthIssue =>
  ({ type: name, severity, title, likely_cause: meaning, suggested_action: nextStep });

/** The problems of a kind: those of now, or those of the list of the watch. */
const problemsOf = (name: ProblemName, inputs: ReadinessInputs): readonly Problem[] => {
  const listed = (inputs.problems ?? []).filter((problem) => problem.name === name);
  const subjects = findNow[name]?.(inputs, listed);
  const now = inputs.now.toISOString();
  return subjects?.map((subject) => listed.find((problem) => problem.subject === subject) ?? describeProblem(name, subject, now)) ?? listed;
};

const noDomainIssue: HealthIssue = {
  type: 'NO_DOMAIN',
  severity: 'INFO',
  title: 'There is no domain yet',
  likely_cause: 'The deployment is new.',
  suggested_action: 'Add a domain with domains/AddDomain.',
};

const foreignSpfIssue = (domain: string): HealthIssue => ({
  type: 'SPF_NOT_MERGED',
  severity: 'WARNING',
  title: `The SPF policy of ${domain} does not allow SES`,
  likely_cause: 'The policy is that of another mail service. It stays as it is, because it is not ours. Receivers may take mail from here for forged.',
  suggested_action: 'Publish the merged policy that domains/GetDomain returns with include_dns_validation, in place of the present one.',
});

/** The limits of invitations and codes for forgotten passwords, which Cognito mails. */
const signInMailIssues = ({ cognitoSendsBySes, mailDomain, sendingAccount, verifiedIdentities }: ReadinessInputs): HealthIssue[] => {
  const type = 'SIGN_IN_MAIL_LIMITED';
  if (cognitoSendsBySes) return sendingAccount?.sandbox === true ? [{
    type,
    severity: 'WARNING',
    title: 'Invitations and codes for forgotten passwords reach verified addresses only',
    likely_cause: 'SES sends them, and its sandbox allows no others.',
    suggested_action: 'Request production access, or deploy without signInMailFrom until SES grants it.',
  }] : [];
  const canSwitch = sendingAccount?.production_access_enabled === true && verifiedIdentities?.includes(mailDomain);
  const when = canSwitch ? 'Deploy' : `When SES has verified ${mailDomain} and granted production access, deploy`;
  return [{
    type,
    severity: 'INFO',
    title: `Cognito mails at most ${cognitoMailsPerDay} invitations and codes a day`,
    likely_cause: 'It uses its own sender, whose limit is that of the whole AWS account.',
    suggested_action: `${when} again with ${settingsForSes(mailDomain)}, so that SES sends them.`,
  }];
};

/** Domains without a lookup are counted. */
const mxNotCheckedIssues = ({ mx: { here, elsewhere, failed, skipped } }: ReadinessInputs): HealthIssue[] => (skipped.length === 0 ? [] : [{
  type: 'MX_NOT_CHECKED',
  severity: 'INFO',
  title: `The MX records of ${skipped.length} of ${here.length + elsewhere.length + failed.length + skipped.length} domains were not looked up`,
  likely_cause: 'DNS responds slowly, or there are more domains than one call has time for.',
  suggested_action: 'Call again in a minute. Each minute begins with other domains.',
}]);

const hour = 3600;

const duration = (seconds: number): string => {
  const [count, unit] = seconds < 2 * hour ? [Math.round(seconds / 60), 'minute'] : [Math.floor(seconds / hour), 'hour'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
};

/** Mail that waits, measured now, or else the problem in the list. */
const waitingMailIssues = (inputs: ReadinessInputs): HealthIssue[] => {
  const { messages, oldestSeconds } = inputs.waitingMail ?? { messages: 0, oldestSeconds: 0 };
  if (messages === 0) return problemsOf('MAIL_WAITING', inputs).map(issueOf);
  const wait = messages === 1 ? 'About 1 message waits' : `About ${messages} messages wait`;
  return [{
    type: 'MAIL_WAITING',
    severity: oldestSeconds >= waitingMailRules.alarmHours * hour ? 'WARNING' : 'INFO',
    title: `${wait} for room in full accounts, the oldest for ${duration(oldestSeconds)}`,
    likely_cause: 'An account has used up its octets or its number of Emails. Its mail is bounced within a day.',
    suggested_action: 'Find the account by the lines "account-full" in the log of deliver. Raise its limit with accounts/UpdateAccount, '
      + 'or ask its owner to delete mail. Waiting mail is then delivered within a quarter of an hour.',
  }];
};

const sourceIssue = (source: ReadinessSource): HealthIssue => ({
  type: 'SOURCE_UNAVAILABLE',
  severity: 'WARNING',
  title: `Reading the ${source} failed`,
  likely_cause: 'An AWS service or DNS did not respond.',
  suggested_action: 'Try again in a moment.',
});

/**
 * Returns the facts that an operator should know, each with its solution: the problems of the watch, in the words of its
 * list, and those of the set-up. The call itself reads the state of some kinds.
 */
export const healthIssues = (inputs: ReadinessInputs): HealthIssue[] => [
  ...(inputs.domains?.length === 0 ? [noDomainIssue] : []),
  ...problemNames.filter((name) => name !== 'MAIL_WAITING').flatMap((name) => problemsOf(name, inputs).map(issueOf)),
  ...mxNotCheckedIssues(inputs),
  ...inputs.foreignSpf.map(foreignSpfIssue),
  ...signInMailIssues(inputs),
  ...waitingMailIssues(inputs),
  ...inputs.failedSources.map(sourceIssue),
];
