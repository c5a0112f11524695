import { Duration } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { environment } from '../../contract/deployment/environment.ts';
import { accountPartitions, mailPartitions } from '../../contract/deployment/keys.ts';
import type { BackgroundConcurrency } from '../lambda/background-concurrency.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import { schedule } from '../lambda/schedule.ts';
import { WorkQueue } from '../lambda/work-queue.ts';
import { allOfAccounts, allowItems, ofAccounts, readActions } from '../state/allow-items.ts';
import { allowObjects } from '../state/allow-objects.ts';
import type { Storage } from '../state/imported-storage.ts';

export type MailCleanupProps = { readonly storage: Storage; readonly concurrency: BackgroundConcurrency; readonly code: LambdaCode };

/**
 * Time-out of a run, and the time between two scheduled runs. Each message is delayed by a quarter of an hour, so it is
 * at most twenty minutes old when a run receives it. The console reports a queue after 25 minutes.
 */
const cleanupTimeout = Duration.minutes(5);

/** Allows a Lambda to enqueue destroyed Emails, stored raw messages and search segments. */
export const grantEnqueueCleanup = (lambda: LambdaFunction, queue: IQueue): void => {
  lambda.addEnvironment(environment.mailCleanupQueueUrl, queue.queueUrl);
  queue.grant(lambda, 'sqs:SendMessage');
};

/**
 * A queue of what commits no longer need, and the Lambda that removes it a quarter of an hour later, when no request reads
 * it any more: raw messages, stored contents and references of destroyed Emails, raw messages whose Email no commit
 * created, and search segments that no manifest names.
 */
export class MailCleanup extends Construct {
  readonly cleanupQueue: WorkQueue;

  constructor(scope: Construct, id: string, { storage, concurrency, code }: MailCleanupProps) {
    super(scope, id);
    this.cleanupQueue = new WorkQueue(this, 'Waiting', { consumerTimeout: cleanupTimeout });
    const worker = new LambdaFunction(this, 'Worker', {
      code,
      name: 'mail-cleanup',
      description: 'Removes what destroyed Emails, failed commits and old search segments leave',
      environment: { mailTable: storage.mailTable.tableName, mailBucket: storage.mailBucket.bucketName },
      // An account of a million Emails takes about 200 MB while its Threads are looked up.
      memory: 1024,
      timeout: cleanupTimeout,
    });
    const { log, email, reference, blob, destroyed } = accountPartitions;
    const { destroyedMailDue } = mailPartitions;
    allowItems(worker, storage.mailTable, readActions, allOfAccounts);
    allowItems(worker, storage.mailTable, ['Query'], destroyedMailDue);
    allowItems(worker, storage.mailTable, ['UpdateItem'], ...ofAccounts(log, email));
    allowItems(worker, storage.mailTable, ['PutItem'], ...ofAccounts(email, reference));
    allowItems(worker, storage.mailTable, ['DeleteItem'], ...ofAccounts(reference, blob, destroyed), destroyedMailDue);
    allowItems(worker, storage.mailTable, ['ConditionCheckItem'], ...ofAccounts(reference));
    allowObjects(worker, storage.mailBucket, ['GetObject'], 'snapshots', 'search');
    allowObjects(worker, storage.mailBucket, ['DeleteObject'], 'messages', 'media', 'search');
    allowObjects(worker, storage.mailBucket, ['DeleteObjectVersion'], 'messages');
    this.grantEnqueue(worker);
    schedule(this, 'Sweep', worker, {
      description: 'Removes the destroyed Emails that cannot be restored any more',
      every: Duration.days(1),
      retryAttempts: 2,
      event: { sweep: true },
    });
    this.cleanupQueue.invokeOrSchedule(worker, concurrency.queues['mail-cleanup']);
  }

  /** Allows a Lambda to enqueue destroyed Emails, stored raw messages and search segments. */
  grantEnqueue(lambda: LambdaFunction): void {
    grantEnqueueCleanup(lambda, this.cleanupQueue.queue);
  }
}
