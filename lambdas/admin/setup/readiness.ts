import type { Readiness } from '../../../contract/admin/setup.ts';
import { isVerified, type Facts } from './facts.ts';
import { healthIssues } from './health-issues.ts';

/** Whom a test mail could be from: the deployment's own domain before others, a domain before a single address. */
const suggestedSender = ({ domains = [], verified = [], mailDomain }: Facts): string | undefined => {
  const names = domains.filter((domain) => domain.send_enabled && verified.includes(domain.domain)).map(({ domain }) => domain);
  const domain = names.includes(mailDomain) ? mailDomain : names.toSorted()[0];
  return domain === undefined ? verified.filter((name) => name.includes('@')).toSorted()[0] : `test@${domain}`;
};

const receiving = (facts: Facts): Readiness['receiving'] => {
  const domains = facts.domains ?? [];
  const state = { has_domain: domains.length > 0, has_verified_domain: domains.some((domain) => isVerified(facts, domain)), mx_configured: facts.mxLeadsHere.length > 0 };
  return { ...state, complete: state.has_domain && state.has_verified_domain && state.mx_configured };
};

const sending = ({ sending: account, verified = [] }: Facts): Readiness['sending'] => {
  const isProduction = account?.production_access_enabled === true;
  const hasIdentity = verified.length > 0;
  return {
    sandbox: account?.sandbox === true,
    production_access_enabled: isProduction,
    verified_identity_count: verified.length,
    has_verified_identity: hasIdentity,
    complete: isProduction && account?.sending_enabled !== false && hasIdentity,
  };
};

const test = (facts: Facts): Readiness['test'] => {
  const sender = suggestedSender(facts);
  return {
    can_send_test: sender !== undefined && facts.sending?.sending_enabled !== false,
    ...(sender !== undefined && { suggested_from_identity: sender }),
    complete: facts.testMailSent,
  };
};

/** How far the deployment is; a fact that could not be learned counts as not so, and only where it is one. */
export const readinessOf = (facts: Facts): Readiness => {
  const parts = { receiving: receiving(facts), sending: sending(facts), test: test(facts) };
  return {
    complete: Object.values(parts).every(({ complete }) => complete),
    welcome_dismissed: facts.welcomeDismissed,
    ...parts,
    health_issues: healthIssues(facts),
    identity: { user_count: facts.userCount ?? 0, account_count: facts.accountCount ?? 0 },
  };
};
