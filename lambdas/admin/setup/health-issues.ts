import type { HealthIssue } from '../../../contract/admin/setup.ts';
import { waitingMail as waitingMailRules } from '../../../contract/deployment/waiting-mail.ts';
import type { StoredDomain } from '../../../core/directory/domains/domains.ts';
import { isDomainVerified, type ReadinessInputs, type ReadinessSource } from './readiness-inputs.ts';

/** The used part of the daily sending quota from which an issue warns about it. */
const quotaWarningThreshold = 0.8;

const namesOf = (domains: readonly StoredDomain[]): string => domains.map(({ domain }) => domain).toSorted().join(', ');

const noDomainIssue: HealthIssue = {
  type: 'NO_DOMAIN',
  severity: 'INFO',
  title: 'There is no domain yet',
  likely_cause: 'The deployment is new.',
  suggested_action: 'Add a domain with domains/AddDomain.',
};

const verificationFailedIssue = (domains: readonly StoredDomain[]): HealthIssue => ({
  type: 'DOMAIN_VERIFICATION_FAILED',
  severity: 'CRITICAL',
  title: `Verification failed: ${namesOf(domains)}`,
  likely_cause: 'SES did not find the DKIM records in time, or no longer has the domain.',
  suggested_action: 'Create the DNS records of domains/GetDomain. If that does not help, remove the domain and add it again.',
});

const notVerifiedIssue = (domains: readonly StoredDomain[]): HealthIssue => ({
  type: 'DOMAIN_NOT_VERIFIED',
  severity: 'WARNING',
  title: `Not verified yet: ${namesOf(domains)}`,
  likely_cause: 'The DKIM records are missing or were created a short time ago.',
  suggested_action: 'Create the DNS records of domains/GetDomain, yourself or with domains/ApplyDomainRecords.',
});

const domainIssues = (inputs: ReadinessInputs): HealthIssue[] => {
  const { domains } = inputs;
  if (!domains) return [];
  if (domains.length === 0) return [noDomainIssue];
  const unverified = domains.filter((domain) => !isDomainVerified(inputs, domain));
  const failed = unverified.filter(({ verification_status: status }) => status === 'FAILED');
  const pending = unverified.filter((domain) => !failed.includes(domain));
  return [...(failed.length > 0 ? [verificationFailedIssue(failed)] : []), ...(pending.length > 0 ? [notVerifiedIssue(pending)] : [])];
};

const mxMissingIssue = (names: readonly string[]): HealthIssue => ({
  type: 'MX_MISSING',
  severity: 'WARNING',
  title: `The domain does not receive mail: ${names.toSorted().join(', ')}`,
  likely_cause: 'The MX record of the domain does not point to this deployment.',
  suggested_action: 'Create the MX record of domains/GetDomain.',
});

const mxNotCheckedIssue = (skipped: number, all: number): HealthIssue => ({
  type: 'MX_NOT_CHECKED',
  severity: 'INFO',
  title: `The MX records of ${skipped} of ${all} domains were not looked up`,
  likely_cause: 'DNS responds slowly, or there are more domains than one call has time for.',
  suggested_action: 'Call again in a minute. Each minute begins with other domains.',
});

/** A domain is reported only after a lookup. Domains without a lookup are counted separately. */
const mxIssues = ({ mx: { here, elsewhere, failed, skipped } }: ReadinessInputs): HealthIssue[] => [
  ...(elsewhere.length > 0 ? [mxMissingIssue(elsewhere)] : []),
  ...(skipped.length > 0 ? [mxNotCheckedIssue(skipped.length, here.length + elsewhere.length + failed.length + skipped.length)] : []),
];

const sandboxIssue: HealthIssue = {
  type: 'SES_SANDBOX',
  severity: 'WARNING',
  title: 'Mail can be sent to verified addresses only',
  likely_cause: 'The AWS account is in the SES sandbox.',
  suggested_action: 'Request production access with change-requests/CreateChangeRequest.',
};

const sendingPausedIssue: HealthIssue = {
  type: 'SENDING_PAUSED',
  severity: 'CRITICAL',
  title: 'SES sends no mail',
  likely_cause: 'Sending is paused for the AWS account.',
  suggested_action: 'Check the account in the SES console.',
};

const enforcementIssue = (status: string): HealthIssue => ({
  type: 'SES_ENFORCEMENT',
  severity: status === 'SHUTDOWN' ? 'CRITICAL' : 'WARNING',
  title: `The enforcement status of the SES account is ${status}`,
  likely_cause: 'Too much of the sent mail bounced or caused complaints.',
  suggested_action: 'Check mail-feedback/ListRecentFeedback and the SES console.',
});

const quotaIssue = (sent: number, max: number): HealthIssue => ({
  type: 'QUOTA_NEARLY_USED',
  severity: 'WARNING',
  title: `${sent} of ${max} messages were sent in 24 hours`,
  likely_cause: 'The deployment sends nearly as much as the SES quota allows.',
  suggested_action: 'Request a higher quota with change-requests/CreateChangeRequest.',
});

const sendingIssues = ({ sendingAccount }: ReadinessInputs): HealthIssue[] => {
  if (!sendingAccount) return [];
  const { sandbox, sending_enabled, enforcement_status: enforcement, quota } = sendingAccount;
  const { max_24h_send: max = 0, sent_last_24h: sent = 0 } = quota;
  return [
    ...(sandbox === true ? [sandboxIssue] : []),
    ...(sending_enabled === false ? [sendingPausedIssue] : []),
    ...(enforcement !== undefined && enforcement !== 'HEALTHY' ? [enforcementIssue(enforcement)] : []),
    ...(max > 0 && sent >= max * quotaWarningThreshold ? [quotaIssue(sent, max)] : []),
  ];
};

const hour = 3600;

const duration = (seconds: number): string => {
  const [count, unit] = seconds < 2 * hour ? [Math.round(seconds / 60), 'minute'] : [Math.floor(seconds / hour), 'hour'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
};

const waitingMailIssues = ({ waitingMail: { messages, oldestSeconds } = { messages: 0, oldestSeconds: 0 } }: ReadinessInputs): HealthIssue[] => {
  if (messages === 0) return [];
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

/** The problems of the deployment that an operator should know about, with their remedies. */
export const healthIssues = (inputs: ReadinessInputs): HealthIssue[] => [
  ...domainIssues(inputs),
  ...mxIssues(inputs),
  ...waitingMailIssues(inputs),
  ...sendingIssues(inputs),
  ...inputs.failedSources.map(sourceIssue),
];
