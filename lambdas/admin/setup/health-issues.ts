import { describeProblem, problemNames, type ProblemName } from '../../../contract/admin/problems.ts';
import type { HealthIssue } from '../../../contract/admin/setup.ts';
import { problemChecks, signInMailLimit, type Fault, type ProblemFacts } from '../../../contract/deployment/checks.ts';
import { waitingMail as waitingMailRules } from '../../../contract/deployment/waiting-mail.ts';
import type { ReadinessInputs } from './readiness-inputs.ts';

const issueOf = (type: string, { severity, title, meaning, next_step: nextStep }: Fault & Pick<HealthIssue, 'severity'>): HealthIssue => ({
  type,
  severity,
  title,
  likely_cause: meaning,
  suggested_action: nextStep,
});

/** The checks of problems whose facts the call reads. They are newer than the list of the watch, so that a step of an operator shows at once. */
const checksNow: { readonly [Name in ProblemName]?: (typeof problemChecks)[keyof typeof problemChecks] } = problemChecks;

/** The problems of a kind: those of now, or those of the list of the watch. */
const problemIssues = (
  name: ProblemName,
  { domains, verifiedIdentities: verified, mx, sendingAccount, problems = [], now }: ReadinessInputs,
): HealthIssue[] => {
  const listed = problems.filter((problem) => problem.name === name);
  const facts: ProblemFacts = { SES: sendingAccount, domains: domains && { all: domains, verified, mx } };
  const subjects = checksNow[name]?.find(facts, (subject) => listed.some((problem) => problem.subject === subject));
  const found = subjects?.map((subject) => describeProblem({ name, subject }, now.toISOString()));
  return (found ?? listed).map((problem) => issueOf(name, problem));
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

const unreadRolesIssues = ({ unreadRoles }: ReadinessInputs): HealthIssue[] =>
  unreadRoles.length === 0
    ? []
    : [
        {
          type: 'ROLE_MAIL_UNREAD',
          severity: 'WARNING',
          title: `Nobody gets mail to ${unreadRoles.slice(0, 4).join(', ')}${unreadRoles.length > 4 ? ` and ${unreadRoles.length - 4} more` : ''}`,
          likely_cause:
            'No account has these addresses, and no admin has a mailbox, to which their mail would go. RFC 5321 requires postmaster; ' +
            'other mail services complain to abuse before they block a domain.',
          suggested_action: 'Give an account these aliases with aliases/CreateAlias, or give an admin a mailbox with accounts/CreateAccount.',
        },
      ];

const signInMailIssues = ({ cognitoSendsBySes: sendsBySes, mailDomain, sendingAccount: account, verifiedIdentities }: ReadinessInputs): HealthIssue[] => {
  const found = signInMailLimit({ sendsBySes, mailDomain, account, isVerified: verifiedIdentities?.includes(mailDomain) === true });
  return found ? [issueOf('SIGN_IN_MAIL_LIMITED', found)] : [];
};

/** Domains without a lookup are counted. */
const mxNotCheckedIssues = ({ mx: { here, elsewhere, failed, skipped } }: ReadinessInputs): HealthIssue[] =>
  skipped.length === 0
    ? []
    : [
        {
          type: 'MX_NOT_CHECKED',
          severity: 'INFO',
          title: `The MX records of ${skipped.length} of ${here.length + elsewhere.length + failed.length + skipped.length} domains were not looked up`,
          likely_cause: 'DNS responds slowly, or there are more domains than one call has time for.',
          suggested_action: 'Call again in a minute. Each minute begins with other domains.',
        },
      ];

const hour = 3600;

const duration = (seconds: number): string => {
  const [count, unit] = seconds < 2 * hour ? [Math.round(seconds / 60), 'minute'] : [Math.floor(seconds / hour), 'hour'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
};

/** Mail that waits, measured now, or else the problem in the list. */
const waitingMailIssues = (inputs: ReadinessInputs): HealthIssue[] => {
  const { messages, oldestSeconds } = inputs.waitingMail ?? { messages: 0, oldestSeconds: 0 };
  if (messages === 0) return problemIssues('MAIL_WAITING', inputs);
  const wait = messages === 1 ? 'About 1 message waits' : `About ${messages} messages wait`;
  return [
    {
      type: 'MAIL_WAITING',
      severity: oldestSeconds >= waitingMailRules.alarmHours * hour ? 'WARNING' : 'INFO',
      title: `${wait} for room in full accounts, the oldest for ${duration(oldestSeconds)}`,
      likely_cause: 'An account has used up its octets or its number of Emails. Its mail is bounced within a day.',
      suggested_action:
        'Find the account by the lines "account-full" in the log of deliver. Raise its limit with accounts/UpdateAccount, ' +
        'or ask its owner to delete mail. Waiting mail is then delivered within a quarter of an hour.',
    },
  ];
};

const sourceIssue = (source: string): HealthIssue => ({
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
  ...problemNames.filter((name) => name !== 'MAIL_WAITING').flatMap((name) => problemIssues(name, inputs)),
  ...mxNotCheckedIssues(inputs),
  ...inputs.foreignSpf.map(foreignSpfIssue),
  ...unreadRolesIssues(inputs),
  ...signInMailIssues(inputs),
  ...waitingMailIssues(inputs),
  ...inputs.failedSources.map(sourceIssue),
];
