import type { ResponseOf } from '../../api/admin-api.tsx';
import { overviewWords } from '../../words/pages/monitoring.ts';
import { setupPath, type SetupStep } from '../domains/set-up/set-up-step.ts';

export type Readiness = ResponseOf<'setup', 'GetReadiness'>['readiness'];
type Issue = Readiness['health_issues'][number];
export type Domains = ResponseOf<'domains', 'ListDomains'>['domains'];
type Domain = Domains[number];

export type SetupStepState = { readonly text: string; readonly isDone: boolean; readonly path: string };

const { steps, issues } = overviewWords;

/** The current set-up step of the only domain. With no or several domains, the list of domains. */
const stepOf = ([only, ...others]: readonly Domain[], step: SetupStep): string => (only && others.length === 0 ? setupPath(only.id, step) : '/domains');

const isVerified = ({ verification_status: status }: Domain): boolean => status === 'SUCCESS';

/** The path of the records of an unverified domain, else of the primary domain. */
const recordsPath = (domains: readonly Domain[]): string => {
  const unverified = domains.filter((domain) => !isVerified(domain));
  return stepOf(unverified.length > 0 ? unverified : domains.filter(({ is_primary: isPrimary }) => isPrimary), 'records');
};

/** The path of the test mails of the primary domain, else of a verified one. */
const testPath = (domains: readonly Domain[]): string => {
  const verified = domains.filter(isVerified);
  const primary = verified.filter(({ is_primary: isPrimary }) => isPrimary);
  return stepOf(primary.length > 0 ? primary : verified, 'test');
};

/** The steps of the set-up in their order, each with its page. */
export const setupStepsOf = ({ receiving, sending, test, identity }: Readiness, domains: readonly Domain[]): SetupStepState[] => [
  { text: steps.domain, isDone: receiving.has_domain, path: '/domains/add' },
  { text: steps.verified, isDone: receiving.has_verified_domain, path: recordsPath(domains) },
  { text: steps.mx, isDone: receiving.mx_configured, path: recordsPath(domains) },
  { text: steps.identity, isDone: sending.has_verified_identity, path: recordsPath(domains) },
  { text: steps.production, isDone: sending.production_access_enabled, path: '/change-requests/create' },
  { text: steps.user, isDone: identity.account_count > 0, path: '/users/invite' },
  { text: steps.test, isDone: test.complete, path: testPath(domains) },
];

/** Types of issues that repeat an open step of the set-up. */
const stepIssues = new Set(['NO_DOMAIN', 'SES_SANDBOX']);

/** The issues that are not also steps of the set-up. */
export const withoutSteps = (found: readonly Issue[]): readonly Issue[] => found.filter(({ type }) => !stepIssues.has(type));

const issuePaths: { readonly [Type in keyof typeof issues]: string | undefined } = {
  NO_DOMAIN: '/domains/add',
  DOMAIN_VERIFICATION_FAILED: undefined,
  DOMAIN_NOT_VERIFIED: undefined,
  MX_MISSING: undefined,
  SPF_NOT_MERGED: undefined,
  MX_NOT_CHECKED: '/domains',
  ROLE_MAIL_UNREAD: undefined,
  MAIL_WAITING: '/accounts',
  SES_SANDBOX: '/change-requests/create',
  SENDING_PAUSED: '/feedback',
  SES_ENFORCEMENT: '/feedback',
  QUOTA_NEARLY_USED: '/change-requests/create',
};

/** The path of the domain in the issue's title: what the check found, or the records. The list, if the title does not name exactly one domain. */
const namedDomainPath = ({ type, title }: Issue, domains: readonly Domain[]): string => {
  const names = new Set(title.split(/[ ,@]/));
  return stepOf(
    domains.filter(({ domain }) => names.has(domain)),
    type === 'ROLE_MAIL_UNREAD' ? 'check' : 'records',
  );
};

const isKnown = (type: string): type is keyof typeof issues => Object.hasOwn(issues, type);

/** The action of a person against a problem, and the page for it; undefined for a problem that the console does not know. */
export const issueLink = (issue: Issue, domains: readonly Domain[]) => {
  const { type } = issue;
  if (!isKnown(type)) return undefined;
  return { ...issues[type], to: issuePaths[type] ?? namedDomainPath(issue, domains) };
};
