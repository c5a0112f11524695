import { randomUUID } from 'node:crypto';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { receiptRuleName } from '../../contract/deployment/receipt-rule-set.ts';
import { objectKeys } from '../../core/storage/object-keys.ts';
import { sendRaw, sendRawWhenAccepted } from '../../sandbox/clients/smtp-client.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { snsNotification } from '../support/queue-records.ts';
import { deployed } from './deployment.ts';

/** A subject that no other message has. */
export const uniqueSubject = (text: string): string => `${text} ${randomUUID().slice(0, 8)}`;

/** Composes a message as a mail program does. @returns its octets. */
export const composeMessage = async (message: SendMailOptions): Promise<Buffer> => {
  const { message: raw } = await createTransport({ streamTransport: true, buffer: true, newline: 'windows' }).sendMail(message);
  return raw as Buffer;
};

const from = 'carol@elsewhere.test';

/** Sends a message once. @returns the recipients that the server refused. */
export const recipientsRefusedBySmtp = async (to: readonly string[], message: SendMailOptions): Promise<string[]> => {
  const { rejected } = await sendRaw(deployed.smtp!, { from, to }, await composeMessage({ from, to: [...to], ...message }));
  return rejected.map(({ recipient }) => recipient);
};

/** Milliseconds until SES accepts a new address, even on a slow machine. */
const acceptTimeout = 60_000;

const storeReceived = async (to: readonly string[], raw: Buffer, receivedAt: Date): Promise<string> => {
  const s3 = new S3Client(awsClientConfig(deployed));
  const messageId = `test-${randomUUID()}`;
  const { mailBucketName: bucketName, inboundTopicArn: topicArn } = deployed.outputs;
  const objectKey = objectKeys.inbound(receiptRuleName(deployed.stackName ?? '', 1), messageId);
  const [passed, timestamp] = [{ status: 'PASS' }, receivedAt.toISOString()];
  await s3.send(new PutObjectCommand({ Bucket: bucketName, Key: objectKey, Body: raw })).finally(() => s3.destroy());
  return JSON.stringify({
    notificationType: 'Received',
    mail: { timestamp, source: from, messageId, destination: to },
    receipt: {
      timestamp,
      recipients: to,
      spamVerdict: passed,
      virusVerdict: passed,
      spfVerdict: passed,
      dkimVerdict: passed,
      dmarcVerdict: passed,
      action: { type: 'S3', topicArn, bucketName, objectKey },
    },
  });
};

/**
 * Stores a message in the bucket and publishes the notification, as SES does after its scans. On AWS, outgoing
 * connections to port 25 are mostly blocked, and the domain of the tests has no MX record.
 */
export const putBehindSes = async (to: readonly string[], raw: Buffer, receivedAt = new Date()): Promise<void> => {
  const Message = await storeReceived(to, raw, receivedAt);
  const sns = new SNSClient(awsClientConfig(deployed));
  const Subject = 'Amazon SES Email Receipt Notification';
  await sns.send(new PublishCommand({ TopicArn: deployed.outputs['inboundTopicArn'], Subject, Message })).finally(() => sns.destroy());
};

/** Stores a message in the bucket, and its notification in the dead letters of received mail, as if each delivery had failed. */
export const putIntoDeadLetters = async (to: readonly string[], message: SendMailOptions): Promise<void> => {
  const Message = await storeReceived(to, await composeMessage({ from, to: [...to], ...message }), new Date());
  const sqs = new SQSClient(awsClientConfig(deployed));
  const MessageBody = snsNotification('inbound', Message);
  await sqs.send(new SendMessageCommand({ QueueUrl: deployed.outputs['inboundDeadLetterQueueUrl'], MessageBody })).finally(() => sqs.destroy());
};

/** Sends a message by SMTP, or puts it behind SES when the deployment has no SMTP server that the tests can reach. */
export const sendMail = async (to: readonly string[], message: SendMailOptions): Promise<void> =>
  deployed.smtp ? sendBySmtp(to, message) : putBehindSes(to, await composeMessage({ from, to: [...to], ...message }));

/**
 * Sends a message by SMTP from another domain. The server must accept every recipient, including new ones: recipients
 * that it refuses at first get a second message with the same content.
 */
export const sendBySmtp = async (to: readonly string[], message: SendMailOptions): Promise<void> => {
  const { rejected } = await sendRawWhenAccepted(deployed.smtp!, { from, to }, await composeMessage({ from, to: [...to], ...message }), acceptTimeout);
  expect(rejected).toEqual([]);
};
