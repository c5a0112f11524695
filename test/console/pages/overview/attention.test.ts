import { attentions } from '../../../../console/pages/overview/attention.ts';
import type { Readiness } from '../../../../console/pages/overview/setup-steps.ts';
import { describeProblem, type ProblemReference } from '../../../../contract/admin/problems.ts';

type Issue = Readiness['health_issues'][number];
type Domains = Parameters<typeof attentions>[2];

const problem = (reference: ProblemReference) => describeProblem(reference, '2026-11-30T10:00:00Z');
const issueOf = ({ name, severity, title, meaning, next_step: step }: ReturnType<typeof problem>): Issue => ({
  type: name,
  severity,
  title,
  likely_cause: meaning,
  suggested_action: step,
});
const domainNamed = (domain: string) => ({ id: `id-${domain}`, domain, verification_status: 'PENDING', is_primary: false }) as Domains[number];

/** The overview's items for problems that the watch has found. */
const shown = (references: readonly ProblemReference[], issues: readonly Issue[] = []) => {
  const problems = references.map(problem);
  const domains = references.flatMap(({ name, subject }) => (name === 'DOMAIN_NOT_VERIFIED' ? [domainNamed(subject!)] : []));
  return attentions([...problems.map(issueOf), ...issues], problems, domains);
};

const unverified = (count: number): ProblemReference[] =>
  Array.from({ length: count }, (_, index) => ({ name: 'DOMAIN_NOT_VERIFIED', subject: `${index}.example` }));

describe('what needs attention', () => {
  test('is one of each kind, the worst first, with how many there are', () => {
    const found = shown([...unverified(7), { name: 'ACCOUNT_NEARLY_FULL', subject: 'acc_1', subject_name: 'Ada (ada@a.example)' }, { name: 'SENDING_PAUSED' }]);
    expect(found.map(({ severity, title, subjects }) => [severity, title, subjects.length])).toEqual([
      ['CRITICAL', 'SES sends no mail', 0],
      ['WARNING', '7 domains are not verified yet', 7],
      ['WARNING', 'The account Ada (ada@a.example) is nearly full', 0],
    ]);
  });

  test.each<[string, readonly ProblemReference[], string, readonly { name: string; to: string | undefined }[]]>([
    ['a domain', unverified(1), '/domains/id-0.example/set-up?step=records', []],
    [
      'domains',
      unverified(2),
      '/domains',
      [
        { name: '0.example', to: '/domains/id-0.example' },
        { name: '1.example', to: '/domains/id-1.example' },
      ],
    ],
    ['a full account', [{ name: 'ACCOUNT_NEARLY_FULL', subject: 'acc_1', subject_name: 'Ada' }], '/accounts/acc_1', []],
    [
      'queues',
      [
        { name: 'DEAD_LETTERS', subject: 'InboundMail/Waiting/DeadLetters' },
        { name: 'DEAD_LETTERS', subject: 'Push/FailedNotifications' },
      ],
      '/queues',
      [
        { name: 'Received mail', to: '/queues/dead-letters?queue=InboundMail%2FWaiting' },
        { name: 'Notifications of changes', to: '/queues/dead-letters?queue=Push%2FFailedNotifications' },
      ],
    ],
    ['a removal of an account that is gone', [{ name: 'REMOVAL_FAILED', subject: 'acc_1' }], '/monitoring', []],
  ])('leads to %s, by name', (_, references, to, subjects) => {
    const [only, ...others] = shown(references);
    expect(others).toEqual([]);
    expect([only!.link!.to, only!.subjects]).toEqual([to, subjects]);
  });

  test('is shown also when the watch does not look for it, or has not found it yet', () => {
    const spf = (domain: string): Issue => ({ type: 'SPF_NOT_MERGED', severity: 'WARNING', title: `SPF of ${domain}`, likely_cause: 'It is ours.' });
    const live = issueOf(problem({ name: 'MX_MISSING', subject: 'a.example' }));
    expect(shown([], [spf('a'), spf('b'), live]).map(({ title, subjects, problem: found }) => [title, subjects.map(({ name }) => name), found])).toEqual([
      ['The SPF policies of 2 domains do not allow SES', ['SPF of a', 'SPF of b'], undefined],
      ['The domain a.example does not receive mail', [], undefined],
    ]);
  });
});
