import { describeProblem } from '../../contract/admin/problems.ts';
import { maxRecipientsPerSend } from '../../contract/deployment/sending.ts';
import type { Topic } from '../../core/aws/cloudwatch/sns-topic.ts';
import type { Domains } from '../../core/directory/domains/domains.ts';
import type { ProblemChange, ProblemChanges } from '../../core/directory/problems/problem-changes.ts';
import type { ProblemSubscribers } from '../../core/directory/problems/problem-subscribers.ts';
import { composeField } from '../../core/mime/compose/compose-header-field.ts';
import { composeMessage } from '../../core/mime/compose/compose-message.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import type { NewId } from '../../core/runtime/ids.ts';
import { acceptSubmission, type AcceptDependencies } from '../../core/sending/submission/accept-submission.ts';

/** The bases of the links in a notification. */
type Links = {
  /** The deployment's own mail domain. */
  readonly mailDomain: string;
  /** Base URL of the console. */
  readonly consoleUrl: string;
};

const counted = (count: number, verb: string): string => `${count} ${count === 1 ? 'problem' : 'problems'} ${verb}`;

/** The subject of a notification, in ASCII: `Postrider example.com: 2 problems began, 1 problem ended`. */
const changeSubject = (changes: readonly ProblemChange[], { mailDomain }: Pick<Links, 'mailDomain'>): string => {
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
const changeText = (changes: readonly ProblemChange[], links: Links): string =>
  [
    ...changes.flatMap((change) => [...(change.change === 'begun' ? begunText(change, links) : endedText(change)), '']),
    'All problems: npx postrider-admin status ListProblems',
    '',
  ].join('\n');

/** The raw message of a notification (RFC 5322). It asks for no automatic responses (RFC 3834 §5). */
const changeMessage = (
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

export type NotifyDependencies = AcceptDependencies & {
  readonly changes: ProblemChanges;
  readonly subscribers: Pick<ProblemSubscribers, 'list'>;
  readonly domains: Pick<Domains, 'findIdByName' | 'canSendCheck'>;
  /** The topic whose subscribers are notified too. */
  readonly topic: Topic;
  readonly newId: NewId;
  /** The deployment's own mail domain, from which the mail is sent. */
  readonly mailDomain: string;
  readonly consoleUrl: string;
};

/** Maximum changes of one mail. Their marks fit into the transaction that accepts the mail. */
const changesAtOnce = 50;

/**
 * Milliseconds after which people are not notified of a change any more, if the mail domain could not send or SNS
 * refused the text until then.
 */
const currentFor = 24 * 60 * 60_000;

/**
 * Publishes changes that are not published yet, and marks them afterwards. A run that is stopped between the two makes
 * the next run publish them again; otherwise the reservation keeps two runs from publishing the same change.
 */
const publishChanges = async (dependencies: NotifyDependencies, changes: readonly ProblemChange[]): Promise<void> => {
  const { changes: stored, topic, clock, log } = dependencies;
  const reserved: ProblemChange[] = [];
  for (const change of changes) if (!change.isPublished && (await stored.reserve(change, clock()))) reserved.push(change);
  if (reserved.length === 0) return;
  try {
    await topic.publish(changeSubject(reserved, dependencies), changeText(reserved, dependencies));
  } catch (error) {
    log.error('changes of problems not published', errorLogFields(error));
    for (const change of reserved) await stored.release(change);
    return;
  }
  for (const change of reserved) await stored.markPublished(change);
};

/**
 * Accepts a mail about the changes, and marks them in the same transaction: a change is mailed once, and a mail that is
 * accepted is sent as any other. @returns false when the domain may not send, or another run mailed a change.
 */
const mailChanges = async (dependencies: NotifyDependencies, to: readonly string[], changes: readonly ProblemChange[]): Promise<boolean> => {
  const { domains, mailDomain, newId, clock, changes: stored } = dependencies;
  const domainId = await domains.findIdByName(mailDomain);
  if (domainId === undefined) return false;
  const id = newId('submission');
  const from = `postrider@${mailDomain}`;
  const now = clock();
  return acceptSubmission(
    {
      submission_id: id,
      identity_id: domainId,
      message_class: 'TRANSACTIONAL',
      mail_from: from,
      send_at: now.toISOString(),
      created_at: now.toISOString(),
      ignores_suppression: false,
      recipients: to,
      message: changeMessage({ from, to, date: now, id }, changes, dependencies),
    },
    dependencies,
    [domains.canSendCheck(domainId), ...stored.mailedWrites(changes)],
  );
};

/**
 * Notifies people of the changes of the list of problems: the subscribers of the topic, and by mail the admins who want
 * it. A change stays stored until it is published, and until a mail about it is accepted if an admin wants mail, for a
 * day at most.
 * @returns the number of mailed changes.
 */
export const notifyChanges = async (dependencies: NotifyDependencies): Promise<number> => {
  const { changes: stored, clock } = dependencies;
  const changes = await stored.list(changesAtOnce);
  if (changes.length === 0) return 0;
  await publishChanges(dependencies, changes);
  const to = (await dependencies.subscribers.list()).addresses.slice(0, maxRecipientsPerSend);
  const unmailed = changes.filter(({ isMailed }) => !isMailed);
  const isMailed = to.length > 0 && unmailed.length > 0 && (await mailChanges(dependencies, to, unmailed));
  const oldest = new Date(clock().getTime() - currentFor).toISOString();
  await stored.remove(
    (await stored.list(changesAtOnce)).filter((change) => change.at < oldest || (change.isPublished && (change.isMailed || to.length === 0))),
  );
  return isMailed ? unmailed.length : 0;
};
