import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { ConfigurationSet, EmailSendingEvent, EventDestination, SuppressionReasons, ConfigurationSetTlsPolicy } from 'aws-cdk-lib/aws-ses';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { WorkQueue } from './work-queue.ts';

/** Sending through SES: the configuration set that our mail carries, and what SES reports about it (bounces, complaints, deliveries) on the way topic → queue. */
export class OutboundMail extends Construct {
  readonly configurationSet: ConfigurationSet;
  readonly eventsTopic: Topic;
  readonly events: WorkQueue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.configurationSet = new ConfigurationSet(this, 'ConfigurationSet', {
      configurationSetName: Stack.of(this).stackName,
      reputationMetrics: true,
      suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
      tlsPolicy: ConfigurationSetTlsPolicy.OPTIONAL,
    });
    this.eventsTopic = new Topic(this, 'EventsTopic', { displayName: 'What became of sent mail', enforceSSL: true });
    this.events = new WorkQueue(this, 'Events', { holds: 'reports on sent mail' });
    this.eventsTopic.addSubscription(new SqsSubscription(this.events.queue, { rawMessageDelivery: false, deadLetterQueue: this.events.deadLetters }));
    this.reportEvents();
  }

  /** The domains that we send from, as identities of SES. */
  grantManageDomains(grantee: IGrantable): void {
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({
      actions: ['ses:CreateEmailIdentity', 'ses:GetEmailIdentity', 'ses:DeleteEmailIdentity', 'ses:PutEmailIdentityMailFromAttributes'],
      resources: [Stack.of(this).formatArn({ service: 'ses', resource: 'identity', resourceName: '*', arnFormat: ArnFormat.SLASH_RESOURCE_NAME })],
    }));
  }

  private reportEvents(): void {
    this.configurationSet.addEventDestination('Report', {
      destination: EventDestination.snsTopic(this.eventsTopic),
      events: [
        EmailSendingEvent.SEND, EmailSendingEvent.REJECT, EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT,
        EmailSendingEvent.DELIVERY, EmailSendingEvent.DELIVERY_DELAY,
      ],
    });
  }
}
