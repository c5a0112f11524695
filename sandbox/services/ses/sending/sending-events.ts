import { randomUUID } from 'node:crypto';
import type { EventType } from '@aws-sdk/client-sesv2';
import { PublishCommand, type SNSClient } from '@aws-sdk/client-sns';
import { emulatorAccount } from '../../../deployment/aws-target.ts';
import { splitMessage } from '../message/header-block.ts';
import { domainOf } from '../message/mail-addresses.ts';
import { notificationHeaders } from '../message/received-mail.ts';
import type { Submission } from './accepted-message.ts';

/** The outcome for some recipients of a message. */
export type Outcome =
  | { readonly type: 'Send' }
  | { readonly type: 'Reject' }
  | { readonly type: 'Delivery'; readonly recipients: readonly string[]; readonly smtpResponse: string }
  | {
      readonly type: 'Bounce';
      readonly bounceType: 'Permanent' | 'Transient';
      readonly bounceSubType: string;
      readonly recipients: readonly string[];
      /** The status of the delivery status notification, if the bounce had one. */
      readonly status?: string;
      readonly diagnosticCode?: string;
    }
  | { readonly type: 'Complaint'; readonly recipients: readonly string[]; readonly subType: string | null; readonly feedbackType?: string };

const eventTypes: { readonly [type in Outcome['type']]: EventType } = {
  Send: 'SEND',
  Reject: 'REJECT',
  Delivery: 'DELIVERY',
  Bounce: 'BOUNCE',
  Complaint: 'COMPLAINT',
};

const mailObject = (submission: Submission, outcome: Outcome) => {
  const { fields } = splitMessage(submission.original);
  const { commonHeaders, ...headers } = notificationHeaders(fields);
  const { returnPath: _, date: __, messageId: ___, ...common } = commonHeaders;
  return {
    timestamp: submission.sentAt.toISOString(),
    source: submission.from,
    sourceArn: `arn:aws:ses:${submission.region}:${emulatorAccount}:identity/${submission.identity}`,
    sendingAccountId: emulatorAccount,
    messageId: submission.messageId,
    destination: submission.recipients,
    ...headers,
    commonHeaders: { ...common, messageId: submission.messageId },
    tags: {
      'ses:operation': ['SendEmail'],
      ...(submission.configurationSet === undefined ? {} : { 'ses:configuration-set': [submission.configurationSet.name] }),
      'ses:source-ip': ['127.0.0.1'],
      'ses:from-domain': [domainOf(submission.fromAddress)],
      'ses:caller-identity': ['root'],
      ...(outcome.type === 'Delivery' ? { 'ses:outgoing-ip': ['127.0.0.1'] } : {}),
      ...submission.tags,
    },
  };
};

const bounce = (outcome: Outcome & { type: 'Bounce' }, timestamp: string, feedbackId: string, mta: string) => ({
  feedbackId,
  bounceType: outcome.bounceType,
  bounceSubType: outcome.bounceSubType,
  bouncedRecipients: outcome.recipients.map((emailAddress) => ({
    emailAddress,
    ...(outcome.status === undefined ? {} : { action: 'failed', status: outcome.status, diagnosticCode: outcome.diagnosticCode }),
  })),
  timestamp,
  ...(outcome.status === undefined ? {} : { reportingMTA: `dns; ${mta}` }),
});

const complaint = (outcome: Outcome & { type: 'Complaint' }, timestamp: string, feedbackId: string) => ({
  feedbackId,
  complaintSubType: outcome.subType,
  complainedRecipients: outcome.recipients.map((emailAddress) => ({ emailAddress })),
  timestamp,
  ...(outcome.feedbackType === undefined
    ? {}
    : { userAgent: 'Amazon SES Mailbox Simulator', complaintFeedbackType: outcome.feedbackType, arrivalDate: timestamp }),
});

const delivery = (outcome: Outcome & { type: 'Delivery' }, submission: Submission, now: Date, reportingMTA: string) => ({
  timestamp: now.toISOString(),
  processingTimeMillis: Math.max(1, now.getTime() - submission.sentAt.getTime()),
  recipients: outcome.recipients,
  smtpResponse: outcome.smtpResponse,
  reportingMTA,
});

const detail = (submission: Submission, outcome: Outcome, now: Date): object => {
  const feedbackId = `${submission.messageId.slice(0, 16)}-${randomUUID()}-000000`;
  const mta = `a8-60.smtp-out.${submission.region === 'us-east-1' ? '' : `${submission.region}.`}amazonses.com`;
  switch (outcome.type) {
    case 'Send':
      return { send: {} };
    case 'Reject':
      return { reject: { reason: 'Bad content' } };
    case 'Delivery':
      return { delivery: delivery(outcome, submission, now, mta) };
    case 'Bounce':
      return { bounce: bounce(outcome, now.toISOString(), feedbackId, mta) };
    case 'Complaint':
      return { complaint: complaint(outcome, now.toISOString(), feedbackId) };
    default:
      return outcome satisfies never;
  }
};

/** The record that SES publishes ("Contents of event data that Amazon SES publishes to Amazon SNS"). */
const eventRecord = (submission: Submission, outcome: Outcome, now: Date) => ({
  eventType: outcome.type,
  ...detail(submission, outcome, now),
  mail: mailObject(submission, outcome),
});

/** Publishes the event to every topic of the message's configuration set that has its type enabled. */
export const publishOutcome = async (sns: SNSClient, submission: Submission, outcome: Outcome): Promise<void> => {
  const topics = (submission.configurationSet?.topics ?? []).filter((topic) => topic.eventTypes.includes(eventTypes[outcome.type]));
  const Message = topics.length === 0 ? '' : JSON.stringify(eventRecord(submission, outcome, new Date()));
  await Promise.all(
    topics.map(({ topicArn }) => sns.send(new PublishCommand({ TopicArn: topicArn, Subject: 'Amazon SES Email Event Notification', Message }))),
  );
};
