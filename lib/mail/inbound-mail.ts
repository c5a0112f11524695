import { Aws, CustomResource, Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, MetricFilter, type MetricFilterProps } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { environment } from '../../contract/deployment/environment.ts';
import { directoryPartitions, mailPartitions, secretPartition, sendingPartitions } from '../../contract/deployment/keys.ts';
import { metricNamespace } from '../../contract/deployment/monitored-resources.ts';
import { waitingMail } from '../../contract/deployment/waiting-mail.ts';
import { accountQuota, sendLimits, type DeploymentContext, type QuotaContext, type SendLimitContext } from '../deployment-context.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import type { BackgroundConcurrency } from '../lambda/background-concurrency.ts';
import { deploymentName } from '../lambda/deployment-stack.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { customResourceTimeout, LambdaFunction } from '../lambda/lambda-function.ts';
import { WorkQueue } from '../lambda/work-queue.ts';
import { allOfAccounts, allowAllItems, allowItems, each, readActions, writeActions } from '../state/allow-items.ts';
import { allowObjects } from '../state/allow-objects.ts';
import type { Storage } from '../state/imported-storage.ts';
import { ownReceiptRules } from '../state/tables-and-bucket.ts';
import type { OutboundMail } from './outbound-mail.ts';
import { ReceiptRules } from './receipt-rules.ts';
import { allIdentitiesArn, signInMailSender } from './sending-identities.ts';
import type { TopicKey } from './topic-key.ts';

export type InboundMailProps = {
  readonly context: QuotaContext &
    SendLimitContext &
    Pick<DeploymentContext, 'receiptRules' | 'recordSubjects' | 'signInMailFrom' | 'domain' | 'forwardOutside' | 'deletedMailRetentionDays'>;
  readonly storage: Storage;
  /** Sends the vacation responses. */
  readonly outboundMail: OutboundMail;
  readonly topicKey: TopicKey | undefined;
  readonly concurrency: BackgroundConcurrency;
  readonly code: LambdaCode;
};

/** Metrics of undeliverable recipients, by the outcome that the deliver Lambda logs. */
const undeliverableMetrics = { UndeliverableBounced: 'bounced', UndeliverableNotBounced: 'not bounced', UndeliverableWaiting: 'waiting for room' };

const deliveryTimeout = Duration.minutes(1);

/**
 * Maximum messages of one Lambda call. Messages for the same account share a transaction. Without a batching window,
 * which would delay a single message, the maximum is ten.
 */
const deliveriesAtOnce = 10;

/**
 * Receives mail. SES scans a message, and each receipt rule that matches a recipient stores it in the bucket under
 * `inbound/<rule>/` and notifies the topic. The queue holds the notification (in SNS's envelope) until the deliver
 * Lambda has added the message to the recipients' accounts.
 */
export class InboundMail extends Construct {
  readonly topic: Topic;
  readonly inboundQueue: WorkQueue;
  readonly deliver: LambdaFunction;
  /** The name of the active receipt rule set at the last deployment. */
  readonly ruleSetName: string;

  constructor(scope: Construct, id: string, { context, storage, outboundMail, topicKey, concurrency, code }: InboundMailProps) {
    super(scope, id);
    this.topic = new Topic(this, 'Topic', { displayName: 'Mail that arrived', enforceSSL: true, masterKey: topicKey?.key });
    this.inboundQueue = new WorkQueue(this, 'Waiting', { consumerTimeout: deliveryTimeout });
    const { queue, deadLetters } = this.inboundQueue;
    this.topic.addSubscription(new SqsSubscription(queue, { rawMessageDelivery: false, deadLetterQueue: deadLetters }));
    this.deliver = this.addDeliver({ context, storage, outboundMail, concurrency, code });
    this.inboundQueue.invoke(this.deliver, concurrency.queues.deliver, deliveriesAtOnce);
    this.ruleSetName = this.addRuleSetActivation(code).getAttString('ruleSetName');
    this.addReceiptRules(context, storage, code);
  }

  /** Tells the deliver Lambda where addresses of forwardings are confirmed. @param jmapUrl a base URL, without a slash at the end. */
  setJmapUrl(jmapUrl: string): void {
    this.deliver.addEnvironment(environment.jmapUrl, jmapUrl);
  }

  private addDeliver({ context, storage, outboundMail, concurrency, code }: Omit<InboundMailProps, 'topicKey'>): LambdaFunction {
    const deliver = new LambdaFunction(this, 'Deliver', {
      code,
      name: 'deliver',
      description: 'Delivers received mail to the accounts of its recipients',
      reservedConcurrency: concurrency.reserved.deliver,
      environment: {
        directoryTable: storage.directoryTable.tableName,
        mailTable: storage.mailTable.tableName,
        sendingTable: storage.sendingTable.tableName,
        mailBucket: storage.mailBucket.bucketName,
        submitQueueUrl: outboundMail.submitQueue.queue.queueUrl,
        inboundQueueUrl: this.inboundQueue.queue.queueUrl,
        inboundDeadLettersUrl: this.inboundQueue.deadLetters.queueUrl,
        accountQuota: accountQuota(context),
        signInMailFrom: signInMailSender(context),
        recordSubjects: String(context.recordSubjects),
        sendLimits: sendLimits(context),
        forwardOutside: String(context.forwardOutside),
        deletedMailRetentionDays: String(context.deletedMailRetentionDays),
      },
      memory: 1024,
      timeout: deliveryTimeout,
      isRequeuing: true,
    });
    allowAllItems(deliver, storage.directoryTable, readActions);
    // The digests of the links for addresses of forwardings.
    allowItems(deliver, storage.directoryTable, ['PutItem'], directoryPartitions.forwardings);
    const itemActions = [...readActions, ...writeActions, 'ConditionCheckItem'] as const;
    allowItems(deliver, storage.mailTable, itemActions, allOfAccounts, each(mailPartitions.bounces));
    allowItems(deliver, storage.mailTable, ['GetItem'], secretPartition, each(mailPartitions.groupMail));
    allowItems(deliver, storage.mailTable, ['PutItem'], mailPartitions.unparsedMessages, mailPartitions.destroyedMailDue, each(mailPartitions.groupMail));
    allowItems(
      deliver,
      storage.sendingTable,
      ['PutItem'],
      each(sendingPartitions.received),
      each(sendingPartitions.receivedBy),
      each(sendingPartitions.receivedWithMessageId),
    );
    allowItems(deliver, storage.sendingTable, ['UpdateItem'], each(sendingPartitions.received));
    allowObjects(deliver, storage.mailBucket, ['GetObject', 'DeleteObject'], 'inbound', 'messages');
    allowObjects(deliver, storage.mailBucket, ['PutObject'], 'messages');
    for (const queue of [this.inboundQueue.queue, this.inboundQueue.deadLetters]) queue.grant(deliver, 'sqs:SendMessage');
    outboundMail.grantSubmit(deliver);
    allowActions(deliver, { actions: ['ses:SendBounce'], resources: [allIdentitiesArn(Stack.of(this))] });
    this.countUndeliverable(deliver);
    this.measureWaiting(deliver);
    return deliver;
  }

  /**
   * Counts recipients without an account in the namespace `Postrider/<stack>`: those whose mail was bounced and those
   * whose mail was not. CloudWatch bills a metric only for the hours in which it has values.
   */
  private countUndeliverable(deliver: LambdaFunction): void {
    for (const [metricName, outcome] of Object.entries(undeliverableMetrics)) {
      new MetricFilter(this, metricName, this.undeliverable(deliver, metricName, outcome, '$.recipients'));
    }
  }

  /** A metric of a field in the lines that the deliver Lambda logs for an outcome. */
  private undeliverable({ logGroup }: LambdaFunction, metricName: string, outcome: string, metricValue: string): MetricFilterProps {
    return {
      logGroup,
      filterPattern: FilterPattern.stringValue('$.message', '=', `undeliverable: ${outcome}`),
      metricNamespace: metricNamespace(deploymentName(this)),
      metricName,
      metricValue,
    };
  }

  /** Measures the true age of mail that waits for room, for charts (contract/deployment/waiting-mail.ts). */
  private measureWaiting(deliver: LambdaFunction): void {
    const { metric } = waitingMail;
    new MetricFilter(this, metric, this.undeliverable(deliver, metric, undeliverableMetrics.UndeliverableWaiting, '$.waitedSeconds'));
  }

  private addReceiptRules({ receiptRules: recipients }: InboundMailProps['context'], storage: Storage, code: LambdaCode): void {
    const { ruleSetName, topic } = this;
    const ses = new ServicePrincipal('ses.amazonaws.com');
    const conditions = { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID }, ArnLike: { 'aws:SourceArn': ownReceiptRules(this) } };
    const topicPolicy = topic.addToResourcePolicy(
      new PolicyStatement({ sid: 'MailArrives', principals: [ses], actions: ['sns:Publish'], resources: [topic.topicArn], conditions }),
    );
    const { deployed } = new ReceiptRules(this, 'ReceiptRules', { ruleSetName, recipients, storage, topic, code });
    // SES tests the topic when a rule is created, and the bucket, which is in a stack that was deployed before.
    if (topicPolicy.policyDependable) deployed.node.addDependency(topicPolicy.policyDependable);
  }

  /**
   * An AWS account has one active rule set in a region, which several deployments share. CloudFormation has no resource
   * that activates one.
   */
  private addRuleSetActivation(code: LambdaCode): CustomResource {
    const activation = new LambdaFunction(this, 'Activation', {
      code,
      name: 'receipt-rule-set',
      description: 'Activates a receipt rule set where none is active',
      timeout: customResourceTimeout,
    });
    // These actions have no resources.
    allowActions(activation, { actions: ['ses:DescribeActiveReceiptRuleSet', 'ses:CreateReceiptRuleSet', 'ses:SetActiveReceiptRuleSet'], resources: ['*'] });
    return new CustomResource(this, 'ActiveRuleSet', {
      resourceType: 'Custom::ActiveReceiptRuleSet',
      serviceToken: activation.functionArn,
      serviceTimeout: Duration.minutes(2),
    });
  }
}
