import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** Encrypted, TLS only, messages kept for 14 days. */
const safe = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, retentionPeriod: Duration.days(14) };

/** Where things wait that could not be handled, with an alarm on them. @param what goes on: `arrived mail that could not be handled 5 times`. */
export class DeadLetters extends Queue {
  constructor(scope: Construct, id: string, what: string) {
    super(scope, id, safe);
    new Alarm(this, 'NotEmpty', {
      alarmDescription: `Dead letters: ${what} waits in ${this.queueName}`,
      metric: this.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1), statistic: 'Maximum' }),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}

export type WorkQueueProps = {
  /** What waits in the queue, for the alarm's text: `inbound mail`. */
  readonly holds: string;
  /** How long the consumer may take for a batch; a message shows up again six times later, as AWS advises. */
  readonly consumerTimeout?: Duration;
};

/** How often a message is handed out before it goes to the dead letters. */
const maxReceiveCount = 5;

/** A queue with its dead letters and an alarm on these; encrypted, TLS only, messages kept for 14 days. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { holds, consumerTimeout }: WorkQueueProps) {
    super(scope, id);
    this.deadLetters = new DeadLetters(this, 'DeadLetters', `${holds} that could not be handled ${maxReceiveCount} times`);
    this.queue = new Queue(this, 'Queue', {
      ...safe,
      ...(consumerTimeout && { visibilityTimeout: Duration.seconds(6 * consumerTimeout.toSeconds()) }),
      receiveMessageWaitTime: Duration.seconds(20),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount },
    });
  }
}
