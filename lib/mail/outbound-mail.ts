import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { ConfigurationSet, ConfigurationSetTlsPolicy, EmailSendingEvent, EventDestination } from 'aws-cdk-lib/aws-ses';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { accountPartitions, directoryPartitions, sendingPartitions } from '../../contract/deployment/keys.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import type { BackgroundConcurrency } from '../lambda/background-concurrency.ts';
import { deploymentName } from '../lambda/deployment-stack.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import { schedule } from '../lambda/schedule.ts';
import { WorkQueue } from '../lambda/work-queue.ts';
import { allOfAccounts, allowAllItems, allowItems, each, ofAccounts, readActions, writeActions } from '../state/allow-items.ts';
import { allowObjects } from '../state/allow-objects.ts';
import type { Storage } from '../state/imported-storage.ts';
import { allIdentitiesArn } from './sending-identities.ts';
import type { TopicKey } from './topic-key.ts';

export type OutboundMailProps = {
  readonly storage: Storage;
  readonly topicKey: TopicKey | undefined;
  readonly concurrency: BackgroundConcurrency;
  readonly code: LambdaCode;
};

/** Time to read a message of 40 MB, to pass it to SES (`sendTimeout` in `ses-mail-sender.ts`) and to record the result. */
const submitTimeout = Duration.minutes(2);
/**
 * Memory in MB for a message of 40 MB, which is read from S3 and encoded in base64 within JSON. A process that sent
 * such messages by `ses-mail-sender.ts` used at most 257 MB.
 */
const submitMemory = 768;
const mailEventsTimeout = Duration.seconds(30);
/**
 * Maximum SES events of one Lambda call. Events about the same part of a submission share a transaction. Without a batching
 * window the maximum is ten; a window of any length would delay a single event by up to 20 seconds (Lambda's guide,
 * "Using Lambda with Amazon SQS").
 */
const eventsAtOnce = 10;

/** Allows reading the directory items that decide who may send (`core/directory/aliases/may-send.ts`). */
export const allowReadingSendingRights = (grantee: IGrantable, directoryTable: ITableV2): void => {
  const { accounts, users, accountMembers, addresses, domainNames, aliases, domains, groupMembers } = directoryPartitions;
  allowItems(grantee, directoryTable, ['BatchGetItem'], accounts, users, each(accountMembers), addresses, domainNames, aliases, domains, each(groupMembers));
};

/** Allows putting the records and the raw message of a submission, deleting the message, and sending to the queue. */
const allowPuttingSubmissions = (grantee: IGrantable, { sendingTable, mailBucket }: Storage, submitQueue: IQueue): void => {
  const { submissions, outbox, retention } = sendingPartitions;
  allowItems(grantee, sendingTable, ['PutItem'], each(submissions), outbox, retention);
  allowObjects(grantee, mailBucket, ['PutObject', 'DeleteObject'], 'outgoing');
  submitQueue.grant(grantee, 'sqs:SendMessage');
};

/** Allows putting entries of the index of sent mail, by its addresses and its Message-ID. */
const allowIndexingSentMail = (grantee: IGrantable, { sendingTable }: Storage): void => {
  const { sentMailOfAddress, sentMailOfMessageId } = sendingPartitions;
  allowItems(grantee, sendingTable, ['PutItem'], each(sentMailOfAddress), each(sentMailOfMessageId));
};

/** Allows changing the records of submissions, and reading the whole table. */
const allowChangingSubmissions = (grantee: IGrantable, { sendingTable }: Storage): void => {
  const { submissions, outbox, retention } = sendingPartitions;
  allowAllItems(grantee, sendingTable, readActions);
  allowItems(grantee, sendingTable, [...writeActions, 'ConditionCheckItem'], each(submissions), outbox, retention);
};

/** Allows creating a submission, for which the suppression list is read. */
export const grantSubmit = (grantee: IGrantable, storage: Storage, submitQueue: IQueue): void => {
  allowAllItems(grantee, storage.sendingTable, readActions);
  allowPuttingSubmissions(grantee, storage, submitQueue);
};

/**
 * Allows changing EmailSubmissions, and delivering reports about undelivered mail into accounts, which adds items of
 * most kinds.
 */
const allowDeliveringReports = (grantee: IGrantable, { mailTable, mailBucket }: Storage): void => {
  allowItems(grantee, mailTable, [...readActions, ...writeActions], allOfAccounts);
  allowObjects(grantee, mailBucket, ['PutObject', 'DeleteObject'], 'messages');
};

/**
 * Sends mail. The queue holds submissions; the submit Lambda sends them by SES with our configuration set. SES reports
 * bounces, complaints and deliveries to a topic and a queue, from which the mail-events Lambda records them. Each
 * minute the sweep enqueues due submissions of the outbox that are not in the queue, and removes old submissions.
 */
export class OutboundMail extends Construct {
  readonly configurationSet: ConfigurationSet;
  readonly submitQueue: WorkQueue;
  readonly eventsTopic: Topic;
  readonly eventsQueue: WorkQueue;
  private readonly storage: Storage;

  constructor(scope: Construct, id: string, { storage, topicKey, concurrency, code }: OutboundMailProps) {
    super(scope, id);
    this.storage = storage;
    this.configurationSet = new ConfigurationSet(this, 'ConfigurationSet', {
      configurationSetName: deploymentName(this),
      reputationMetrics: true,
      // SES's suppression list has neither message classes nor expiry. Ours has both, and an address that is removed
      // from ours must receive mail again.
      disableSuppressionList: true,
      tlsPolicy: ConfigurationSetTlsPolicy.OPTIONAL,
    });
    this.submitQueue = new WorkQueue(this, 'Waiting', { consumerTimeout: submitTimeout });
    this.eventsTopic = new Topic(this, 'EventsTopic', { displayName: 'Events of sent mail', enforceSSL: true, masterKey: topicKey?.key });
    this.eventsQueue = new WorkQueue(this, 'Events', { consumerTimeout: mailEventsTimeout });
    const { queue, deadLetters } = this.eventsQueue;
    this.eventsTopic.addSubscription(new SqsSubscription(queue, { rawMessageDelivery: false, deadLetterQueue: deadLetters }));
    this.submitQueue.invoke(this.addSubmit(concurrency, code), concurrency.queues.submit);
    this.addSweep(code);
    this.eventsQueue.invokeOrSchedule(this.addMailEvents(code), concurrency.queues['mail-events'], eventsAtOnce);
    this.addEventDestination();
  }

  /** Allows creating a submission. */
  grantSubmit(grantee: IGrantable): void {
    grantSubmit(grantee, this.storage, this.submitQueue.queue);
  }

  /** Allows reading the submissions of accounts, and creating and canceling them. */
  grantSubmitAndCancel(grantee: IGrantable): void {
    allowItems(grantee, this.storage.sendingTable, ['BatchGetItem', 'UpdateItem'], each(sendingPartitions.submissions));
    allowItems(grantee, this.storage.sendingTable, ['DeleteItem'], sendingPartitions.outbox);
    // Held and canceled mail is found by its addresses before it is sent.
    allowIndexingSentMail(grantee, this.storage);
    allowPuttingSubmissions(grantee, this.storage, this.submitQueue.queue);
  }

  /**
   * Adds the submit Lambda. SES accepts one message a second from a new account. Throttled submissions wait, then
   * return to the queue.
   */
  private addSubmit(concurrency: BackgroundConcurrency, code: LambdaCode): LambdaFunction {
    const submit = new LambdaFunction(this, 'Submit', {
      code,
      name: 'submit',
      description: 'Sends mail by SES',
      reservedConcurrency: concurrency.reserved.submit,
      environment: {
        sendingTable: this.storage.sendingTable.tableName,
        mailTable: this.storage.mailTable.tableName,
        directoryTable: this.storage.directoryTable.tableName,
        mailBucket: this.storage.mailBucket.bucketName,
        submitQueueUrl: this.submitQueue.queue.queueUrl,
        configurationSet: this.configurationSet.configurationSetName,
      },
      memory: submitMemory,
      timeout: submitTimeout,
      isRequeuing: true,
    });
    allowChangingSubmissions(submit, this.storage);
    allowIndexingSentMail(submit, this.storage);
    allowItems(submit, this.storage.sendingTable, ['PutItem', 'DeleteItem'], sendingPartitions.provider);
    allowReadingSendingRights(submit, this.storage.directoryTable);
    allowDeliveringReports(submit, this.storage);
    allowObjects(submit, this.storage.mailBucket, ['GetObject', 'DeleteObject'], 'outgoing');
    this.submitQueue.queue.grant(submit, 'sqs:SendMessage');
    const configurationSet = Stack.of(this).formatArn({
      service: 'ses',
      resource: 'configuration-set',
      resourceName: this.configurationSet.configurationSetName,
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
    // SendEmail with a raw message requires both actions.
    allowActions(submit, { actions: ['ses:SendEmail', 'ses:SendRawEmail'], resources: [allIdentitiesArn(Stack.of(this)), configurationSet] });
    return submit;
  }

  private addSweep(code: LambdaCode): void {
    const sweep = new LambdaFunction(this, 'Sweep', {
      code,
      name: 'submit-sweep',
      description: 'Puts due submissions of the outbox into the queue of mail to be sent, and removes old ones',
      environment: {
        sendingTable: this.storage.sendingTable.tableName,
        mailTable: this.storage.mailTable.tableName,
        mailBucket: this.storage.mailBucket.bucketName,
        submitQueueUrl: this.submitQueue.queue.queueUrl,
      },
      memory: 256,
      timeout: Duration.seconds(50),
    });
    allowChangingSubmissions(sweep, this.storage);
    // It changes EmailSubmissions without loading accounts.
    const { log, emailSubmission } = accountPartitions;
    allowItems(sweep, this.storage.mailTable, ['BatchGetItem', 'PutItem'], ...ofAccounts(log, emailSubmission));
    allowItems(sweep, this.storage.mailTable, ['UpdateItem'], ...ofAccounts(log));
    allowItems(sweep, this.storage.mailTable, ['DeleteItem'], ...ofAccounts(emailSubmission));
    allowObjects(sweep, this.storage.mailBucket, ['DeleteObject'], 'outgoing');
    this.submitQueue.queue.grant(sweep, 'sqs:SendMessage');
    schedule(this, 'EachMinute', sweep, { description: 'Sweeps the outbox', every: Duration.minutes(1), retryAttempts: 0 });
  }

  private addMailEvents(code: LambdaCode): LambdaFunction {
    const mailEvents = new LambdaFunction(this, 'MailEvents', {
      code,
      name: 'mail-events',
      description: 'Records what SES reports about sent mail, and reports failures to senders',
      environment: {
        sendingTable: this.storage.sendingTable.tableName,
        mailTable: this.storage.mailTable.tableName,
        directoryTable: this.storage.directoryTable.tableName,
        mailBucket: this.storage.mailBucket.bucketName,
      },
      timeout: mailEventsTimeout,
    });
    allowChangingSubmissions(mailEvents, this.storage);
    const { suppression, suppressionList, feedback, feedbackOfIdentity, feedbackOfRecipient, sentMailOfMessageId } = sendingPartitions;
    // The index gets the Message-ID that SES gave.
    const families = [feedback, feedbackOfIdentity, feedbackOfRecipient, sentMailOfMessageId].map(each);
    allowItems(mailEvents, this.storage.sendingTable, ['PutItem'], suppression, suppressionList, ...families);
    allowDeliveringReports(mailEvents, this.storage);
    // Whether a domain receives mail.
    allowItems(mailEvents, this.storage.directoryTable, ['GetItem'], directoryPartitions.domainNames);
    this.eventsQueue.queue.grant(mailEvents, 'sqs:SendMessage');
    return mailEvents;
  }

  private addEventDestination(): void {
    this.configurationSet.addEventDestination('Report', {
      destination: EventDestination.snsTopic(this.eventsTopic),
      events: [
        EmailSendingEvent.SEND,
        EmailSendingEvent.REJECT,
        EmailSendingEvent.BOUNCE,
        EmailSendingEvent.COMPLAINT,
        EmailSendingEvent.DELIVERY,
        EmailSendingEvent.DELIVERY_DELAY,
        EmailSendingEvent.RENDERING_FAILURE,
      ],
    });
  }
}
