import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq, type DynamoEventSourceProps } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Construct } from 'constructs';
import { environment } from '../../contract/deployment/environment.ts';
import { maxConnectionAge } from '../../contract/jmap/web-socket.ts';
import type { BackgroundConcurrency } from '../lambda/background-concurrency.ts';
import type { DeploymentContext } from '../deployment-context.ts';
import type { EventSourceWaits } from './event-source-waits.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import type { Storage } from '../state/storage.ts';
import type { StoredSecrets } from '../state/stored-secrets.ts';
import type { WebSocketApi } from './web-socket-api.ts';
import { DeadLetters, WorkQueue } from '../lambda/work-queue.ts';

export type NotifyProps = {
  readonly storage: Storage;
  readonly webSocketApi: WebSocketApi;
  readonly concurrency: BackgroundConcurrency;
  readonly eventSourceWaits: EventSourceWaits;
  readonly code: LambdaCode;
};
export type PushDeliveryProps = {
  readonly context: DeploymentContext;
  readonly storage: Storage;
  readonly webSocketApi: WebSocketApi;
  readonly storedSecrets: StoredSecrets;
  readonly concurrency: BackgroundConcurrency;
  readonly code: LambdaCode;
};

/** Delay of the notify Lambda behind the stream at which an alarm starts. */
const maxDelay = Duration.minutes(5);

/** For one batch of the push-delivery Lambda. */
const deliveryTimeout = Duration.seconds(30);

/**
 * Maximum messages of one push-delivery Lambda call. A slow push service blocks one of these places for seconds, while
 * the others continue.
 */
const deliveryBatchSize = 10;

/**
 * Records of the mail table's stream for the notify Lambda: changed accounts, and WebSocket connections that expired.
 */
const mailTableFilters = [
  FilterCriteria.filter({ eventName: FilterRule.or('INSERT', 'MODIFY'), dynamodb: { Keys: { sk: { S: FilterRule.isEqual('HEAD') } } } }),
  FilterCriteria.filter({
    eventName: FilterRule.isEqual('REMOVE'), userIdentity: { principalId: FilterRule.isEqual('dynamodb.amazonaws.com') },
    dynamodb: { Keys: { pk: { S: FilterRule.beginsWith('connection#') } } },
  }),
];

/** Records of the directory table's stream for the notify Lambda: users who were deactivated or deleted. */
const directoryTableFilters = [{ is_active: { BOOL: [false] } }, { is_deleted: { BOOL: [true] } }].map((NewImage) =>
  FilterCriteria.filter({ dynamodb: { Keys: { pk: { S: FilterRule.isEqual('user') } }, NewImage } }));

/**
 * Notifies clients of changes. The notify Lambda reaches WebSockets and puts everything slower into a queue: Web Push,
 * and sockets that could not be notified. The push-delivery Lambda delivers that.
 */
export class Push extends Construct {
  /** Subscriptions and sockets for the push-delivery Lambda, as references: the Lambda reads the state when it sends it. */
  private readonly deliveryQueue: WorkQueue;
  /** Records of the tables' streams that failed. They only name positions in a stream. */
  readonly failedRecords: DeadLetters;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.deliveryQueue = new WorkQueue(this, 'Waiting', { content: 'pushes to devices and sockets', consumerTimeout: deliveryTimeout });
    this.failedRecords = new DeadLetters(this, 'FailedNotifications', 'changes of accounts that could not be handled by notify or indexer');
  }

  /**
   * Notifies listeners of the changes in the tables' streams: in order for each account, concurrently for different
   * accounts. A record that fails is retried for as long as a socket that waits for it may be open. A client that
   * connects later reads the state itself.
   */
  addNotify({ storage, webSocketApi, eventSourceWaits, concurrency, code }: NotifyProps): void {
    const notify = new LambdaFunction(this, 'Notify', {
      code,
      name: 'notify',
      description: 'Notifies open sockets, Web Push and waiting clients of the event source of changes',
      environment: {
        directoryTable: storage.directoryTable.tableName,
        mailTable: storage.mailTable.tableName,
        webSocketManagementUrl: webSocketApi.managementUrl,
        pushDeliveryQueueUrl: this.deliveryQueue.queue.queueUrl,
      },
      timeout: Duration.seconds(30),
    });
    storage.grantNotifyListeners(notify);
    webSocketApi.grantManageConnections(notify);
    eventSourceWaits.grantWake(notify);
    this.grantSendMessage(notify);
    this.addDelayAlarm(notify);
    const stream = {
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      maxRecordAge: Duration.seconds(maxConnectionAge),
      onFailure: new SqsDlq(this.failedRecords),
    } as const satisfies DynamoEventSourceProps;
    notify.addEventSource(new DynamoEventSource(storage.mailTable, {
      ...stream, parallelizationFactor: concurrency.batchesOfShard, filters: mailTableFilters,
    }));
    // Users have one partition key, and batches of one partition key are handled one after the other.
    notify.addEventSource(new DynamoEventSource(storage.directoryTable, { ...stream, parallelizationFactor: 1, filters: directoryTableFilters }));
  }

  /** A record that the Lambda reports as failed is not an error of the Lambda. It only delays the stream. */
  private addDelayAlarm(notify: LambdaFunction): void {
    new Alarm(notify, 'Behind', {
      alarmDescription: `The Lambda ${notify.functionName} is behind: clients are notified of changes more than `
        + `${maxDelay.toMinutes()} minutes late. Its log: ${notify.logGroup.logGroupName}`,
      metric: notify.metric('IteratorAge', { period: Duration.minutes(1), statistic: 'Maximum' }),
      threshold: maxDelay.toMilliseconds(),
      evaluationPeriods: 3,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  /** Sends the pushes of the queue to the push services of the subscriptions, and notifies sockets again. */
  addDelivery({ context, storage, webSocketApi, storedSecrets, concurrency, code }: PushDeliveryProps): void {
    const delivery = new LambdaFunction(this, 'Delivery', {
      code,
      name: 'push-delivery',
      description: 'Delivers changes to push services, and to sockets that could not be notified',
      environment: {
        directoryTable: storage.directoryTable.tableName,
        mailTable: storage.mailTable.tableName,
        mailDomain: context.domain,
        pushDeliveryQueueUrl: this.deliveryQueue.queue.queueUrl,
        webPushNetworks: context.webPushNetworks.join(' ') || undefined,
        webSocketManagementUrl: webSocketApi.managementUrl,
      },
      timeout: deliveryTimeout,
      isRequeuing: true,
    });
    storage.grantReadPrincipals(delivery);
    storage.grantNotifySubscribers(delivery);
    webSocketApi.grantManageConnections(delivery);
    storedSecrets.grantReadVapid(delivery);
    this.grantSendMessage(delivery);
    this.deliveryQueue.invokeOrSchedule(delivery, concurrency.queues['push-delivery'], deliveryBatchSize);
  }

  /**
   * Lets a Lambda put pushes into the queue. The Lambda that creates subscriptions enqueues their verification, and
   * checks their URLs by the same networks as the push-delivery Lambda.
   */
  grantEnqueue(lambda: LambdaFunction, { webPushNetworks }: Pick<DeploymentContext, 'webPushNetworks'>): void {
    lambda.addEnvironment(environment.pushDeliveryQueueUrl, this.deliveryQueue.queue.queueUrl);
    if (webPushNetworks.length > 0) lambda.addEnvironment(environment.webPushNetworks, webPushNetworks.join(' '));
    this.grantSendMessage(lambda);
  }

  private grantSendMessage(grantee: IGrantable): void {
    this.deliveryQueue.queue.grant(grantee, 'sqs:SendMessage');
  }
}
