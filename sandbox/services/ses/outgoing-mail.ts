import { setTimeout as delay } from 'node:timers/promises';
import type { SNSClient } from '@aws-sdk/client-sns';
import { messageOf } from '../../../contract/values/thrown.ts';
import type { InboundMail } from './inbound/inbound-mail.ts';
import type { OnMailEvent } from './mail-event.ts';
import type { MailMetrics } from './mail-metrics.ts';
import { scan } from './message/content-scan.ts';
import { splitMessage } from './message/header-block.ts';
import { readableText } from './message/mail-addresses.ts';
import type { Outbox } from './outbox/outbox.ts';
import type { Submission } from './sending/accepted-message.ts';
import { simulatedOutcomes } from './sending/mailbox-simulator.ts';
import { publishOutcome, type Outcome } from './sending/sending-events.ts';
import type { Account } from './sending/ses-account.ts';
import type { Suppressed, SuppressionList } from './sending/suppression-list.ts';

export type OutgoingDependencies = {
  readonly inbound: InboundMail;
  readonly outbox: Outbox;
  readonly sns: SNSClient;
  readonly account: Account;
  readonly suppression: SuppressionList;
  readonly metrics: MailMetrics;
  readonly onMail: OnMailEvent;
};

export type OutgoingMail = {
  /** Queues the message. It is delivered asynchronously, as by SES. */
  send(submission: Submission): void;
  /** Resolves when all queued messages are delivered. */
  settled(): Promise<void>;
};

/** Pauses before the retries of a delivery to a verified domain, in milliseconds. */
const retries = [300, 1500];

const subjectOf = (message: Buffer): string => readableText(splitMessage(message).fields, 'Subject') ?? '';

const findSuppression = (dependencies: OutgoingDependencies, { configurationSet }: Submission, recipient: string): Suppressed | undefined => {
  const entry = dependencies.suppression.find(recipient);
  const reasons = configurationSet?.suppressedReasons ?? dependencies.account.state.suppressedReasons;
  return entry && reasons.includes(entry.reason) ? entry : undefined;
};

const suppressedOutcome = ({ reason }: Suppressed, recipient: string): Outcome =>
  reason === 'COMPLAINT'
    ? { type: 'Complaint', recipients: [recipient], subType: 'OnAccountSuppressionList' }
    : {
        type: 'Bounce',
        bounceType: 'Permanent',
        bounceSubType: 'OnAccountSuppressionList',
        recipients: [recipient],
        status: '5.1.1',
        diagnosticCode: 'Amazon SES did not send the message to this address because it is on the suppression list for your account.',
      };

/** The outcome for an address that a domain of the deployment refuses. */
const refusedOutcome = (recipient: string): Outcome => ({
  type: 'Bounce',
  bounceType: 'Permanent',
  bounceSubType: 'General',
  recipients: [recipient],
  status: '5.1.1',
  diagnosticCode: 'smtp; 550 5.1.1 Requested action not taken: mailbox unavailable',
});

const addToOutbox = ({ outbox }: OutgoingDependencies, { messageId, sentAt, from, message, configurationSet }: Submission, recipients: readonly string[]) =>
  outbox.add({ id: messageId, at: sentAt.toISOString(), from, recipients, subject: subjectOf(message), configurationSet: configurationSet?.name }, message);

/** Receives mail for a verified domain as mail from another server is received. */
const deliverToOwnDomain = async (dependencies: OutgoingDependencies, submission: Submission, recipients: readonly string[]): Promise<Outcome> => {
  const envelope = { from: submission.returnPath, recipients, helo: 'a8-60.smtp-out.amazonses.com', remoteAddress: '127.0.0.1' };
  for (const wait of [...retries, undefined]) {
    try {
      return { type: 'Delivery', recipients, smtpResponse: `250 OK ${await dependencies.inbound.receive(envelope, submission.message)}` };
    } catch (error) {
      if (wait === undefined)
        dependencies.onMail({ kind: 'failed', from: submission.from, to: recipients, messageId: submission.messageId, reason: messageOf(error) });
      else await delay(wait);
    }
  }
  return {
    type: 'Bounce',
    bounceType: 'Transient',
    bounceSubType: 'General',
    recipients,
    status: '4.4.7',
    diagnosticCode: 'smtp; 451 4.3.0 Requested action aborted: local error in processing',
  };
};

const deliver = async (dependencies: OutgoingDependencies, submission: Submission): Promise<void> => {
  const publish = async (outcome: Outcome): Promise<void> => {
    await dependencies.metrics.countOutcome(submission, outcome);
    await publishOutcome(dependencies.sns, submission, outcome).catch((error: Error) =>
      dependencies.onMail({
        kind: 'failed',
        from: submission.from,
        to: submission.recipients,
        messageId: submission.messageId,
        reason: `${outcome.type} was not published: ${error.message}`,
      }),
    );
  };
  await publish({ type: 'Send' });
  if ((await scan(submission.original)).virus === 'FAIL') return publish({ type: 'Reject' });

  const [own, external, simulator]: [string[], string[], string[]] = [[], [], []];
  for (const recipient of submission.recipients) {
    const entry = findSuppression(dependencies, submission, recipient);
    if (entry) await publish(suppressedOutcome(entry, recipient));
    else if (simulatedOutcomes(recipient)) simulator.push(recipient);
    else if (await dependencies.inbound.accepts(recipient)) own.push(recipient);
    else if (await dependencies.inbound.receivesForDomain(recipient)) await publish(refusedOutcome(recipient));
    else external.push(recipient);
  }

  if (external.length + simulator.length > 0) await addToOutbox(dependencies, submission, [...external, ...simulator]);
  if (external.length > 0) await publish({ type: 'Delivery', recipients: external, smtpResponse: '250 2.0.0 OK' });
  for (const outcome of simulator.flatMap((recipient) => simulatedOutcomes(recipient) ?? [])) await publish(outcome);
  if (own.length > 0) await publish(await deliverToOwnDomain(dependencies, submission, own));
};

/**
 * Sends mail like SES: mail to verified domains is received here, simulator addresses get their simulated events, all
 * other mail is added to the outbox.
 */
export const outgoingMail = (dependencies: OutgoingDependencies): OutgoingMail => {
  const pending = new Set<Promise<void>>();
  return {
    send(submission) {
      const { from, recipients, messageId, message } = submission;
      dependencies.onMail({ kind: 'sent', from, to: recipients, messageId, subject: subjectOf(message) });
      const delivery = deliver(dependencies, submission)
        .catch((error: Error) => dependencies.onMail({ kind: 'failed', from, to: recipients, messageId, reason: error.message }))
        .finally(() => pending.delete(delivery));
      pending.add(delivery);
    },
    async settled() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
};
