import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** Queues are encrypted, need TLS and keep messages for 14 days. */
const queueDefaults = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, retentionPeriod: Duration.days(14) };

/**
 * A dead-letter queue with an alarm.
 * @param content what it holds, for the alarm: `arrived mail that could not be handled 5 times`.
 */
export class DeadLetters extends Queue {
  constructor(scope: Construct, id: string, content: string) {
    super(scope, id, queueDefaults);
    new Alarm(this, 'NotEmpty', {
      alarmDescription: `Dead letters: ${content}, in the queue ${this.queueName}`,
      metric: this.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1), statistic: 'Maximum' }),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}

export type WorkQueueProps = {
  /** What the queue holds, for the text of the alarm: `arrived mail`. */
  readonly content: string;
  /** The consumer's timeout for one batch. The visibility timeout is six times as long, as AWS recommends. */
  readonly consumerTimeout?: Duration;
};

/** Deliveries of a message before it becomes a dead letter. */
const maxReceiveCount = 5;

/** A queue with a dead-letter queue. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { content, consumerTimeout }: WorkQueueProps) {
    super(scope, id);
    this.deadLetters = new DeadLetters(this, 'DeadLetters', `${content} that could not be handled ${maxReceiveCount} times`);
    this.queue = new Queue(this, 'Queue', {
      ...queueDefaults,
      ...(consumerTimeout && { visibilityTimeout: Duration.seconds(6 * consumerTimeout.toSeconds()) }),
      receiveMessageWaitTime: Duration.seconds(20),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount },
    });
  }
}
