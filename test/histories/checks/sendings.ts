import assert from 'node:assert/strict';
import { emailSubmissionsOf } from '../../../core/mail/email-submission-type.ts';
import { emailIdOf, parseBlobId } from '../../../core/mail/email/blob-id.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { SentMailFilter } from '../../../core/sending/submission/sent-mail-index.ts';
import { isFinished, providerMessageIds, type SubmissionPart } from '../../../core/sending/submission/submission.ts';
import type { FoundSubmission } from '../../../core/sending/submission/submissions.ts';
import type { SimulatedService } from '../service/simulated-service.ts';
import type { AcceptedMail } from '../service/simulated-ses.ts';
import type { MailLedger } from './mail-ledger.ts';

/* What clients send, and what must hold when it is sent. */

/** A request to send, with its responses. No two requests share a recipient. */
export type Sending = {
  /** The number of the message. */
  readonly number: number;
  readonly recipients: readonly string[];
  /** The earliest time of sending, in milliseconds since 1970. */
  readonly earliest: number;
  /** The time of sending if nothing fails; infinite while it is not known. */
  readonly latest: number;
  /** The state that the responses show. `unknown` when the response was lost. */
  state: 'unknown' | 'accepted' | 'refused';
  /** The id of the EmailSubmission; absent when it is not known. */
  readonly id?: string;
  canceling?: Promise<Cancellation>;
};

/** The outcome of a cancellation, by its response. */
export type Cancellation = 'canceled' | 'cannotUnsend' | 'unknown';

const [second, minute] = [1000, 60_000];
const account = 'acc_alice';

/** New addresses. The first word of each says how the simulated SES handles it. */
export const newRecipients = (random: () => number, number: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => {
    const kind = random() < 0.04 ? 'suppressed' : random() < 0.02 ? 'unverified' : random() < 0.005 ? 'refused' : 'r';
    return `${kind}-${number}-${index}@elsewhere.test`;
  });

export type CheckedSendings = { readonly service: SimulatedService; readonly ledger: MailLedger; readonly hasFaults: boolean };

/** Checks the outcomes of submissions that were due days ago. @throws AssertionError */
export const checkSendings = async (sendings: readonly Sending[], checked: CheckedSendings): Promise<void> => {
  const {
    service: { sent, store, sending: table, counts },
  } = checked;
  const view = (await store.open(account))!;
  const submissions = new Map<string, FoundSubmission>();
  for (const { id, undoStatus } of emailSubmissionsOf(view).all()) {
    const found = await sent.submissions.find(id);
    assert.ok(found, `${id}: a record without a submission`);
    assert.equal(undoStatus, found.submission.undo_status, `${id}: the record has the undo status of the submission`);
    const [recipient] = found.parts[0]!.recipients;
    assert.ok(!submissions.has(recipient!.address), `${id}: two submissions of one request`);
    submissions.set(recipient!.address, found);
  }
  for (const sending of sendings) {
    const found = submissions.get(sending.recipients[0]!);
    const accepted = sent.ses.accepted.filter(({ mail }) => sending.recipients.includes(mail.recipients[0]!));
    if (found) {
      assert.equal(found.submission.submission_id, sending.id ?? found.submission.submission_id);
      assert.notEqual(sending.state, 'refused', `${sending.number}: a refused submission exists`);
      await checkOne(sending, found, accepted, checked);
      continue;
    }
    assert.notEqual(sending.state, 'accepted', `${sending.number}: an accepted submission exists`);
    assert.equal(accepted.length, 0, `${sending.number}: nothing is sent that does not exist`);
    const entries = await sent.sentMail.find({ address: sending.recipients[0]! }, '~', 100);
    assert.equal((await sent.submissions.findAll(entries)).size, 0, 'a submission without a record');
  }
  for (const { mail } of sent.ses.accepted) assert.ok(mail.submission_id, 'SES accepts mail of submissions');
  assert.deepEqual(await table.query({ pk: 'outbox' }), [], 'the outbox is empty');
  counts['dead letters'] = sent.deadLetters();
};

const checkOne = async (sending: Sending, found: FoundSubmission, accepted: readonly AcceptedMail[], checked: CheckedSendings): Promise<void> => {
  const { sent, counts } = checked.service;
  const { submission_id: id, undo_status: status } = found.submission;
  counts.submissions++;
  const outcome = (await sending.canceling) ?? 'unknown';
  if (outcome !== 'unknown') assert.equal(status, outcome === 'canceled' ? 'canceled' : 'final', `${id}: the client knows ${outcome}`);
  if (status === 'canceled') {
    assert.equal(accepted.length, 0, `${id}: a canceled submission is not sent`);
    counts.canceled++;
    return;
  }
  assert.equal(status, 'final', `${id}: nothing stays pending`);
  const every = found.parts.flatMap(({ recipients }) => recipients.map(({ address }) => address));
  assert.deepEqual(every.toSorted(), sending.recipients.toSorted(), `${id}: each recipient is in one part`);
  for (const { at } of accepted) {
    assert.ok(at >= Math.max(sending.earliest, Date.parse(found.submission.send_at)), `${id}: sent too early`);
    assert.ok(at <= sent.deactivatedAt() + 2 * minute, `${id}: sent after the sender was deactivated`);
    if (!checked.hasFaults) assert.ok(at <= sending.latest + 5 * second, `${id}: sent ${at - sending.latest} ms too late`);
  }
  for (const part of found.parts)
    await checkPart(
      `${id} part ${part.part}`,
      part,
      accepted.filter(({ mail }) => mail.part === part.part),
      checked,
    );
  checkPublished(found, checked);
  await checkFindable(sending, found, checked);
};

const checkPart = async (name: string, part: SubmissionPart, accepted: readonly AcceptedMail[], { service, ledger }: CheckedSendings): Promise<void> => {
  assert.ok(isFinished(part), `${name}: is ${part.state}, not finished`);
  const lost = accepted.filter(({ isAnswerLost, lambda }) => isAnswerLost || lambda.hasFailed).length;
  const delivered = part.reports!.filter(({ state }) => state === 'delivered');
  const reported = new Set(delivered.flatMap(({ recipients }) => recipients).map(({ address }) => address));
  for (const { address, facts } of part.recipients) {
    const times = accepted.filter(({ mail }) => mail.recipients.includes(address)).length;
    if (times === 0) {
      assert.ok(facts.withheld ?? facts.refused ?? facts.unconfirmed, `${name}: a recipient got no message and the sender no reason`);
      assert.ok(reported.has(address), `${name}: the failure is not reported`);
      service.counts['failed recipients']++;
      continue;
    }
    service.counts['sent recipients']++;
    if (times > 1) service.counts['repeated recipients']++;
    assert.ok(!facts.withheld && !facts.refused, `${name}: a recipient got the message that failed`);
    assert.ok(times - 1 <= lost, `${name}: sent ${times} times with ${lost} lost answers`);
    if (facts.bounced) assert.ok(reported.has(address), `${name}: the bounce is not reported`);
  }
  const ids = new Set(accepted.map(({ id }) => id));
  if (ids.size > 0) assert.equal((part.sent_again?.length ?? 0) + 1, ids.size, `${name}: repeated sends are counted`);
  const emails = emailsOf((await service.store.open(account))!);
  for (const { blob_id } of delivered) {
    const emailId = emailIdOf((parseBlobId(blob_id!) as { readonly key: string }).key);
    assert.ok(emails.get(emailId) ?? ledger.mayBeGone(emailId), `${name}: the report is lost`);
  }
};

/**
 * Checks the recorded facts: of each kind of event about a recipient, the first one is recorded; of delays, the last
 * one.
 */
const checkPublished = (
  { submission: { submission_id: id }, parts }: FoundSubmission,
  {
    service: {
      sent: { ses },
    },
  }: CheckedSendings,
): void => {
  const expected = new Map<string, string>();
  for (const { part, recipient, kind, at } of ses.published.filter(({ submission_id }) => submission_id === id)) {
    const fact = `${part} ${recipient} ${kind}`;
    const known = expected.get(fact);
    if (known === undefined || (kind === 'delayed' ? known < at : at < known)) expected.set(fact, at);
  }
  const recorded = new Map(
    parts.flatMap(({ part, recipients }) =>
      recipients.flatMap(({ address, facts }) => Object.entries(facts).map(([kind, { at }]) => [`${part} ${address} ${kind}`, at])),
    ),
  );
  for (const [fact, at] of expected) assert.equal(recorded.get(fact), at, `${id}: the event that SES published is recorded: ${fact}`);
};

/** Checks that the index has each due submission once for each address, and once for each known SES id. */
const checkFindable = async (
  { recipients }: Sending,
  { submission: { submission_id: id, mail_from }, parts }: FoundSubmission,
  {
    service: {
      sent: { sentMail },
    },
  }: CheckedSendings,
): Promise<void> => {
  const timesFound = async (filter: SentMailFilter): Promise<number> => (await sentMail.find(filter, '~', 100)).filter((each) => each.id === id).length;
  for (const address of [mail_from, ...recipients]) assert.equal(await timesFound({ address }), 1, `${id}: is found once by an address`);
  for (const messageId of parts.flatMap(providerMessageIds)) {
    assert.equal(await timesFound({ message_id: `<${messageId}@email.amazonses.com>` }), 1, `${id}: is found once by SES's id`);
  }
};

/**
 * Checks that nothing remains after the retention, except for a message that was never accepted. The bucket's lifecycle
 * rule deletes such a message.
 */
export const checkRetention = async ({ store, sending, objects, sent }: SimulatedService): Promise<void> => {
  assert.deepEqual(await sending.query({ pk: 'retention' }), [], 'no submission outlives its retention');
  assert.equal(emailSubmissionsOf((await store.open(account))!).size, 0, 'no EmailSubmission outlives its retention');
  const left = objects.keys().filter((key) => key.startsWith('outgoing/'));
  for (const { mail } of sent.ses.accepted) assert.ok(!left.some((key) => key.endsWith(`/${mail.submission_id}`)), 'no raw message outlives its submission');
};
