import { ArnFormat, Aws, CustomResource, Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { CfnReceiptRule, CfnReceiptRuleSet } from 'aws-cdk-lib/aws-ses';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { LambdaCode } from './lambda-entries.ts';
import { LambdaFunction } from './lambda-function.ts';
import type { Storage } from './storage.ts';
import { WorkQueue } from './work-queue.ts';

export type InboundMailProps = { readonly storage: Storage; readonly code: LambdaCode };

const deliveryTimeout = Duration.minutes(1);

/**
 * The way of a message in: SES receives and scans it, puts it into the bucket under `inbound/`, tells the topic; the queue holds the
 * notification (in SNS's envelope) until the deliver Lambda has filed the message.
 */
export class InboundMail extends Construct {
  readonly topic: Topic;
  readonly waiting: WorkQueue;
  readonly deliver: LambdaFunction;
  readonly ruleSet: CfnReceiptRuleSet;

  constructor(scope: Construct, id: string, { storage, code }: InboundMailProps) {
    super(scope, id);
    this.topic = new Topic(this, 'Topic', { displayName: 'Mail that arrived', enforceSSL: true });
    this.waiting = new WorkQueue(this, 'Waiting', { holds: 'arrived mail', consumerTimeout: deliveryTimeout });
    this.topic.addSubscription(new SqsSubscription(this.waiting.queue, { rawMessageDelivery: false, deadLetterQueue: this.waiting.deadLetters }));
    this.deliver = this.addDeliver(storage, code);
    this.ruleSet = new CfnReceiptRuleSet(this, 'RuleSet', { ruleSetName: Stack.of(this).stackName });
    this.activate(this.addReceiptRule(storage), code);
  }

  private addDeliver(storage: Storage, code: LambdaCode): LambdaFunction {
    const deliver = new LambdaFunction(this, 'Deliver', {
      code,
      name: 'deliver',
      description: 'Files arrived mail into the accounts of its recipients',
      environment: {
        directoryTable: storage.directoryTable.tableName,
        mailTable: storage.mailTable.tableName,
        mailBucket: storage.mailBucket.bucketName,
      },
      memory: 1024,
      timeout: deliveryTimeout,
    });
    storage.grantReadDirectory(deliver);
    storage.grantReadWriteMail(deliver);
    storage.grantReadObjects(deliver, 'inbound');
    storage.grantPutObjects(deliver, 'messages');
    deliver.addEventSource(new SqsEventSource(this.waiting.queue, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: 10 }));
    return deliver;
  }

  private addReceiptRule(storage: Storage): CfnReceiptRule {
    const { ruleSet } = this;
    const ses = new ServicePrincipal('ses.amazonaws.com');
    const rules = Stack.of(this).formatArn({ service: 'ses', resource: 'receipt-rule-set', resourceName: `${ruleSet.ref}:receipt-rule/*`, arnFormat: ArnFormat.SLASH_RESOURCE_NAME });
    const conditions = { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID }, ArnLike: { 'aws:SourceArn': rules } };
    const intoBucket = storage.mailBucket.addToResourcePolicy(new PolicyStatement({
      sid: 'MailArrives', principals: [ses], actions: ['s3:PutObject'], resources: [storage.mailBucket.arnForObjects('inbound/*')], conditions,
    }));
    const toTopic = this.topic.addToResourcePolicy(new PolicyStatement({
      sid: 'MailArrives', principals: [ses], actions: ['sns:Publish'], resources: [this.topic.topicArn], conditions,
    }));
    const rule = new CfnReceiptRule(this, 'Rule', {
      ruleSetName: ruleSet.ref,
      rule: {
        name: 'deliver',
        enabled: true,
        scanEnabled: true,
        tlsPolicy: 'Optional',
        actions: [{ s3Action: { bucketName: storage.mailBucket.bucketName, objectKeyPrefix: 'inbound/', topicArn: this.topic.topicArn } }],
      },
    });
    // SES tries the bucket and the topic when the rule is made. On removal the rule goes first, so that nothing arrives in a bucket that was just emptied.
    rule.node.addDependency(storage);
    for (const { policyDependable } of [intoBucket, toTopic]) if (policyDependable) rule.node.addDependency(policyDependable);
    return rule;
  }

  /** An account has one active rule set, and CloudFormation can't choose it. */
  private activate(rule: CfnReceiptRule, code: LambdaCode): void {
    const activation = new LambdaFunction(this, 'Activation', {
      code,
      name: 'receipt-rule-set',
      description: 'Makes the receipt rule set the active one of the account',
      timeout: Duration.minutes(1),
    });
    // Neither action knows resources.
    activation.addToRolePolicy(new PolicyStatement({ actions: ['ses:DescribeActiveReceiptRuleSet', 'ses:SetActiveReceiptRuleSet'], resources: ['*'] }));
    new CustomResource(this, 'ActiveRuleSet', {
      resourceType: 'Custom::ActiveReceiptRuleSet',
      serviceToken: activation.functionArn,
      serviceTimeout: Duration.minutes(2),
      properties: { ruleSetName: this.ruleSet.ref },
    }).node.addDependency(rule);
  }
}
