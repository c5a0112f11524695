import { problemKinds, problemNames, titleOfMany, type Problem, type ProblemName } from '../../../contract/admin/problems.ts';
import { deadLettersPath } from '../../parts/objects/dead-letters-path.ts';
import { overviewWords, queueName } from '../../words/pages/monitoring.ts';
import { issueLink, type Domains, type Readiness } from './setup-steps.ts';

type Issue = Readiness['health_issues'][number];

/** Something that needs attention: one problem, or all of a kind. */
export type Attention = {
  readonly kind: string;
  readonly severity: Issue['severity'];
  readonly title: string;
  /** The domains, queues or accounts, when there are several. */
  readonly subjects: readonly { readonly name: string; readonly to: string | undefined }[];
  readonly meaning: string;
  readonly next: string;
  readonly link: { readonly to: string; readonly text: string } | undefined;
  /** Undefined for what the watch does not look for. */
  readonly problem: Problem | undefined;
};

const severities: readonly string[] = ['CRITICAL', 'WARNING', 'INFO'];

const isProblem = (type: string): type is ProblemName => problemNames.some((name) => name === type);

/** The page about the subject of a problem, as far as the console has one. */
const pathOf = ({ name, subject }: Problem, domains: Domains): string | undefined => {
  if (problemKinds[name].subject === 'account') return name === 'REMOVAL_FAILED' ? undefined : `/accounts/${encodeURIComponent(subject ?? '')}`;
  if (name === 'DEAD_LETTERS') return deadLettersPath(subject ?? '');
  const domain = domains.find((each) => each.domain === subject);
  return domain && `/domains/${encodeURIComponent(domain.id)}`;
};

const subjectOf = (issue: Issue, problem: Problem | undefined, domains: Domains): Attention['subjects'][number] => {
  if (!problem) return { name: issue.title, to: undefined };
  const { name, subject = '', subject_name: subjectName } = problem;
  return { name: subjectName ?? (problemKinds[name].subject === 'queue' ? queueName(subject) : subject), to: pathOf(problem, domains) };
};

const attentionOf = (issues: readonly [Issue, ...Issue[]], problems: readonly Problem[], domains: Domains): Attention => {
  const [{ type, severity, title, likely_cause: meaning, suggested_action: action = '' }] = issues;
  const found = issues.map((issue) => problems.find((problem) => problem.name === type && problem.title === issue.title));
  const [problem] = found;
  const isSeveral = issues.length > 1;
  const link = issueLink(issues[0], isSeveral ? [] : domains);
  return {
    kind: type,
    severity,
    title: isSeveral ? ((isProblem(type) ? titleOfMany(type, issues.length) : overviewWords.several(type, issues.length)) ?? title) : title,
    subjects: isSeveral ? issues.map((issue, index) => subjectOf(issue, found[index], domains)) : [],
    meaning,
    next: link?.text ?? action,
    link: link
      ? { to: link.to, text: link.action }
      : problem && { to: (isSeveral ? undefined : pathOf(problem, domains)) ?? problem.console_path, text: overviewWords.problems.more },
    problem,
  };
};

/** The health issues by their kinds, the worst first. Those of a kind are one, since the same is to be done. */
export const attentions = (issues: readonly Issue[], problems: readonly Problem[], domains: Domains): readonly Attention[] =>
  [...Map.groupBy(issues, ({ type }) => type).values()]
    .flatMap(([first, ...others]) => (first ? [attentionOf([first, ...others], problems, domains)] : []))
    .toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity));
