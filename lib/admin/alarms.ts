import { Alarm, ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Aws, Duration, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { metricNamespace } from '../../contract/deployment/monitored-resources.ts';
import { lambdaErrorsMetric } from '../lambda/lambda-function.ts';

/**
 * The alarm on errors of all Lambdas. CloudWatch bills it as one metric; an alarm for each Lambda, or metric math over
 * them, would be billed for each. `monitoring ListRecentErrors` names the Lambda.
 */
export class LambdaErrors extends Construct {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const stack = Stack.of(this);
    new Alarm(this, 'Alarm', {
      alarmDescription: `A Lambda of ${stack.stackName} ended with an error. Find it: postrider-admin monitoring ListRecentErrors`,
      metric: new Metric({
        namespace: metricNamespace(stack.stackName), metricName: lambdaErrorsMetric, period: Duration.minutes(5), statistic: 'Sum',
      }),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}

/**
 * E-mails the start and the end of every alarm that is in the scope when this is constructed. Lambdas and queues create
 * their own alarms.
 */
export class Alarms extends Construct {
  constructor(scope: Construct, id: string, { email }: { readonly email: string }) {
    super(scope, id);
    const topic = new Topic(this, 'Topic', { displayName: 'Postrider alarms', enforceSSL: true });
    topic.addToResourcePolicy(new PolicyStatement({
      sid: 'AllowCloudWatchAlarms',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }));
    topic.addSubscription(new EmailSubscription(email));
    const action = new SnsAction(topic);
    for (const alarm of scope.node.findAll().filter((construct) => construct instanceof Alarm)) {
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
    }
  }
}
