import type { HealthIssue } from '../../../contract/admin/setup.ts';
import type { StoredDomain } from '../../../core/directory/domains.ts';
import { isVerified, type Facts } from './facts.ts';

/** From this part of the day's quota on, it is said that it may run out. */
const nearlyUsed = 0.8;

const namesOf = (domains: readonly StoredDomain[]): string => domains.map(({ domain }) => domain).toSorted().join(', ');

const domainIssues = (facts: Facts): HealthIssue[] => {
  const { domains } = facts;
  if (!domains) return [];
  if (domains.length === 0) {
    return [{ type: 'NO_DOMAIN', severity: 'INFO', title: 'There is no domain yet', likely_cause: 'The deployment is new.', suggested_action: 'Add a domain with domains/AddDomain.' }];
  }
  const waiting = domains.filter((domain) => !isVerified(facts, domain));
  const failed = waiting.filter(({ verification_status: status }) => status === 'FAILED');
  const pending = waiting.filter((domain) => !failed.includes(domain));
  return [
    ...(failed.length > 0 ? [{
      type: 'DOMAIN_VERIFICATION_FAILED', severity: 'CRITICAL', title: `Verification failed: ${namesOf(failed)}`,
      likely_cause: 'The DKIM records were not found in time, or SES does not know the domain any more.',
      suggested_action: 'Put the records of domains/GetDomain in place; if that does not help, remove the domain and add it again.',
    } as const] : []),
    ...(pending.length > 0 ? [{
      type: 'DOMAIN_NOT_VERIFIED', severity: 'WARNING', title: `Not verified yet: ${namesOf(pending)}`,
      likely_cause: 'The DKIM records are missing, or were put in place a short time ago.',
      suggested_action: 'Put the records of domains/GetDomain in place, or have domains/ApplyDomainRecords do it.',
    } as const] : []),
  ];
};

const mxIssues = ({ domains = [], mxLeadsHere, failedSources }: Facts): HealthIssue[] => {
  const elsewhere = domains.filter((domain) => domain.receive_enabled && !mxLeadsHere.includes(domain.domain));
  if (elsewhere.length === 0 || failedSources.includes('public DNS')) return [];
  return [{
    type: 'MX_MISSING', severity: 'WARNING', title: `Mail does not arrive: ${namesOf(elsewhere)}`, likely_cause: 'The MX record of the domain does not lead to this deployment.',
    suggested_action: 'Put the MX record of domains/GetDomain in place.',
  }];
};

const sendingIssues = ({ sending }: Facts): HealthIssue[] => {
  if (!sending) return [];
  const { quota: { max_24h_send: max = 0, sent_last_24h: sent = 0 } } = sending;
  return [
    ...(sending.sandbox === true ? [{
      type: 'SES_SANDBOX', severity: 'WARNING', title: 'Mail goes to verified addresses only', likely_cause: 'The AWS account is in the SES sandbox.',
      suggested_action: 'Ask for production access with change-requests/CreateChangeRequest.',
    } as const] : []),
    ...(sending.sending_enabled === false ? [{
      type: 'SENDING_PAUSED', severity: 'CRITICAL', title: 'SES sends nothing', likely_cause: 'Sending is paused for the AWS account.', suggested_action: 'Look into the SES console.',
    } as const] : []),
    ...(sending.enforcement_status !== undefined && sending.enforcement_status !== 'HEALTHY' ? [{
      type: 'SES_ENFORCEMENT', severity: sending.enforcement_status === 'SHUTDOWN' ? 'CRITICAL' : 'WARNING', title: `SES has put the account under ${sending.enforcement_status}`,
      likely_cause: 'Too much of what was sent bounced or was complained about.', suggested_action: 'Look at mail-feedback/ListRecentFeedback and into the SES console.',
    } as const] : []),
    ...(max > 0 && sent >= max * nearlyUsed ? [{
      type: 'QUOTA_NEARLY_USED', severity: 'WARNING', title: `${sent} of ${max} messages were sent in 24 hours`, likely_cause: 'More is sent than SES allows the account.',
      suggested_action: 'Ask for more with change-requests/CreateChangeRequest.',
    } as const] : []),
  ];
};

/** What an operator should know, and could do. */
export const healthIssues = (facts: Facts): HealthIssue[] => [
  ...domainIssues(facts),
  ...mxIssues(facts),
  ...sendingIssues(facts),
  ...facts.failedSources.map((source): HealthIssue => ({
    type: 'SOURCE_UNAVAILABLE', severity: 'WARNING', title: `The ${source} could not be looked at`, likely_cause: 'An AWS service or DNS did not answer.', suggested_action: 'Try again in a moment.',
  })),
];
