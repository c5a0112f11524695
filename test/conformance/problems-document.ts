import { problemKinds, problemNames } from '../../contract/admin/problems.ts';
import { provocations } from '../support/provoked-problems.ts';

/** The text of docs/problems.md: each problem, how the tests provoke it, and its words. */
export const problemsDocument = (): string =>
  [
    '# Problems of a deployment',
    '',
    '`npm run docs` writes this page, and `test/contract/problems-document.test.ts` fails while it is out of date. The Lambda',
    '`watch` looks at the deployment every 5 minutes and keeps this list; `status ListProblems` returns it.',
    '`test/lambdas/watch/run-watch.test.ts` provokes each problem and ends its cause. `test/integration/problems/` does so in',
    'the sandbox, except for CERTIFICATE_EXPIRING. `{subject}` is the queue, Lambda, API, domain, host name, account or',
    'source that a problem is about.',
    '',
    '| Problem | Begins when | Ends when |',
    '|---|---|---|',
    ...problemNames.map((name) => `| [${name}](#${name.toLowerCase()}) | ${provocations[name].cause} | ${provocations[name].end} |`),
    '',
    ...problemNames.flatMap((name) => {
      const { severity, title, meaning, affects, next_step: step, console_path: path, runbook } = problemKinds[name];
      return [
        `## ${name}`,
        '',
        `**${title}.** ${severity}.`,
        '',
        '| | |',
        '|---|---|',
        `| Means | ${meaning} |`,
        `| Affects | ${affects} |`,
        `| Next step | ${step} |`,
        `| Console | \`${path}\` |`,
        `| Runbook | [operator-runbook.md](operator-runbook.md#${runbook}) |`,
        '',
      ];
    }),
  ].join('\n');
