import { setTimeout as delay } from 'node:timers/promises';
import type { SNSClient } from '@aws-sdk/client-sns';
import type { Account } from './ses-account.ts';
import { readableText } from '../message/mail-addresses.ts';
import { scan } from '../message/content-scan.ts';
import { splitMessage } from '../message/header-block.ts';
import type { Inbound } from '../inbound/inbound-mail.ts';
import type { Tell } from '../mail-event.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { publishOutcome, type Outcome } from './sending-events.ts';
import { simulated } from './mailbox-simulator.ts';
import type { Submission } from './submission.ts';
import type { Suppressed, SuppressionList } from './suppression-list.ts';

export type OutgoingParts = {
  readonly inbound: Inbound;
  readonly outbox: Outbox;
  readonly sns: SNSClient;
  readonly account: Account;
  readonly suppression: SuppressionList;
  readonly tell: Tell;
};

export type Outgoing = {
  /** Takes the message over; it is delivered behind the caller's back, as SES does. */
  send(submission: Submission): void;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
};

/** A door that is shut for the moment is tried again after these milliseconds. */
const retries = [300, 1500];

const subjectOf = (message: Buffer): string => readableText(splitMessage(message).fields, 'Subject') ?? '';

const held = (parts: OutgoingParts, { configurationSet }: Submission, recipient: string): Suppressed | undefined => {
  const entry = parts.suppression.find(recipient);
  const reasons = configurationSet?.suppressedReasons ?? parts.account.state.suppressedReasons;
  return entry && reasons.includes(entry.reason) ? entry : undefined;
};

const heldBack = ({ reason }: Suppressed, recipient: string): Outcome => (reason === 'COMPLAINT'
  ? { type: 'Complaint', recipients: [recipient], subType: 'OnAccountSuppressionList' }
  : {
    type: 'Bounce', bounceType: 'Permanent', bounceSubType: 'OnAccountSuppressionList', recipients: [recipient], status: '5.1.1',
    diagnosticCode: 'Amazon SES did not send the message to this address because it is on the suppression list for your account.',
  });

const keep = ({ outbox }: OutgoingParts, { messageId, sentAt, from, message, configurationSet }: Submission, recipients: readonly string[]) =>
  outbox.add({ id: messageId, at: sentAt.toISOString(), from, recipients, subject: subjectOf(message), configurationSet: configurationSet?.name }, message);

/** Mail for a domain of ours comes in through the same door as everybody's. */
const comeIn = async (parts: OutgoingParts, submission: Submission, recipients: readonly string[]): Promise<Outcome> => {
  const envelope = { from: submission.returnPath, recipients, helo: 'a8-60.smtp-out.amazonses.com', remoteAddress: '127.0.0.1' };
  for (const wait of [...retries, undefined]) {
    try {
      return { type: 'Delivery', recipients, smtpResponse: `250 OK ${await parts.inbound.receive(envelope, submission.message)}` };
    } catch (error) {
      if (wait === undefined) parts.tell({ kind: 'failed', from: submission.from, to: recipients, messageId: submission.messageId, reason: (error as Error).message });
      else await delay(wait);
    }
  }
  return {
    type: 'Bounce', bounceType: 'Transient', bounceSubType: 'General', recipients,
    status: '4.4.7', diagnosticCode: 'smtp; 451 4.3.0 Requested action aborted: local error in processing',
  };
};

const deliver = async (parts: OutgoingParts, submission: Submission): Promise<void> => {
  const publish = (outcome: Outcome) => publishOutcome(parts.sns, submission, outcome).catch((error: Error) =>
    parts.tell({ kind: 'failed', from: submission.from, to: submission.recipients, messageId: submission.messageId, reason: `${outcome.type} was not published: ${error.message}` }));
  await publish({ type: 'Send' });
  if ((await scan(submission.original)).virus === 'FAIL') return publish({ type: 'Reject' });

  const [ours, outside, simulators]: [string[], string[], string[]] = [[], [], []];
  for (const recipient of submission.recipients) {
    const entry = held(parts, submission, recipient);
    if (entry) await publish(heldBack(entry, recipient));
    else if (simulated(recipient)) simulators.push(recipient);
    else if (await parts.inbound.accepts(recipient)) ours.push(recipient);
    else outside.push(recipient);
  }

  if (outside.length + simulators.length > 0) await keep(parts, submission, [...outside, ...simulators]);
  if (outside.length > 0) await publish({ type: 'Delivery', recipients: outside, smtpResponse: '250 2.0.0 OK' });
  for (const outcome of simulators.flatMap((recipient) => simulated(recipient) ?? [])) await publish(outcome);
  if (ours.length > 0) await publish(await comeIn(parts, submission, ours));
};

/** Sending as SES does it: our own domains by the door, the simulator's addresses by their scenario, all else to the outbox. */
export const outgoingThrough = (parts: OutgoingParts): Outgoing => {
  const underWay = new Set<Promise<void>>();
  return {
    send(submission) {
      const { from, recipients, messageId, message } = submission;
      parts.tell({ kind: 'sent', from, to: recipients, messageId, subject: subjectOf(message) });
      const delivery = deliver(parts, submission)
        .catch((error: Error) => parts.tell({ kind: 'failed', from, to: recipients, messageId, reason: error.message }))
        .finally(() => underWay.delete(delivery));
      underWay.add(delivery);
    },
    async settled() { while (underWay.size > 0) await Promise.all(underWay); },
  };
};
