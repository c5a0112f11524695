import { Duration, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { accountPartitions, directoryPartitions, mailPartitions } from '../../contract/deployment/keys.ts';
import { accountQuota, type DeploymentContext, type QuotaContext } from '../deployment-context.ts';
import { WaitQueue } from '../jmap/event-source-waits.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import { schedule } from '../lambda/schedule.ts';
import type { OutboundMail } from '../mail/outbound-mail.ts';
import { grantReadSendingStatus } from '../mail/sending-identities.ts';
import type { TopicKey } from '../mail/topic-key.ts';
import type { ImportedUserPool } from '../sign-in/imported-user-pool.ts';
import { allowAllItems, allowItems, ofAccounts, readActions, writeActions } from '../state/allow-items.ts';
import type { Storage } from '../state/imported-storage.ts';
import type { AlarmTopic } from './alarm-topic.ts';

export type WatchProps = {
  readonly context: QuotaContext & Pick<DeploymentContext, 'domain' | 'dynamicRegistration'>;
  readonly storage: Storage;
  readonly userPool: ImportedUserPool;
  /** Sends the mail about problems. */
  readonly outboundMail: OutboundMail;
  readonly alarms: AlarmTopic;
  /** The key of the topic; undefined without encryption. */
  readonly topicKey: TopicKey | undefined;
  readonly consoleUrl: string;
  /** `MonitoredResources` of contract/deployment/monitored-resources.ts, as JSON. */
  readonly resources: string;
  /** Host names of the custom domains. */
  readonly hostNames: readonly string[];
  readonly code: LambdaCode;
};

const interval = Duration.minutes(5);

/** Runs that may fail or be missing, one after another, before the alarm starts. */
const failedRuns = 3;

/**
 * The Lambda that keeps the list of the deployment's problems and notifies people of its changes, and the alarm on the
 * Lambda. It watches the queues of the stack. Its calls to CloudWatch are GetMetricStatistics, of which a million a
 * month are free.
 */
export class Watch extends Construct {
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, id: string, props: WatchProps) {
    super(scope, id);
    const { context, storage, userPool, outboundMail, alarms, topicKey, consoleUrl, resources, hostNames, code } = props;
    this.lambda = new LambdaFunction(this, 'Lambda', {
      code,
      name: 'watch',
      description: 'Keeps the list of the deployment’s problems',
      environment: {
        directoryTable: storage.directoryTable.tableName,
        mailTable: storage.mailTable.tableName,
        sendingTable: storage.sendingTable.tableName,
        mailBucket: storage.mailBucket.bucketName,
        submitQueueUrl: outboundMail.submitQueue.queue.queueUrl,
        alarmTopicArn: alarms.topic.topicArn,
        consoleUrl,
        userPoolId: userPool.pool.userPoolId,
        dynamicRegistration: String(context.dynamicRegistration),
        monitoredResources: resources,
        customHostNames: hostNames.join(' ') || undefined,
        mailDomain: context.domain,
        accountQuota: accountQuota(context),
      },
      memory: 256,
      timeout: Duration.minutes(1),
    });
    const { problems, suspectedProblems, problemChanges, watch } = directoryPartitions;
    allowAllItems(this.lambda, storage.directoryTable, [...readActions, 'ConditionCheckItem']);
    allowItems(this.lambda, storage.directoryTable, writeActions, problems, suspectedProblems, problemChanges, watch);
    // The heads of accounts.
    allowItems(this.lambda, storage.mailTable, ['BatchGetItem'], ...ofAccounts(accountPartitions.log));
    allowItems(this.lambda, storage.mailTable, ['Query'], mailPartitions.unparsedMessages);
    if (context.dynamicRegistration) userPool.grantListClients(this.lambda);
    grantReadSendingStatus(this.lambda);
    outboundMail.grantSubmit(this.lambda);
    allowActions(this.lambda, { actions: ['sns:Publish'], resources: [alarms.topic.topicArn] });
    // This action has no resources.
    allowActions(this.lambda, { actions: ['cloudwatch:GetMetricStatistics'], resources: ['*'] });
    const queues = Stack.of(this)
      .node.findAll()
      .flatMap((construct) => (construct instanceof Queue && !(construct instanceof WaitQueue) ? [construct.queueArn] : []));
    allowActions(this.lambda, { actions: ['sqs:GetQueueUrl', 'sqs:GetQueueAttributes'], resources: queues });
    schedule(this, 'EveryFiveMinutes', this.lambda, { description: 'Watches the deployment', every: interval, retryAttempts: 0 });
    alarms.publish(this.addAlarm());
    topicKey?.grantPublish(this.lambda);
  }

  /** Lambda counts 0 errors for a run that succeeds, so that a missing value is a missing run. */
  private addAlarm(): Alarm {
    return new Alarm(this, 'Alarm', {
      alarmDescription:
        `The watch does not run: ${this.lambda.functionName} has failed or not run for ${failedRuns * interval.toMinutes()} minutes, ` +
        'so that nobody is warned of other problems.',
      metric: this.lambda.metricErrors({ period: interval, statistic: 'Sum' }),
      threshold: 1,
      evaluationPeriods: failedRuns,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.BREACHING,
    });
  }
}
