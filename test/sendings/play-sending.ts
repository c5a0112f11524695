import assert from 'node:assert/strict';
import { emailSubmissionsOf } from '../../core/mail-types/email-submission/email-submission-type.ts';
import type { SentMailFilter } from '../../core/sending/submission/sent-mail-index.ts';
import { isFinished, providerMessageIds, type SubmissionPart } from '../../core/sending/submission/submission.ts';
import type { FoundSubmission } from '../../core/sending/submission/submissions.ts';
import { randomNumbers } from '../histories/turns.ts';
import { account, simulatedSending } from './simulated-sending.ts';
import type { AcceptedMail, Closure } from './simulated-ses.ts';
import { simulatedTime } from './simulated-time.ts';

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
const start = Date.UTC(2026, 10, 21, 9);

/** The counts of a run, for the sum of all runs. */
export type SendingTotals = {
  submissions: number; recipients: number; sent: number; repeated: number; refused: number; canceled: number; deadLetters: number; leftovers: number;
};

/** The actions of a client on a submission, with the answers. */
type Attempt = {
  readonly id: string;
  readonly sendAt: number;
  readonly recipients: readonly string[];
  isAccepted?: Promise<boolean>;
  canceling?: Promise<'canceled' | 'cannotUnsend' | 'unknown'>;
};

const pick = <T>(random: () => number, choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;

const newRecipients = (random: () => number, id: string): string[] => {
  const count = pick(random, [1, 1, 1, 2, 3, 60, 130]);
  return Array.from({ length: count }, (_, index) => {
    const kind = random() < 0.04 ? 'suppressed' : random() < 0.02 ? 'unverified' : random() < 0.005 ? 'refused' : 'r';
    return `${kind}-${id}-${index}@elsewhere.test`;
  });
};

/**
 * Plays one random run of submissions, cancellations and faults, and checks what became of each.
 * @throws AssertionError when a rule does not hold.
 */
export const playSending = async (seed: number): Promise<SendingTotals> => {
  const random = randomNumbers(seed);
  const [realRandom, realNow] = [Math.random, performance.now.bind(performance)];
  const time = simulatedTime(start, random);
  Math.random = random;
  performance.now = () => time.now();
  try {
    return await play(seed, random, time);
  } finally {
    Math.random = realRandom;
    performance.now = realNow;
  }
};

const play = async (seed: number, random: () => number, time: ReturnType<typeof simulatedTime>): Promise<SendingTotals> => {
  const faultRate = pick(random, [0, 0.04, 0.1, 0.2]);
  const closures: Closure[] = random() < 0.5 || faultRate === 0 ? [] : [
    { from: start, until: start + minute, reason: 'rate' },
    { from: start + 20 * minute, until: start + (20 + random() * 60) * minute, reason: pick(random, ['rate', 'closed']) },
  ];
  const deactivatedAt = faultRate > 0 && random() < 0.1 ? start + random() * 12 * hour : Infinity;
  const service = await simulatedSending({ time, random, faultRate, closures, deactivatedAt });
  const attempts = Array.from({ length: 2 + Math.floor(random() * 6) }, (_, index): Attempt => {
    const id = `submission_${seed}_${index}`;
    const begin = start + random() * hour;
    const sendAt = begin + pick(random, [0, 0, 0, 5 * minute, 14 * minute, 40 * minute, 7 * day]);
    const attempt: Attempt = { id, sendAt, recipients: newRecipients(random, id) };
    time.at(begin, () => {
      attempt.isAccepted = service.submit({ submission_id: id, send_at: new Date(sendAt).toISOString(), recipients: attempt.recipients });
    });
    if (random() < 0.4) {
      // Near the moment of sending, in which both race.
      const at = random() < 0.6 ? sendAt - 1000 + random() * 2000 : begin + random() * (sendAt - begin);
      time.at(at, () => { attempt.canceling = service.cancel(id); });
    }
    return attempt;
  });
  for (let redeployments = faultRate * 20; redeployments > random(); redeployments--) time.at(start + random() * 3 * hour, () => service.redeploy());

  // The sweep runs each minute while something may be due; then each day.
  const sweepUntil = (end: number, every: number) => {
    for (let at = Math.ceil(time.now() / every) * every; at <= end; at += every) time.at(at, () => void service.sweep());
    return time.runUntil(end);
  };
  await sweepUntil(start + 12 * hour, minute);
  service.endFaults();
  await sweepUntil(start + 3 * day, 10 * minute);
  await sweepUntil(start + 7 * day, hour);
  await sweepUntil(start + 7 * day + 6 * hour, minute);
  await sweepUntil(start + 11 * day, hour);
  const totals = await checkAttempts(attempts, service, { faultRate, deactivatedAt });
  const found = await Promise.all(attempts.map(({ id }) => service.submissions.find(id)));
  await sweepUntil(start + 99 * day, day);
  await checkRetention(service, found.flatMap((each) => each?.submission.message_key ?? []));
  return totals;
};

type Service = Awaited<ReturnType<typeof simulatedSending>>;
type Conditions = { readonly faultRate: number; readonly deactivatedAt: number };

const checkAttempts = async (attempts: readonly Attempt[], service: Service, conditions: Conditions): Promise<SendingTotals> => {
  const totals: SendingTotals = {
    submissions: 0, recipients: 0, sent: 0, repeated: 0, refused: 0, canceled: 0, deadLetters: service.queue.deadLetters(), leftovers: service.objects.keys().filter((key) => key.startsWith('outgoing/')).length,
  };
  const records = emailSubmissionsOf((await service.mail.open(account))!);
  for (const attempt of attempts) {
    const found = await service.submissions.find(attempt.id);
    const accepted = service.ses.accepted.filter(({ mail }) => mail.submission_id === attempt.id);
    const record = records.get(attempt.id);
    assert.equal(record !== undefined, found !== undefined, `${attempt.id}: record and submission exist together`);
    if (!found) {
      assert.equal(await attempt.isAccepted, false, `${attempt.id}: an accepted submission exists`);
      assert.equal(accepted.length, 0, `${attempt.id}: nothing is sent that does not exist`);
      continue;
    }
    totals.submissions++;
    const status = found.submission.undo_status;
    assert.equal(record!.undoStatus, status, `${attempt.id}: the record has the undo status of the submission`);
    const told = await attempt.canceling;
    if (told === 'canceled' || told === 'cannotUnsend') assert.equal(status, told === 'canceled' ? 'canceled' : 'final', `${attempt.id}: told ${told}`);
    if (status === 'canceled') {
      assert.equal(accepted.length, 0, `${attempt.id}: a canceled submission is not sent`);
      totals.canceled++;
      continue;
    }
    assert.equal(status, 'final', `${attempt.id}: nothing stays pending`);
    await checkFindable(attempt, found, service);
    checkPublished(attempt, found, service);
    checkSent(attempt, found, accepted.map((each) => ({ ...each, isAnswerLost: each.isAnswerLost || service.failed.has(each.lambda) })), conditions, totals);
  }
  assert.deepEqual(await service.sending.query({ pk: 'outbox' }), [], 'the outbox is empty');
  return totals;
};

const checkSent = (
  attempt: Attempt, { parts }: FoundSubmission, accepted: readonly AcceptedMail[], { faultRate, deactivatedAt }: Conditions, totals: SendingTotals,
): void => {
  const { id, sendAt } = attempt;
  const every = parts.flatMap(({ recipients }) => recipients.map(({ address }) => address));
  assert.deepEqual(every.toSorted(), attempt.recipients.toSorted(), `${id}: each recipient is in one part`);
  for (const { at } of accepted) {
    assert.ok(at >= sendAt, `${id}: sent ${sendAt - at} ms too early`);
    assert.ok(at <= deactivatedAt + 2 * minute, `${id}: sent after the sender was deactivated`);
    if (faultRate === 0) assert.ok(at <= sendAt + 5 * second, `${id}: sent ${at - sendAt} ms too late`);
  }
  for (const part of parts) checkPart(id, part, accepted.filter(({ mail }) => mail.part === part.part), totals);
};

const checkPart = (id: string, part: SubmissionPart, accepted: readonly AcceptedMail[], totals: SendingTotals): void => {
  const name = `${id} part ${part.part}`;
  assert.ok(isFinished(part), `${name}: is ${part.state}, not finished`);
  const lost = accepted.filter(({ isAnswerLost }) => isAnswerLost).length;
  const reported = new Set(part.reports!.flatMap((report) => (report.state === 'delivered' ? report.recipients : [])).map(({ address }) => address));
  for (const { address, facts } of part.recipients) {
    totals.recipients++;
    const times = accepted.filter(({ mail }) => mail.recipients.includes(address)).length;
    const failure = facts.withheld ?? facts.refused ?? facts.unconfirmed;
    if (times === 0) {
      assert.ok(failure, `${name}: a recipient got no message and the sender no reason`);
      assert.ok(reported.has(address), `${name}: the failure is not reported`);
      totals.refused++;
      continue;
    }
    totals.sent++;
    if (times > 1) totals.repeated++;
    assert.ok(!facts.withheld && !facts.refused, `${name}: a recipient got the message that failed`);
    assert.ok(times - 1 <= lost, `${name}: sent ${times} times with ${lost} lost answers`);
    if (facts.bounced) assert.ok(reported.has(address), `${name}: the bounce is not reported`);
  }
  const ids = new Set(accepted.map((each) => each.id));
  if (ids.size > 0) assert.equal((part.sent_again?.length ?? 0) + 1, ids.size, `${name}: repeated sends are counted`);
};

/** Every event that SES published about a recipient is recorded. */
const checkPublished = ({ id }: Attempt, { parts }: FoundSubmission, { ses }: Service): void => {
  for (const { part, recipient, kind } of ses.published.filter(({ submission_id }) => submission_id === id)) {
    const facts = parts[part]!.recipients.find(({ address }) => address === recipient)?.facts;
    assert.ok(facts?.[kind], `${id} part ${part}: SES published that a recipient is ${kind}, and it is not recorded`);
  }
};

/** The index has a submission that became due once for each address, and once for each of SES's ids that it knows. */
const checkFindable = async ({ id, recipients }: Attempt, { submission, parts }: FoundSubmission, { sentMail }: Service): Promise<void> => {
  const timesFound = async (filter: SentMailFilter): Promise<number> =>
    (await sentMail.find(filter, undefined, 100)).items.filter((each) => each.id === id).length;
  for (const address of [submission.mail_from, ...recipients]) {
    assert.equal(await timesFound({ address }), 1, `${id}: is found once by an address`);
  }
  for (const messageId of parts.flatMap(providerMessageIds)) {
    assert.equal(await timesFound({ message_id: `<${messageId}@email.amazonses.com>` }), 1, `${id}: is found once by SES's id`);
  }
};

/** After the retention nothing is left. Only a message that was never accepted stays, until the bucket's lifecycle rule. */
const checkRetention = async ({ sending, mail, objects }: Service, messageKeys: readonly string[]): Promise<void> => {
  assert.deepEqual(await sending.query({ pk: 'retention' }), [], 'no submission outlives its retention');
  assert.equal(emailSubmissionsOf((await mail.open(account))!).size, 0, 'no EmailSubmission outlives its retention');
  assert.deepEqual(objects.keys().filter((key) => messageKeys.includes(key)), [], 'no raw message outlives its submission');
};
