import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Aws } from 'aws-cdk-lib';
import { Construct } from 'constructs';

/**
 * E-mails the start and the end of every alarm that is in the scope when this is constructed. Lambdas and queues create
 * their own alarms.
 */
export class Alarms extends Construct {
  constructor(scope: Construct, id: string, { email }: { readonly email: string }) {
    super(scope, id);
    const topic = new Topic(this, 'Topic', { displayName: 'Postrider alarms', enforceSSL: true });
    topic.addToResourcePolicy(new PolicyStatement({
      sid: 'AlarmsTell',
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
