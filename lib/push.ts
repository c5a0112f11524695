import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq, SqsEventSource, type DynamoEventSourceProps } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Construct } from 'constructs';
import { environment } from '../contract/environment.ts';
import { maxConnectionAge } from '../contract/jmap/web-socket.ts';
import type { DeploymentContext } from './deployment-context.ts';
import type { LambdaCode } from './lambda-entries.ts';
import { LambdaFunction } from './lambda-function.ts';
import type { RandomSecret } from './random-secret.ts';
import type { Storage } from './storage.ts';
import type { WebSocketApi } from './web-socket-api.ts';
import { DeadLetters, WorkQueue } from './work-queue.ts';

/** How long the web-push Lambda may take for a batch. */
const webPushTimeout = Duration.seconds(30);

export type WebPushProps = { readonly context: DeploymentContext; readonly storage: Storage; readonly vapidSecret: RandomSecret; readonly code: LambdaCode };

/** Pushes that one Lambda sends side by side, and Lambdas that do: a slow push service takes a place for seconds, the others go on. */
const webPushBatch = { size: 10, lambdas: 20 };

export type NotifyProps = { readonly storage: Storage; readonly webSocketApi: WebSocketApi; readonly code: LambdaCode };

/** How late a push may be before somebody is called. */
const longestDelay = Duration.minutes(5);

/** Records of the mail table's stream that the notifier wants: accounts that moved on, and connections whose time was over. */
const mailNews = [
  FilterCriteria.filter({ eventName: FilterRule.or('INSERT', 'MODIFY'), dynamodb: { Keys: { sk: { S: FilterRule.isEqual('HEAD') } } } }),
  FilterCriteria.filter({
    eventName: FilterRule.isEqual('REMOVE'), userIdentity: { principalId: FilterRule.isEqual('dynamodb.amazonaws.com') },
    dynamodb: { Keys: { pk: { S: FilterRule.beginsWith('connection#') } } },
  }),
];

/** And of the directory's: people who are not active any more. */
const directoryNews = [{ is_active: { BOOL: [false] } }, { is_deleted: { BOOL: [true] } }].map((NewImage) =>
  FilterCriteria.filter({ dynamodb: { Keys: { pk: { S: FilterRule.isEqual('user') } }, NewImage } }));

/** What tells clients of changes. */
export class Push extends Construct {
  /** Pushes wait here for the web-push Lambda, as references: what is sent is read at the time of sending. */
  private readonly webPushes: WorkQueue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.webPushes = new WorkQueue(this, 'WebPushes', { holds: 'a push for Web Push', consumerTimeout: webPushTimeout });
  }

  /**
   * Tells listeners of what the streams bring, in order for each account and side by side for different ones. What can't be handled is tried again for as long as a
   * socket may live that waits for it; a client that connects later catches up by itself.
   */
  addNotify({ storage, webSocketApi, code }: NotifyProps): void {
    const notify = new LambdaFunction(this, 'Notify', {
      code,
      name: 'notify',
      description: 'Tells open sockets and Web Push of changes',
      environment: {
        directoryTable: storage.directoryTable.tableName,
        mailTable: storage.mailTable.tableName,
        webSocketManagementUrl: webSocketApi.managementUrl,
        webPushQueueUrl: this.webPushes.queue.queueUrl,
      },
      timeout: Duration.seconds(30),
    });
    storage.grantTellListeners(notify);
    webSocketApi.grantReachSockets(notify);
    this.grantWebPush(notify);
    this.watchDelay(notify);
    const givenUp = new DeadLetters(this, 'NotToldOf', 'changes to tell of that could not be handled for two hours');
    const stream = {
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      parallelizationFactor: 10,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      maxRecordAge: Duration.seconds(maxConnectionAge),
      onFailure: new SqsDlq(givenUp),
    } as const satisfies DynamoEventSourceProps;
    notify.addEventSource(new DynamoEventSource(storage.mailTable, { ...stream, filters: mailNews }));
    notify.addEventSource(new DynamoEventSource(storage.directoryTable, { ...stream, filters: directoryNews }));
  }

  /** Records that a Lambda reports as failed are no errors of the Lambda: they show by coming late. */
  private watchDelay(notify: LambdaFunction): void {
    new Alarm(notify, 'Behind', {
      alarmDescription: `The Lambda ${notify.functionName} is behind: clients are told of changes more than ${longestDelay.toMinutes()} minutes late. Its log: ${notify.logGroup.logGroupName}`,
      metric: notify.metric('IteratorAge', { period: Duration.minutes(1), statistic: 'Maximum' }),
      threshold: longestDelay.toMilliseconds(),
      evaluationPeriods: 3,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  /** Sends what waits in the queue to the push services of subscriptions. */
  addWebPush({ context, storage, vapidSecret, code }: WebPushProps): void {
    const webPush = new LambdaFunction(this, 'WebPush', {
      code,
      name: 'web-push',
      description: 'Web Push: tells push services of changes',
      environment: {
        directoryTable: storage.directoryTable.tableName,
        mailTable: storage.mailTable.tableName,
        mailDomain: context.domain,
        vapidSecretArn: vapidSecret.secretArn,
        webPushQueueUrl: this.webPushes.queue.queueUrl,
        webPushNetworks: context.webPushNetworks.join(' ') || undefined,
      },
      timeout: webPushTimeout,
    });
    storage.grantFindPrincipals(webPush);
    storage.grantTellSubscribers(webPush);
    vapidSecret.grantReadValue(webPush);
    this.grantWebPush(webPush);
    webPush.addEventSource(new SqsEventSource(this.webPushes.queue, { batchSize: webPushBatch.size, maxConcurrency: webPushBatch.lambdas, reportBatchItemFailures: true }));
  }

  /** What makes subscriptions: it sends their verification, and judges their URLs as they will be judged when something is sent there. */
  letSubscribe(lambda: LambdaFunction, { webPushNetworks }: Pick<DeploymentContext, 'webPushNetworks'>): void {
    lambda.addEnvironment(environment.webPushQueueUrl, this.webPushes.queue.queueUrl);
    if (webPushNetworks.length > 0) lambda.addEnvironment(environment.webPushNetworks, webPushNetworks.join(' '));
    this.grantWebPush(lambda);
  }

  /** Putting a push into the queue. */
  private grantWebPush(grantee: IGrantable): void {
    this.webPushes.queue.grant(grantee, 'sqs:SendMessage');
  }
}
