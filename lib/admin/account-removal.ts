import { Duration } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { allowActions } from '../lambda/allow-actions.ts';
import type { BackgroundConcurrency } from '../lambda/background-concurrency.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import { schedule } from '../lambda/schedule.ts';
import { WorkQueue } from '../lambda/work-queue.ts';
import type { ImportedUserPool } from '../sign-in/imported-user-pool.ts';
import { allOfAccounts, allowAllItems, allowItems, readActions } from '../state/allow-items.ts';
import { allowObjects } from '../state/allow-objects.ts';
import type { Storage } from '../state/imported-storage.ts';
import { allowDirectoryWrites } from './directory-writes.ts';

export type AccountRemovalProps = {
  readonly storage: Storage;
  readonly userPool: ImportedUserPool;
  readonly concurrency: BackgroundConcurrency;
  readonly code: LambdaCode;
};

/**
 * Time-out of a run, and the time between two scheduled runs. A run begins with another account while a minute of its
 * time is left.
 */
const removalTimeout = Duration.minutes(2);

/**
 * Time after which the message of a run that was killed is taken again. With the time between two scheduled runs, a
 * removal goes on within five minutes. AWS Lambda requires at least the time-out of a run.
 */
const takenAgainAfter = Duration.minutes(3);

/**
 * A queue of deleted accounts and the Lambda that removes their mail, objects and addresses. The Lambda enqueues a
 * large account again until everything is removed. Once a day it enqueues the accounts that can no longer be restored,
 * and removes the users who can no longer be restored.
 */
export class AccountRemoval extends Construct {
  readonly removalQueue: WorkQueue;
  readonly worker: LambdaFunction;

  constructor(scope: Construct, id: string, { storage, userPool, concurrency, code }: AccountRemovalProps) {
    super(scope, id);
    this.removalQueue = new WorkQueue(this, 'Waiting', { visibilityTimeout: takenAgainAfter });
    this.worker = new LambdaFunction(this, 'Worker', {
      code,
      name: 'account-removal',
      description: 'Removes the mail, objects and addresses of deleted accounts, and deleted users',
      environment: {
        directoryTable: storage.directoryTable.tableName,
        mailTable: storage.mailTable.tableName,
        mailBucket: storage.mailBucket.bucketName,
        userPoolId: userPool.pool.userPoolId,
        accountRemovalQueueUrl: this.removalQueue.queue.queueUrl,
      },
      timeout: removalTimeout,
      isRequeuing: true,
    });
    allowAllItems(this.worker, storage.directoryTable, readActions);
    allowDirectoryWrites(this.worker, storage.directoryTable, 'account-removal');
    allowItems(this.worker, storage.mailTable, ['GetItem', 'Query', 'DeleteItem'], allOfAccounts);
    const folders = ['messages', 'uploads', 'media', 'outgoing', 'snapshots', 'search'] as const;
    allowObjects(this.worker, storage.mailBucket, ['DeleteObject', 'DeleteObjectVersion'], ...folders);
    allowActions(this.worker, { actions: ['s3:ListBucket'], resources: [storage.mailBucket.bucketArn] });
    userPool.grantRemoveUsers(this.worker);
    this.grantEnqueue(this.worker);
    schedule(this, 'Sweep', this.worker, {
      description: 'Removes the deleted accounts and users that cannot be restored any more',
      every: Duration.days(1),
      retryAttempts: 2,
      event: { sweep: true },
    });
    this.removalQueue.invokeOrSchedule(this.worker, concurrency.queues['account-removal']);
  }

  /** Allows enqueuing deleted accounts. */
  grantEnqueue(grantee: IGrantable): void {
    this.removalQueue.queue.grant(grantee, 'sqs:SendMessage');
  }
}
