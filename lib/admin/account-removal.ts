import { Duration } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { BackgroundConcurrency } from '../lambda/background-concurrency.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import type { Storage } from '../state/storage.ts';
import { WorkQueue } from '../lambda/work-queue.ts';

export type AccountRemovalProps = { readonly storage: Storage; readonly concurrency: BackgroundConcurrency; readonly code: LambdaCode };

/**
 * Time-out of a run, and the time between two scheduled runs. A run continues large accounts until 90 seconds of it are
 * left.
 */
const removalTimeout = Duration.minutes(5);

/**
 * A queue of deleted accounts and the Lambda that removes their mail, objects and addresses. The Lambda puts a large
 * account back into the queue until everything is gone.
 */
export class AccountRemoval extends Construct {
  readonly removalQueue: WorkQueue;
  readonly worker: LambdaFunction;

  constructor(scope: Construct, id: string, { storage, concurrency, code }: AccountRemovalProps) {
    super(scope, id);
    this.removalQueue = new WorkQueue(this, 'Waiting', { content: 'deleted accounts', consumerTimeout: removalTimeout });
    this.worker = new LambdaFunction(this, 'Worker', {
      code,
      name: 'account-removal',
      description: 'Removes the mail, objects and addresses of deleted accounts',
      environment: {
        directoryTable: storage.directoryTable.tableName,
        mailTable: storage.mailTable.tableName,
        mailBucket: storage.mailBucket.bucketName,
        accountRemovalQueueUrl: this.removalQueue.queue.queueUrl,
      },
      timeout: removalTimeout,
      isRequeuing: true,
    });
    storage.grantReadWriteDirectory(this.worker);
    storage.grantRemoveMail(this.worker);
    storage.grantDeleteObjects(this.worker, 'messages', 'uploads', 'outgoing', 'snapshots', 'search', 'downloads');
    this.grantEnqueue(this.worker);
    this.removalQueue.invokeOrSchedule(this.worker, concurrency.queues['account-removal']);
  }

  /** Allows putting deleted accounts into the queue. */
  grantEnqueue(grantee: IGrantable): void {
    this.removalQueue.queue.grant(grantee, 'sqs:SendMessage');
  }
}
