import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { ReceiptAction, ReceiptRule, SESClient } from '@aws-sdk/client-ses';
import { PublishCommand, type SNSClient } from '@aws-sdk/client-sns';
import type { HostedZones } from '../../resolver/hosted-zones.ts';
import type { UndocumentedBehaviour } from '../../undocumented-behaviour.ts';
import type { Identities } from '../identities/email-identities.ts';
import type { OnMailEvent } from '../mail-event.ts';
import type { MailMetrics } from '../mail-metrics.ts';
import { authenticate, type Authentication } from '../message/authentication.ts';
import { notScanned, scan, type Scan } from '../message/content-scan.ts';
import { field, headerText, splitMessage, type HeaderField } from '../message/header-block.ts';
import { domainOf, readableText } from '../message/mail-addresses.ts';
import { sesHeaderFields, inboundMessageId, receivedNotification, type Envelope, type Receipt } from '../message/received-mail.ts';
import { activeRuleSet, ruleConcernsDomain, ruleMatches } from './matching-receipt-rules.ts';

export type InboundMail = {
  /**
   * Whether SES accepts mail for this address: it has a verified domain and a matching receipt rule. Throws when the
   * emulator does not respond.
   */
  accepts(address: string): Promise<boolean>;
  /** Whether SES receives mail for the domain of this address, for this address or for others. */
  receivesForDomain(address: string): Promise<boolean>;
  /**
   * Runs the actions of every rule that matches a recipient: stores the message and publishes the notification.
   * @returns SES's message id.
   */
  receive(envelope: Envelope, message: Buffer): Promise<string>;
  /** A message that was received since the start, by SES's message id. */
  findReceived(messageId: string): ReceivedMessage | undefined;
};

/** The data about a received message that SES needs for a bounce. */
export type ReceivedMessage = { readonly receivedAt: Date; readonly sender: string; readonly fields: readonly HeaderField[] };

/** Maximum received messages that are remembered, and maximum characters of the header of each. */
const rememberedMessages = 1000;
const rememberedHeader = 10_000;

const messageMemory = () => {
  const received = new Map<string, ReceivedMessage>();
  return {
    find: (messageId: string) => received.get(messageId),
    add(messageId: string, { fields, ...message }: ReceivedMessage) {
      let length = 0;
      received.set(messageId, { ...message, fields: fields.filter(({ raw }) => (length += raw.length) <= rememberedHeader) });
      if (received.size > rememberedMessages) received.delete(received.keys().next().value!);
    },
  };
};

export type InboundDependencies = {
  readonly identities: Identities;
  readonly zones: HostedZones;
  readonly ses: SESClient;
  readonly s3: S3Client;
  readonly sns: SNSClient;
  readonly metrics: MailMetrics;
  readonly region: string;
  readonly undocumented: Pick<UndocumentedBehaviour, 'recipient-case'>;
  readonly onMail: OnMailEvent;
};

type Delivery = {
  readonly receipt: Receipt;
  readonly message: Buffer;
  readonly scanned: Scan;
  readonly authentication: Authentication;
  readonly recipients: readonly string[];
};

/** The message as SES stores it: first SES's header fields, then those of AddHeader actions, then the octets of the sender. */
const asStored = ({ receipt, message, scanned, authentication }: Delivery, added: readonly HeaderField[]) => {
  const before = [...sesHeaderFields(receipt, scanned, authentication), ...added];
  return { fields: [...before, ...splitMessage(message).fields], message: Buffer.concat([headerText(before), message]) };
};

const storeAndNotify = async (
  { s3, sns, metrics }: InboundDependencies,
  delivery: Delivery,
  action: NonNullable<ReceiptAction['S3Action']>,
  added: readonly HeaderField[],
) => {
  const { receipt, scanned: scan, authentication, recipients } = delivery;
  const { fields, message } = asStored(delivery, added);
  const objectKeyPrefix = action.ObjectKeyPrefix ?? '';
  const objectKey = `${objectKeyPrefix}${receipt.messageId}`;
  await s3.send(new PutObjectCommand({ Bucket: action.BucketName, Key: objectKey, Body: message }));
  if (!action.TopicArn) return;
  const actionFields = { topicArn: action.TopicArn, bucketName: action.BucketName ?? '', objectKeyPrefix, objectKey };
  await sns.send(
    new PublishCommand({
      TopicArn: action.TopicArn,
      Subject: 'Amazon SES Email Receipt Notification',
      Message: JSON.stringify(receivedNotification(receipt, fields, { scan, authentication }, actionFields, recipients)),
    }),
  );
  metrics.countPublished(action.TopicArn);
};

/** Runs a rule's actions. @returns whether a StopAction ends the rule set. */
const runRule = async (dependencies: InboundDependencies, rule: ReceiptRule, delivery: Delivery, added: HeaderField[]): Promise<boolean> => {
  for (const action of rule.Actions ?? []) {
    if (action.AddHeaderAction) added.push(field(action.AddHeaderAction.HeaderName ?? '', action.AddHeaderAction.HeaderValue ?? ''));
    if (action.S3Action) await storeAndNotify(dependencies, delivery, action.S3Action, added);
    if (action.StopAction) return true;
  }
  return false;
};

/** Receives mail like SES. Rules and domains are read at each call, so a deployment takes effect immediately. */
export const inboundMail = (dependencies: InboundDependencies, remembered = messageMemory()): InboundMail => {
  const matches = (rule: ReceiptRule, address: string): boolean => ruleMatches(rule, address, dependencies.undocumented['recipient-case'] === 'strict');
  return {
    findReceived: (messageId) => remembered.find(messageId),
    async accepts(address) {
      if (!(await activeRuleSet(dependencies.ses)).rules.some((rule) => matches(rule, address))) return false;
      return dependencies.identities.isVerifiedDomain(domainOf(address));
    },
    async receivesForDomain(address) {
      const domain = domainOf(address);
      return (await activeRuleSet(dependencies.ses)).rules.some((rule) => ruleConcernsDomain(rule, domain)) && dependencies.identities.isVerifiedDomain(domain);
    },
    async receive(envelope, message) {
      const receipt = { messageId: inboundMessageId(), receivedAt: new Date(), envelope, region: dependencies.region };
      const scanned = await scan(message);
      const { fields } = splitMessage(message);
      const authentication = await authenticate(envelope.from, fields, dependencies.zones);
      remembered.add(receipt.messageId, { receivedAt: receipt.receivedAt, sender: envelope.from, fields });
      const added: HeaderField[] = [];
      let hasMatched = false;
      const { name: ruleSet, rules } = await activeRuleSet(dependencies.ses);
      for (const rule of rules) {
        const recipients = envelope.recipients.filter((address) => matches(rule, address));
        if (recipients.length === 0) continue;
        hasMatched = true;
        const delivery = { receipt, message, authentication, scanned: rule.ScanEnabled ? scanned : notScanned, recipients };
        if (await runRule(dependencies, rule, delivery, added)) break;
      }
      if (!hasMatched) throw new Error('No receipt rule matches any of the recipients');
      dependencies.metrics.countReceived(ruleSet);
      dependencies.onMail({
        kind: 'received',
        messageId: receipt.messageId,
        from: envelope.from,
        to: envelope.recipients,
        subject: readableText(fields, 'Subject'),
      });
      return receipt.messageId;
    },
  };
};
