import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { ReceiptAction, ReceiptRule, SESClient } from '@aws-sdk/client-ses';
import { PublishCommand, type SNSClient } from '@aws-sdk/client-sns';
import { domainOf, readableText } from '../message/mail-addresses.ts';
import { notScanned, scan, type Scan } from '../message/content-scan.ts';
import { field, joinMessage, splitMessage, type HeaderField } from '../message/header-block.ts';
import type { Identities } from '../identities/email-identities.ts';
import type { Tell } from '../mail-event.ts';
import { addedFields, inboundId, receivedNotification, type Envelope, type Receipt } from './received-mail.ts';
import { activeRules, takes } from './receipt-rules.ts';

export type Inbound = {
  /** Whether SES would take mail for this address: a verified domain, and a rule that wants it. Throws when the emulator can't be asked. */
  accepts(address: string): Promise<boolean>;
  /** Stores the message and tells of it, by every rule that takes one of the recipients. @returns SES's id. Throws when that failed. */
  receive(envelope: Envelope, message: Buffer): Promise<string>;
};

export type InboundParts = {
  readonly identities: Identities;
  readonly ses: SESClient;
  readonly s3: S3Client;
  readonly sns: SNSClient;
  readonly region: string;
  readonly tell: Tell;
};

type Delivery = { readonly receipt: Receipt; readonly message: Buffer; readonly scanned: Scan; readonly recipients: readonly string[] };

/** SES shows what it stored: its own fields, then those of rules' AddHeader actions, then the sender's. */
const stored = ({ receipt, message, scanned }: Delivery, added: readonly HeaderField[]) => {
  const { fields, body } = splitMessage(message);
  const all = [...addedFields(receipt, scanned), ...added, ...fields];
  return { fields: all, message: joinMessage({ fields: all, body }) };
};

const storeAndTell = async ({ s3, sns }: InboundParts, delivery: Delivery, action: NonNullable<ReceiptAction['S3Action']>, added: readonly HeaderField[]) => {
  const { receipt, scanned, recipients } = delivery;
  const { fields, message } = stored(delivery, added);
  const objectKeyPrefix = action.ObjectKeyPrefix ?? '';
  const objectKey = `${objectKeyPrefix}${receipt.messageId}`;
  await s3.send(new PutObjectCommand({ Bucket: action.BucketName, Key: objectKey, Body: message }));
  if (!action.TopicArn) return;
  const place = { topicArn: action.TopicArn, bucketName: action.BucketName ?? '', objectKeyPrefix, objectKey };
  await sns.send(new PublishCommand({
    TopicArn: action.TopicArn,
    Subject: 'Amazon SES Email Receipt Notification',
    Message: JSON.stringify(receivedNotification(receipt, fields, scanned, place, recipients)),
  }));
};

/** Runs one rule's actions. @returns whether the rule ends the set. */
const runRule = async (parts: InboundParts, rule: ReceiptRule, delivery: Delivery, added: HeaderField[]): Promise<boolean> => {
  for (const action of rule.Actions ?? []) {
    if (action.AddHeaderAction) added.push(field(action.AddHeaderAction.HeaderName ?? '', action.AddHeaderAction.HeaderValue ?? ''));
    if (action.S3Action) await storeAndTell(parts, delivery, action.S3Action, added);
    if (action.StopAction) return true;
  }
  return false;
};

/** Receiving as SES does it; rules and domains are looked up at each call, so that a deployment is followed at once. */
export const inboundThrough = (parts: InboundParts): Inbound => ({
  async accepts(address) {
    if (!(await activeRules(parts.ses)).some((rule) => takes(rule, address))) return false;
    return parts.identities.isVerifiedDomain(domainOf(address));
  },
  async receive(envelope, message) {
    const receipt = { messageId: inboundId(), receivedAt: new Date(), envelope, region: parts.region };
    const scanned = await scan(message);
    const added: HeaderField[] = [];
    let taken = false;
    for (const rule of await activeRules(parts.ses)) {
      const recipients = envelope.recipients.filter((address) => takes(rule, address));
      if (recipients.length === 0) continue;
      taken = true;
      const delivery = { receipt, message, scanned: rule.ScanEnabled ? scanned : notScanned, recipients };
      if (await runRule(parts, rule, delivery, added)) break;
    }
    if (!taken) throw new Error('No receipt rule takes any of the recipients');
    parts.tell({
      kind: 'received',
      messageId: receipt.messageId,
      from: envelope.from,
      to: envelope.recipients,
      subject: readableText(splitMessage(message).fields, 'Subject'),
    });
    return receipt.messageId;
  },
});
