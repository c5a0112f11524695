import type { Identities } from '../identities/email-identities.ts';
import type { InboundMail } from '../inbound/inbound-mail.ts';
import type { OnMailEvent } from '../mail-event.ts';
import { outboundMessageId } from '../message/outgoing-message.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { composeBounce } from '../sending/bounce-message.ts';
import { memberList, QueryError, type QueryOperation } from './query-operation.ts';

export type BounceDependencies = {
  readonly identities: Identities;
  readonly inbound: InboundMail;
  readonly outbox: Outbox;
  readonly region: string;
  readonly onMail: OnMailEvent;
};

/** Status codes by bounce type (SES API Reference, "BouncedRecipientInfo"). */
const statusOf: Readonly<Record<string, string>> = {
  DoesNotExist: '5.1.1',
  MessageTooLarge: '5.3.4',
  ExceededQuota: '5.2.2',
  ContentRejected: '5.6.1',
  Undefined: '5.0.0',
  TemporaryFailure: '4.0.0',
};

/**
 * Minimum milliseconds between two bounces: SES accepts one SendBounce a second, until 24 hours after it received the
 * message.
 */
const minimumPause = 1000;
const bounceWindow = 24 * 3_600_000;

const required = (parameters: URLSearchParams, name: string): string => {
  const value = parameters.get(name);
  if (!value) throw new QueryError('InvalidParameterValue', `Value at '${name}' failed to satisfy constraint: Member must not be null`);
  return value;
};

const recipientsOf = (parameters: URLSearchParams) => {
  const recipients = memberList(parameters, 'BouncedRecipientInfoList').map((each) => ({
    address: required(each, 'Recipient'),
    status: statusOf[each.get('BounceType') ?? 'Undefined'] ?? '5.0.0',
  }));
  if (recipients.length === 0) throw new QueryError('InvalidParameterValue', 'BouncedRecipientInfoList must not be empty');
  return recipients;
};

/**
 * SendBounce of SES API v1: sends a delivery status notification with the null reverse-path to the envelope sender of a
 * received message.
 */
export const bounceOperation = ({ identities, inbound, outbox, region, onMail }: BounceDependencies): QueryOperation => {
  let last = 0;
  const find = (messageId: string) => {
    const received = inbound.findReceived(messageId);
    if (received && received.receivedAt.getTime() + bounceWindow > Date.now() && received.sender !== '') return received;
    throw new QueryError('MessageRejected', 'The message cannot be bounced.');
  };
  return {
    action: 'SendBounce',
    async run(parameters) {
      const [from, recipients] = [required(parameters, 'BounceSender'), recipientsOf(parameters)];
      const { sender: to, fields: original } = find(required(parameters, 'OriginalMessageId'));
      if (!(await identities.findSender(from))) throw new QueryError('MessageRejected', `Email address is not verified: ${from}`);
      if (last + minimumPause > Date.now()) throw new QueryError('Throttling', 'Rate exceeded');
      const date = new Date((last = Date.now()));
      const messageId = outboundMessageId(region, date);
      const message = composeBounce({
        messageId,
        date,
        from,
        to,
        recipients,
        original,
        reportingMta: `inbound-smtp.${region}.amazonaws.com`,
        explanation: parameters.get('Explanation') ?? 'An error occurred while trying to deliver the mail to the following recipients:',
      });
      onMail({ kind: 'sent', from, to: [to], messageId, subject: 'Delivery Status Notification (Failure)' });
      if (await inbound.accepts(to)) {
        const envelope = { from: '', recipients: [to], helo: 'a8-60.smtp-out.amazonses.com', remoteAddress: '127.0.0.1' };
        await inbound.receive(envelope, message);
      } else {
        await outbox.add({ id: messageId, at: date.toISOString(), from, recipients: [to], subject: 'Delivery Status Notification (Failure)' }, message);
      }
      return { MessageId: messageId };
    },
  };
};
