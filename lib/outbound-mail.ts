import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { ConfigurationSet, ConfigurationSetTlsPolicy, EmailSendingEvent, EventDestination } from 'aws-cdk-lib/aws-ses';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { LambdaCode } from './lambda-entries.ts';
import { LambdaFunction } from './lambda-function.ts';
import { schedule } from './scheduled.ts';
import { identities } from './sending-identities.ts';
import type { Storage } from './storage.ts';
import { WorkQueue } from './work-queue.ts';

export type OutboundMailProps = { readonly storage: Storage; readonly code: LambdaCode };

const submitTimeout = Duration.minutes(1);
const recordTimeout = Duration.seconds(30);

/**
 * The way of a message out: a submission waits in the queue, the submit Lambda hands it to SES under our configuration set, and what SES reports about it
 * (bounces, complaints, deliveries) comes back by topic → queue → the mail-events Lambda. A Lambda that sweeps the outbox each minute puts into the queue
 * what nobody else did.
 */
export class OutboundMail extends Construct {
  readonly configurationSet: ConfigurationSet;
  readonly waiting: WorkQueue;
  readonly eventsTopic: Topic;
  readonly events: WorkQueue;
  private readonly storage: Storage;

  constructor(scope: Construct, id: string, { storage, code }: OutboundMailProps) {
    super(scope, id);
    this.storage = storage;
    this.configurationSet = new ConfigurationSet(this, 'ConfigurationSet', {
      configurationSetName: Stack.of(this).stackName,
      reputationMetrics: true,
      // SES's list knows neither classes of message nor an end. Ours does, and what is cleared there is sent to again.
      disableSuppressionList: true,
      tlsPolicy: ConfigurationSetTlsPolicy.OPTIONAL,
    });
    this.waiting = new WorkQueue(this, 'Waiting', { holds: 'mail to be sent', consumerTimeout: submitTimeout });
    this.eventsTopic = new Topic(this, 'EventsTopic', { displayName: 'What became of sent mail', enforceSSL: true });
    this.events = new WorkQueue(this, 'Events', { holds: 'reports on sent mail', consumerTimeout: recordTimeout });
    this.eventsTopic.addSubscription(new SqsSubscription(this.events.queue, { rawMessageDelivery: false, deadLetterQueue: this.events.deadLetters }));
    this.addSubmit(code);
    this.addSweep(code);
    this.addMailEvents(code);
    this.reportEvents();
  }

  /** The domains that we send from, as identities of SES. */
  grantManageDomains(grantee: IGrantable): void {
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({
      actions: ['ses:CreateEmailIdentity', 'ses:GetEmailIdentity', 'ses:DeleteEmailIdentity', 'ses:PutEmailIdentityMailFromAttributes'],
      resources: [identities(Stack.of(this))],
    }));
  }

  /** Handing a submission over: its records, the queue, and a look at who is suppressed. */
  grantSubmit(grantee: IGrantable): void {
    this.storage.grantReadSending(grantee);
    this.storage.grantPutSending(grantee, 'submission#*', 'outbox');
    this.waiting.queue.grant(grantee, 'sqs:SendMessage');
  }

  /** At most two at once: SES takes one message a second from a new account, and what it throttles waits in the queue. */
  private addSubmit(code: LambdaCode): void {
    const submit = new LambdaFunction(this, 'Submit', {
      code,
      name: 'submit',
      description: 'Hands mail to SES',
      environment: {
        sendingTable: this.storage.sendingTable.tableName,
        submitQueueUrl: this.waiting.queue.queueUrl,
        configurationSet: this.configurationSet.configurationSetName,
      },
      timeout: submitTimeout,
    });
    this.storage.grantReadWriteSending(submit);
    this.waiting.queue.grant(submit, 'sqs:SendMessage');
    const configurationSet = Stack.of(this).formatArn({
      service: 'ses', resource: 'configuration-set', resourceName: this.configurationSet.configurationSetName, arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
    // SendEmail of a raw message asks for both.
    submit.addToRolePolicy(new PolicyStatement({ actions: ['ses:SendEmail', 'ses:SendRawEmail'], resources: [identities(Stack.of(this)), configurationSet] }));
    submit.addEventSource(new SqsEventSource(this.waiting.queue, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: 2 }));
  }

  private addSweep(code: LambdaCode): void {
    const sweep = new LambdaFunction(this, 'Sweep', {
      code,
      name: 'submit-sweep',
      description: 'Puts what fell due in the outbox into the queue of mail to be sent',
      environment: { sendingTable: this.storage.sendingTable.tableName, submitQueueUrl: this.waiting.queue.queueUrl },
      memory: 256,
      timeout: Duration.seconds(50),
    });
    this.storage.grantReadWriteSending(sweep);
    this.waiting.queue.grant(sweep, 'sqs:SendMessage');
    schedule(this, 'EachMinute', sweep, { description: 'Sweeps the outbox', every: Duration.minutes(1), retryAttempts: 0 });
  }

  private addMailEvents(code: LambdaCode): void {
    const mailEvents = new LambdaFunction(this, 'MailEvents', {
      code,
      name: 'mail-events',
      description: 'Records what SES reports about sent mail',
      environment: { sendingTable: this.storage.sendingTable.tableName },
      timeout: recordTimeout,
    });
    this.storage.grantReadWriteSending(mailEvents);
    mailEvents.addEventSource(new SqsEventSource(this.events.queue, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: 5 }));
  }

  private reportEvents(): void {
    this.configurationSet.addEventDestination('Report', {
      destination: EventDestination.snsTopic(this.eventsTopic),
      events: [
        EmailSendingEvent.SEND, EmailSendingEvent.REJECT, EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT,
        EmailSendingEvent.DELIVERY, EmailSendingEvent.DELIVERY_DELAY, EmailSendingEvent.RENDERING_FAILURE,
      ],
    });
  }
}
