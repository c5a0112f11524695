import { Duration } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq, type DynamoEventSourceProps } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Construct } from 'constructs';
import { environment } from '../../contract/deployment/environment.ts';
import { accountPartitions, directoryPartitions, mailPartitions, secretPartition } from '../../contract/deployment/keys.ts';
import { maxConnectionAge } from '../../contract/jmap/web-socket.ts';
import type { DeploymentContext } from '../deployment-context.ts';
import type { BackgroundConcurrency } from '../lambda/background-concurrency.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import { DeadLetters, WorkQueue } from '../lambda/work-queue.ts';
import { allowItems, each, ofAccounts } from '../state/allow-items.ts';
import type { Storage } from '../state/imported-storage.ts';
import { allowReadingPrincipals } from './allow-principals.ts';
import type { JmapApi } from './jmap-api.ts';
import type { WebSocketApi } from './web-socket-api.ts';

export type PushProps = {
  readonly context: Pick<DeploymentContext, 'domain' | 'webPushNetworks'>;
  readonly storage: Storage;
  readonly webSocketApi: WebSocketApi;
  readonly jmapApi: JmapApi;
  readonly concurrency: BackgroundConcurrency;
  readonly code: LambdaCode;
};

const [connections, listeners] = [each(mailPartitions.webSocketConnections), each(mailPartitions.listeners)];

/** Timeout of one batch of the push-delivery Lambda. */
const deliveryTimeout = Duration.seconds(30);

/**
 * Maximum messages of one push-delivery Lambda call. A slow push service blocks one message for seconds, while the
 * others continue.
 */
const deliveryBatchSize = 10;

/**
 * Records of the mail table's stream for the notify Lambda: changed accounts, and WebSocket connections that expired.
 */
const mailTableFilters = [
  FilterCriteria.filter({ eventName: FilterRule.or('INSERT', 'MODIFY'), dynamodb: { Keys: { sk: { S: FilterRule.isEqual('HEAD') } } } }),
  FilterCriteria.filter({
    eventName: FilterRule.isEqual('REMOVE'),
    userIdentity: { principalId: FilterRule.isEqual('dynamodb.amazonaws.com') },
    dynamodb: { Keys: { pk: { S: FilterRule.beginsWith(mailPartitions.webSocketConnections('')) } } },
  }),
];

/**
 * Records of the directory table's stream for the notify Lambda: users who were deactivated or deleted, and users whose
 * tokens have been revoked at any time.
 */
const directoryTableFilters = [{ is_active: { BOOL: [false] } }, { is_deleted: { BOOL: [true] } }, { tokens_revoked_at: { S: FilterRule.exists() } }].map(
  (NewImage) => FilterCriteria.filter({ dynamodb: { Keys: { pk: { S: FilterRule.isEqual(directoryPartitions.users) } }, NewImage } }),
);

/**
 * Notifies clients of changes. The notify Lambda notifies WebSockets. It enqueues slower work for the push-delivery
 * Lambda: Web Push, and sockets that could not be notified.
 */
export class Push extends Construct {
  /**
   * Queue with references to subscriptions and sockets, for the push-delivery Lambda. The Lambda reads the current
   * state when it handles a message.
   */
  private readonly deliveryQueue: WorkQueue;
  /** Failed records of the tables' streams. They contain only positions in a stream. */
  readonly failedRecords: DeadLetters;

  constructor(scope: Construct, id: string, props: PushProps) {
    super(scope, id);
    this.deliveryQueue = new WorkQueue(this, 'Waiting', { consumerTimeout: deliveryTimeout });
    this.failedRecords = new DeadLetters(this, 'FailedNotifications');
    this.addNotify(props);
    this.letSubscribe(props);
    this.addDelivery(props);
  }

  /**
   * Notifies listeners of the changes in the tables' streams: in order for each account, concurrently for different
   * accounts. A record that fails is retried for as long as a socket that waits for it may be open. A client that
   * connects later reads the state itself.
   */
  private addNotify({ storage, webSocketApi, jmapApi, concurrency, code }: PushProps): void {
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
    allowItems(notify, storage.directoryTable, ['Query'], each(directoryPartitions.accountMembers));
    allowItems(notify, storage.directoryTable, ['GetItem'], directoryPartitions.users);
    // After a retried write it reads the table to find out whether the first attempt succeeded.
    allowItems(notify, storage.mailTable, ['GetItem', 'Query', 'UpdateItem'], listeners);
    allowItems(notify, storage.mailTable, ['DeleteItem'], listeners, connections);
    webSocketApi.grantManageConnections(notify);
    jmapApi.eventSourceWaits.grantWake(notify);
    this.grantSendMessage(notify);
    const stream = {
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      maxRecordAge: Duration.seconds(maxConnectionAge),
      onFailure: new SqsDlq(this.failedRecords),
    } as const satisfies DynamoEventSourceProps;
    notify.addEventSource(
      new DynamoEventSource(storage.mailTable, { ...stream, parallelizationFactor: concurrency.batchesOfShard, filters: mailTableFilters }),
    );
    // Users have one partition key, and batches of one partition key are handled one after the other.
    notify.addEventSource(new DynamoEventSource(storage.directoryTable, { ...stream, parallelizationFactor: 1, filters: directoryTableFilters }));
  }

  /**
   * Lets the Lambda that creates subscriptions enqueue their verification, and check their URLs against the same
   * networks as the push-delivery Lambda.
   */
  private letSubscribe({ context: { webPushNetworks }, jmapApi: { jmap } }: PushProps): void {
    jmap.addEnvironment(environment.pushDeliveryQueueUrl, this.deliveryQueue.queue.queueUrl);
    if (webPushNetworks.length > 0) jmap.addEnvironment(environment.webPushNetworks, webPushNetworks.join(' '));
    this.grantSendMessage(jmap);
  }

  /** Sends the pushes of the queue to the push services of the subscriptions, and notifies sockets again. */
  private addDelivery({ context, storage, webSocketApi, concurrency, code }: PushProps): void {
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
    allowReadingPrincipals(delivery, storage.directoryTable);
    allowItems(delivery, storage.mailTable, ['GetItem', 'BatchGetItem'], listeners, ...ofAccounts(accountPartitions.log));
    allowItems(delivery, storage.mailTable, ['GetItem'], secretPartition);
    allowItems(delivery, storage.mailTable, ['UpdateItem', 'DeleteItem'], listeners);
    allowItems(delivery, storage.mailTable, ['DeleteItem'], connections);
    webSocketApi.grantManageConnections(delivery);
    this.grantSendMessage(delivery);
    this.deliveryQueue.invokeOrSchedule(delivery, concurrency.queues['push-delivery'], deliveryBatchSize);
  }

  private grantSendMessage(grantee: IGrantable): void {
    this.deliveryQueue.queue.grant(grantee, 'sqs:SendMessage');
  }
}
