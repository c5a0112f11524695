import { Duration } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { maxDeliveries } from '../../contract/deployment/dead-letters.ts';
import { environment } from '../../contract/deployment/environment.ts';
import type { QueueConsumption } from './background-concurrency.ts';
import type { LambdaFunction } from './lambda-function.ts';
import { schedule } from './schedule.ts';

/** Default properties of queues: encrypted, TLS only, messages kept for 14 days. */
const queueDefaults = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, retentionPeriod: Duration.days(14) };

/** A dead-letter queue. The watch finds its messages. */
export class DeadLetters extends Queue {
  constructor(scope: Construct, id: string) {
    super(scope, id, queueDefaults);
  }
}

export type WorkQueueProps = {
  /** The consumer's timeout for one batch. The visibility timeout is six times as long, as AWS recommends. */
  readonly consumerTimeout?: Duration;
  /** The visibility timeout, where work that was killed must go on sooner. It is at least the consumer's timeout. */
  readonly visibilityTimeout?: Duration;
};

/** A queue with a dead-letter queue. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { consumerTimeout, visibilityTimeout }: WorkQueueProps) {
    super(scope, id);
    this.deadLetters = new DeadLetters(this, 'DeadLetters');
    this.queue = new Queue(this, 'Queue', {
      ...queueDefaults,
      ...(visibilityTimeout && { visibilityTimeout }),
      ...(consumerTimeout && { visibilityTimeout: Duration.seconds(6 * consumerTimeout.toSeconds()) }),
      receiveMessageWaitTime: Duration.seconds(20),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: maxDeliveries },
    });
  }

  /** Passes the messages to a Lambda when they arrive, by at most `maxConcurrency` concurrent calls. */
  invoke(lambda: LambdaFunction, maxConcurrency: number, batchSize = 1): void {
    lambda.addEventSource(new SqsEventSource(this.queue, { batchSize, reportBatchItemFailures: true, maxConcurrency }));
  }

  /**
   * Passes the messages to a Lambda that can also receive them itself (`core/runtime/lambda/queue-drain.ts`): as they
   * arrive, or in scheduled runs of one Lambda at a time. A run may take as long as the Lambda's timeout.
   */
  invokeOrSchedule(lambda: LambdaFunction, consumption: QueueConsumption, batchSize = 1): void {
    lambda.addEnvironment(environment.drainedQueueUrl, this.queue.queueUrl);
    if (consumption !== 'scheduled') return this.invoke(lambda, consumption, batchSize);
    this.queue.grant(lambda, 'sqs:ReceiveMessage', 'sqs:DeleteMessage');
    const every = Duration.minutes(Math.ceil(lambda.timeout!.toMinutes({ integral: false })));
    schedule(this, 'Drain', lambda, { description: `Invokes ${lambda.shortName} for the messages of its queue`, every, retryAttempts: 0 });
  }
}
