import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { environment } from '../../contract/deployment/environment.ts';
import type { BackgroundConcurrency } from '../lambda/background-concurrency.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import type { Storage } from '../state/storage.ts';
import { WorkQueue } from '../lambda/work-queue.ts';

export type MailCleanupProps = { readonly storage: Storage; readonly concurrency: BackgroundConcurrency; readonly code: LambdaCode };

/**
 * Time-out of a run, and the time between two scheduled runs. Each message was delayed by a quarter of an hour, so that
 * it is at most twenty minutes old when a run takes it: the console takes a queue for stuck after 25 minutes.
 */
const cleanupTimeout = Duration.minutes(5);

/**
 * A queue of the remains of commits, and the Lambda that removes them a quarter of an hour later, when no request reads
 * them any more: raw messages, stored contents and references of destroyed Emails, raw messages whose Email no commit
 * created, and search segments that no manifest names.
 */
export class MailCleanup extends Construct {
  private readonly cleanupQueue: WorkQueue;

  constructor(scope: Construct, id: string, { storage, concurrency, code }: MailCleanupProps) {
    super(scope, id);
    this.cleanupQueue = new WorkQueue(this, 'Waiting', {
      content: 'remains of destroyed Emails, failed commits and old search segments', consumerTimeout: cleanupTimeout,
    });
    const worker = new LambdaFunction(this, 'Worker', {
      code,
      name: 'mail-cleanup',
      description: 'Removes what destroyed Emails, failed commits and old search segments leave',
      environment: { mailTable: storage.mailTable.tableName, mailBucket: storage.mailBucket.bucketName },
      // An account of a million Emails takes about 200 MB while its Threads are looked up.
      memory: 1024,
      timeout: cleanupTimeout,
    });
    storage.grantCleanUpMail(worker);
    this.cleanupQueue.invokeOrSchedule(worker, concurrency.queues['mail-cleanup']);
  }

  /** Lets a Lambda put destroyed Emails, stored raw messages and search segments into the queue. */
  grantEnqueue(lambda: LambdaFunction): void {
    lambda.addEnvironment(environment.mailCleanupQueueUrl, this.cleanupQueue.queue.queueUrl);
    this.cleanupQueue.queue.grant(lambda, 'sqs:SendMessage');
  }
}
