import { describeProblem } from '../../contract/admin/problems.ts';
import type { ProblemChange } from '../../core/directory/problems/problem-changes.ts';
import { composeField } from '../../core/mime/compose/compose-header-field.ts';
import { composeMessage } from '../../core/mime/compose/compose-message.ts';

/** The bases of the links in a notification. */
type Links = {
  /** The deployment's own mail domain. */
  readonly mailDomain: string;
  /** Base URL of the console. */
  readonly consoleUrl: string;
};

const counted = (count: number, verb: string): string => `${count} ${count === 1 ? 'problem' : 'problems'} ${verb}`;

/** The subject of a notification, in ASCII: `Postrider example.com: 2 problems began, 1 problem ended`. */
export const changeSubject = (changes: readonly ProblemChange[], { mailDomain }: Pick<Links, 'mailDomain'>): string => {
  const parts = (
    [
      ['begun', 'began'],
      ['ended', 'ended'],
    ] as const
  )
    .map(([change, verb]) => [changes.filter((each) => each.change === change).length, verb] as const)
    .filter(([count]) => count > 0)
    .map(([count, verb]) => counted(count, verb));
  return `Postrider ${mailDomain}: ${parts.join(', ')}`;
};

const begunText = (change: ProblemChange, { consoleUrl }: Links): string[] => {
  const { since } = change;
  const { severity, title, meaning, affects, next_step: step, console_path: path, runbook } = describeProblem(change, since);
  return [
    `${severity}: ${title}`,
    `  Since:     ${since}`,
    `  Means:     ${meaning}`,
    `  Affects:   ${affects}`,
    `  Next step: ${step}`,
    `  Console:   ${consoleUrl}${path}`,
    `  Runbook:   ${runbook}`,
  ];
};

const endedText = (change: ProblemChange): string[] => [`Ended: ${describeProblem(change, change.since).title}`, `  From ${change.since} to ${change.at}`];

/** The text of a notification: each change with its words and links. */
export const changeText = (changes: readonly ProblemChange[], links: Links): string =>
  [
    ...changes.flatMap((change) => [...(change.change === 'begun' ? begunText(change, links) : endedText(change)), '']),
    'All problems: npx postrider-admin status ListProblems',
    '',
  ].join('\n');

/** The raw message of a notification (RFC 5322). It asks for no automatic responses (RFC 3834 §5). */
export const changeMessage = (
  { from, to, date, id }: { readonly from: string; readonly to: readonly string[]; readonly date: Date; readonly id: string },
  changes: readonly ProblemChange[],
  links: Links,
): Buffer => {
  const fields = [
    composeField('From', { form: 'asAddresses', value: [{ name: 'Postrider', email: from }] }),
    composeField('To', { form: 'asAddresses', value: to.map((email) => ({ name: null, email })) }),
    composeField('Subject', { form: 'asText', value: changeSubject(changes, links) }),
    composeField('Date', { form: 'asDate', value: date.toISOString() }),
    composeField('Message-ID', { form: 'asMessageIds', value: [`${id}@${links.mailDomain}`] }),
    composeField('Auto-Submitted', { form: 'asText', value: 'auto-generated' }),
  ].filter((field) => field !== undefined);
  const text = changeText(changes, links);
  return composeMessage({ fields, root: { type: { value: 'text/plain' }, fields: [], content: { text } } }, () => id);
};
