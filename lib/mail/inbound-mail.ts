import { ArnFormat, Aws, CustomResource, Duration, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, MetricFilter, type MetricFilterProps } from 'aws-cdk-lib/aws-logs';
import { CfnReceiptRuleSet } from 'aws-cdk-lib/aws-ses';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { metricNamespace } from '../../contract/deployment/monitored-resources.ts';
import { waitingMail } from '../../contract/deployment/waiting-mail.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import type { BackgroundConcurrency } from '../lambda/background-concurrency.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import { accountQuota, type QuotaContext } from '../deployment-context.ts';
import { ReceiptRules } from './receipt-rules.ts';
import { allIdentitiesArn } from './sending-identities.ts';
import type { OutboundMail } from './outbound-mail.ts';
import type { Storage } from '../state/storage.ts';
import { WorkQueue } from '../lambda/work-queue.ts';

export type InboundMailProps = {
  readonly context: QuotaContext;
  readonly storage: Storage;
  /** Sends the vacation responses. */
  readonly outboundMail: OutboundMail;
  readonly concurrency: BackgroundConcurrency;
  readonly code: LambdaCode;
};

/** Metrics of undeliverable recipients, by the outcome that the deliver Lambda logs. */
const undeliverableMetrics = {
  UndeliverableBounced: 'bounced', UndeliverableNotBounced: 'not bounced', UndeliverableWaiting: 'waiting for room',
};

const deliveryTimeout = Duration.minutes(1);

/**
 * Maximum messages of one Lambda call. Those of one account share a transaction. Without a batching window, which would
 * delay a single message, the maximum is ten.
 */
const deliveriesAtOnce = 10;

/**
 * Receives mail. SES scans a message, and each receipt rule that matches a recipient stores it in the bucket under
 * `inbound/<rule>/` and notifies the topic. The queue holds the notification (in SNS's envelope) until the deliver Lambda
 * has put the message into the recipients' accounts.
 */
export class InboundMail extends Construct {
  readonly topic: Topic;
  readonly inboundQueue: WorkQueue;
  readonly deliver: LambdaFunction;
  readonly ruleSet: CfnReceiptRuleSet;

  constructor(scope: Construct, id: string, { context, storage, outboundMail, concurrency, code }: InboundMailProps) {
    super(scope, id);
    this.topic = new Topic(this, 'Topic', { displayName: 'Mail that arrived', enforceSSL: true });
    this.inboundQueue = new WorkQueue(this, 'Waiting', { content: 'arrived mail', consumerTimeout: deliveryTimeout });
    const { queue, deadLetters } = this.inboundQueue;
    this.topic.addSubscription(new SqsSubscription(queue, { rawMessageDelivery: false, deadLetterQueue: deadLetters }));
    this.deliver = this.addDeliver(context, storage, outboundMail, code);
    this.inboundQueue.invoke(this.deliver, concurrency.queues.deliver, deliveriesAtOnce);
    this.ruleSet = new CfnReceiptRuleSet(this, 'RuleSet', { ruleSetName: Stack.of(this).stackName });
    this.addRuleSetActivation(this.addReceiptRules(storage, code), code);
  }

  private addDeliver(context: InboundMailProps['context'], storage: Storage, outboundMail: OutboundMail, code: LambdaCode): LambdaFunction {
    const deliver = new LambdaFunction(this, 'Deliver', {
      code,
      name: 'deliver',
      description: 'Delivers arrived mail to the accounts of its recipients',
      environment: {
        directoryTable: storage.directoryTable.tableName,
        mailTable: storage.mailTable.tableName,
        sendingTable: storage.sendingTable.tableName,
        mailBucket: storage.mailBucket.bucketName,
        submitQueueUrl: outboundMail.submitQueue.queue.queueUrl,
        inboundQueueUrl: this.inboundQueue.queue.queueUrl,
        accountQuota: accountQuota(context),
      },
      memory: 1024,
      timeout: deliveryTimeout,
      isRequeuing: true,
    });
    storage.grantReadDirectory(deliver);
    storage.grantReadWriteMail(deliver);
    storage.grantReadObjects(deliver, 'inbound', 'messages');
    storage.grantDeleteObjects(deliver, 'inbound', 'messages');
    storage.grantPutObjects(deliver, 'messages');
    this.inboundQueue.queue.grant(deliver, 'sqs:SendMessage');
    outboundMail.grantSubmit(deliver);
    allowActions(deliver, { actions: ['ses:SendBounce'], resources: [allIdentitiesArn(Stack.of(this))] });
    this.countUndeliverable(deliver);
    this.addWaitingAlarm(deliver);
    return deliver;
  }

  /**
   * Counts recipients that no account receives, in the namespace `Postrider/<stack>`: those that were bounced and those
   * that were not. CloudWatch bills a metric only for the hours in which it has values.
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
      metricNamespace: metricNamespace(Stack.of(this).stackName),
      metricName,
      metricValue,
    };
  }

  /** Watches the true age of mail that waits for room (contract/deployment/waiting-mail.ts). A period has an attempt for each message. */
  private addWaitingAlarm(deliver: LambdaFunction): void {
    const { metric, attemptMinutes, alarmHours } = waitingMail;
    new Alarm(this, 'MailWaits', {
      alarmDescription: `Mail waits: a message has waited for room in a full account for ${alarmHours} hours or longer. Until there is room, `
        + 'nobody sees it, and within a day its sender gets it back.',
      metric: new MetricFilter(this, metric, this.undeliverable(deliver, metric, undeliverableMetrics.UndeliverableWaiting, '$.waitedSeconds'))
        .metric({ period: Duration.minutes(attemptMinutes), statistic: Stats.MAXIMUM }),
      threshold: alarmHours * 3600,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  private addReceiptRules(storage: Storage, code: LambdaCode): CustomResource {
    const { ruleSet, topic } = this;
    const ses = new ServicePrincipal('ses.amazonaws.com');
    const anyRule = Stack.of(this).formatArn({
      service: 'ses', resource: 'receipt-rule-set', resourceName: `${ruleSet.ref}:receipt-rule/*`, arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
    const conditions = { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID }, ArnLike: { 'aws:SourceArn': anyRule } };
    const inboundObjects = storage.mailBucket.arnForObjects('inbound/*');
    const bucketPolicy = storage.mailBucket.addToResourcePolicy(new PolicyStatement({
      sid: 'MailArrives', principals: [ses], actions: ['s3:PutObject'], resources: [inboundObjects], conditions,
    }));
    const topicPolicy = topic.addToResourcePolicy(new PolicyStatement({
      sid: 'MailArrives', principals: [ses], actions: ['sns:Publish'], resources: [topic.topicArn], conditions,
    }));
    const { deployed } = new ReceiptRules(this, 'ReceiptRules', { ruleSet, storage, topic, code });
    // SES tests the bucket and the topic when a rule is created. CloudFormation removes the rules before the bucket is
    // emptied, so that no mail arrives after that.
    deployed.node.addDependency(storage);
    for (const { policyDependable } of [bucketPolicy, topicPolicy]) if (policyDependable) deployed.node.addDependency(policyDependable);
    return deployed;
  }

  /** An AWS account has one active rule set in a region, and CloudFormation has no resource that activates one. */
  private addRuleSetActivation(rules: CustomResource, code: LambdaCode): void {
    const activation = new LambdaFunction(this, 'Activation', {
      code,
      name: 'receipt-rule-set',
      description: 'Makes the receipt rule set the active one of the account',
      timeout: Duration.minutes(1),
    });
    // These actions have no resources.
    allowActions(activation, { actions: ['ses:DescribeActiveReceiptRuleSet', 'ses:SetActiveReceiptRuleSet'], resources: ['*'] });
    new CustomResource(this, 'ActiveRuleSet', {
      resourceType: 'Custom::ActiveReceiptRuleSet',
      serviceToken: activation.functionArn,
      serviceTimeout: Duration.minutes(2),
      properties: { ruleSetName: this.ruleSet.ref },
    }).node.addDependency(rules);
  }
}
