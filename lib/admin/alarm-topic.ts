import { Aws, Annotations } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { TopicKey } from '../mail/topic-key.ts';

export type AlarmTopicProps = {
  /** The address that gets problems by mail. */
  readonly email: string | undefined;
  readonly topicKey: TopicKey | undefined;
};

/**
 * The topic to which the watch publishes problems that begin or end, and the alarm on the watch. `alarmEmail` gets all
 * of it by mail. Without that setting, synth warns.
 */
export class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { email, topicKey }: AlarmTopicProps) {
    super(scope, id);
    this.topic = new Topic(this, 'Topic', { displayName: 'Postrider alarms', enforceSSL: true, masterKey: topicKey?.key });
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AllowCloudWatchAlarms',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
    if (email !== undefined) this.topic.addSubscription(new EmailSubscription(email));
    else {
      Annotations.of(this).addWarningV2(
        'postrider:nobody-is-notified',
        'Nobody is notified of problems until an admin subscribes: pass -c alarmEmail=… , or subscribe in the console after the deployment.',
      );
    }
  }

  /** Publishes the begin and the end of an alarm. */
  publish(alarm: Alarm): void {
    const action = new SnsAction(this.topic);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
}
