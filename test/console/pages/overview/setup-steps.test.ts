import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueLink, setupStepsOf, withoutSteps } from '../../../../console/pages/overview/setup-steps.ts';
import { overviewWords } from '../../../../console/words/pages/monitoring.ts';
import { problemChecks } from '../../../../contract/deployment/checks.ts';

type Domains = Parameters<typeof setupStepsOf>[1];
const domain = (id: string, verification_status: 'SUCCESS' | 'PENDING', is_primary = false) =>
  ({ id, domain: `${id}.example`, verification_status, is_primary }) as Domains[number];

const nothingDone: Parameters<typeof setupStepsOf>[0] = {
  complete: false,
  welcome_dismissed: false,
  receiving: { has_domain: false, has_verified_domain: false, mx_configured: false, complete: false },
  sending: { sandbox: true, production_access_enabled: false, verified_identity_count: 0, has_verified_identity: false, complete: false },
  test: { can_send_test: false, complete: false },
  health_issues: [],
  identity: { user_count: 1, account_count: 0 },
};
const issue = (type: string, title = '') => ({ type, title, severity: 'WARNING' as const, likely_cause: '' });

describe('what is to be done', () => {
  const pathsOf = (...domains: Domains) => setupStepsOf(nothingDone, domains).map(({ path }) => path);

  test('are seven ordered steps, none of them done in a new deployment', () => {
    expect(pathsOf()).toEqual(['/domains/add', '/domains', '/domains', '/domains', '/change-requests/create', '/users/invite', '/domains']);
    expect(setupStepsOf(nothingDone, []).some(({ isDone }) => isDone)).toBe(false);
  });

  test.each([
    ['the only domain that waits', [domain('a', 'SUCCESS', true), domain('b', 'PENDING')], '/domains/b/set-up?step=records'],
    ['the primary domain when none waits', [domain('a', 'SUCCESS', true), domain('b', 'SUCCESS')], '/domains/a/set-up?step=records'],
    ['the list when several wait', [domain('a', 'PENDING', true), domain('b', 'PENDING')], '/domains'],
  ])('leads to the records of %s', (_, domains, path) => {
    expect(pathsOf(...domains)[1]).toBe(path);
  });

  test.each([
    ['the primary domain', [domain('a', 'SUCCESS'), domain('b', 'SUCCESS', true), domain('c', 'PENDING')], '/domains/b/set-up?step=test'],
    ['the only verified domain', [domain('a', 'SUCCESS'), domain('b', 'PENDING', true)], '/domains/a/set-up?step=test'],
    ['the list when none is verified', [domain('a', 'PENDING', true)], '/domains'],
  ])('leads to the test mails of %s', (_, domains, path) => {
    expect(pathsOf(...domains).at(-1)).toBe(path);
  });

  test('link a problem to the domain that it names', () => {
    const domains = [domain('a', 'PENDING'), domain('b', 'SUCCESS')];
    expect(issueLink(issue('DOMAIN_NOT_VERIFIED', 'The domain a.example is not verified yet'), domains)).toMatchObject({
      to: '/domains/a/set-up?step=records',
    });
    expect(issueLink(issue('MX_MISSING', 'The domain c.example does not receive mail'), domains)).toMatchObject({ to: '/domains' });
    expect(issueLink(issue('ROLE_MAIL_UNREAD', 'Nobody gets mail to postmaster@b.example, abuse@b.example'), domains)).toMatchObject({
      to: '/domains/b/set-up?step=check',
    });
    expect(issueLink(issue('SES_SANDBOX'), domains)).toMatchObject({ to: '/change-requests/create' });
    expect(issueLink(issue('A_NEW_PROBLEM'), domains)).toBeUndefined();
  });

  test('do not repeat an open step as a problem', () => {
    const [domain, sandbox, paused] = ['NO_DOMAIN', 'SES_SANDBOX', 'SENDING_PAUSED'].map((type) => issue(type));
    expect(withoutSteps([domain!, sandbox!, paused!])).toEqual([paused]);
  });

  test('have words for every problem that GetReadiness reads itself, except for sources that do not respond', () => {
    const source = readFileSync(join(import.meta.dirname, '../../../../lambdas/admin/setup/health-issues.ts'), 'utf8');
    const types = new Set([...Object.keys(problemChecks), ...[...source.matchAll(/type: '([A-Z_]+)'/g)].map(([, type]) => String(type))]);
    types.delete('SOURCE_UNAVAILABLE');
    expect([...types].sort()).toEqual(Object.keys(overviewWords.issues).sort());
  });
});
