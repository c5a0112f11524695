import { setup as contract, type Readiness } from '../../../contract/admin/setup.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { healthIssues } from './health-issues.ts';
import { readReadinessInputs, type ReadinessDependencies, type ReadinessInputs } from './readiness-inputs.ts';

/**
 * The suggested sender for a test mail: `test@` the deployment's own domain, else `test@` another domain, else a single
 * address.
 */
const suggestedSender = ({ domains = [], verifiedIdentities = [], mailDomain }: ReadinessInputs): string | undefined => {
  const names = domains.filter((domain) => domain.send_enabled && verifiedIdentities.includes(domain.domain)).map(({ domain }) => domain);
  const domain = names.includes(mailDomain) ? mailDomain : names.toSorted()[0];
  return domain === undefined ? verifiedIdentities.filter((name) => name.includes('@')).toSorted()[0] : `test@${domain}`;
};

const receivingReadiness = (inputs: ReadinessInputs): Readiness['receiving'] => {
  const domains = inputs.domains ?? [];
  const steps = {
    has_domain: domains.length > 0,
    // The last known status counts if the identities cannot be read.
    has_verified_domain: domains.some(({ domain, verification_status: lastStatus }) => inputs.verifiedIdentities?.includes(domain) ?? lastStatus === 'SUCCESS'),
    mx_configured: inputs.mx.here.length > 0,
  };
  return { ...steps, complete: Object.values(steps).every(Boolean) };
};

const sendingReadiness = ({ sendingAccount, verifiedIdentities = [], foreignSpf }: ReadinessInputs): Readiness['sending'] => {
  const hasProductionAccess = sendingAccount?.production_access_enabled === true;
  const hasIdentity = verifiedIdentities.length > 0;
  return {
    sandbox: sendingAccount?.sandbox === true,
    production_access_enabled: hasProductionAccess,
    verified_identity_count: verifiedIdentities.length,
    has_verified_identity: hasIdentity,
    complete: hasProductionAccess && sendingAccount?.sending_enabled !== false && hasIdentity && foreignSpf.length === 0,
  };
};

const testReadiness = (inputs: ReadinessInputs): Readiness['test'] => {
  const sender = suggestedSender(inputs);
  return {
    can_send_test: sender !== undefined && inputs.sendingAccount?.sending_enabled !== false,
    ...(sender !== undefined && { suggested_from_identity: sender }),
    complete: inputs.testMailSent,
  };
};

/**
 * The readiness of the deployment (docs/specification.md#setup). An undefined input is not ready, and affects only its
 * own section.
 */
const readinessOf = (inputs: ReadinessInputs): Readiness => {
  const sections = { receiving: receivingReadiness(inputs), sending: sendingReadiness(inputs), test: testReadiness(inputs) };
  return {
    complete: Object.values(sections).every(({ complete }) => complete),
    welcome_dismissed: inputs.welcomeDismissed,
    ...sections,
    health_issues: healthIssues(inputs),
    identity: { user_count: inputs.userCount ?? 0, account_count: inputs.accountCount ?? 0 },
  };
};

export const getReadiness = (dependencies: ReadinessDependencies) =>
  adminMethod(contract.methods.GetReadiness, { run: async () => ({ readiness: readinessOf(await readReadinessInputs(dependencies)) }) });
