import { Duration } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { BackgroundConcurrency } from './background-concurrency.ts';
import type { LambdaCode } from './lambda-entries.ts';
import { LambdaFunction } from './lambda-function.ts';
import type { Storage } from './storage.ts';
import { WorkQueue } from './work-queue.ts';

export type AccountRemovalProps = { readonly storage: Storage; readonly concurrency: BackgroundConcurrency; readonly code: LambdaCode };

const removalTimeout = Duration.minutes(2);

/**
 * A queue of deleted accounts and the Lambda that removes their mail, objects and addresses. The Lambda puts a large
 * account back into the queue until everything is gone. The queue also has the Emails that commits destroyed, whose raw
 * messages, records and references are removed a quarter of an hour later, and the raw messages that were stored for new
 * Emails, which are removed then if no commit created the Email.
 */
export class AccountRemoval extends Construct {
  readonly removalQueue: WorkQueue;
  readonly worker: LambdaFunction;

  constructor(scope: Construct, id: string, { storage, concurrency, code }: AccountRemovalProps) {
    super(scope, id);
    this.removalQueue = new WorkQueue(this, 'Waiting', { content: 'deleted accounts and destroyed Emails', consumerTimeout: removalTimeout });
    this.worker = new LambdaFunction(this, 'Worker', {
      code,
      name: 'account-removal',
      description: 'Removes deleted accounts, and what destroyed Emails leave',
      environment: {
        directoryTable: storage.directoryTable.tableName,
        mailTable: storage.mailTable.tableName,
        mailBucket: storage.mailBucket.bucketName,
        accountRemovalQueueUrl: this.removalQueue.queue.queueUrl,
      },
      // An account of a million Emails takes about 200 MB while its Threads are looked up.
      memory: 1024,
      timeout: removalTimeout,
      isRequeuing: true,
    });
    storage.grantReadWriteDirectory(this.worker);
    storage.grantReadWriteMail(this.worker);
    storage.grantDeleteObjects(this.worker, 'messages', 'uploads', 'outgoing', 'snapshots', 'search', 'downloads');
    storage.grantReadObjects(this.worker, 'snapshots', 'search');
    this.grantEnqueue(this.worker);
    this.removalQueue.invokeOrSchedule(this.worker, concurrency.queues['account-removal']);
  }

  /** Allows putting deleted accounts, destroyed Emails and stored messages into the queue. */
  grantEnqueue(grantee: IGrantable): void {
    this.removalQueue.queue.grant(grantee, 'sqs:SendMessage');
  }
}
