import { Duration } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Construct } from 'constructs';
import type { LambdaCode } from './lambda-entries.ts';
import { LambdaFunction } from './lambda-function.ts';
import type { Storage } from './storage.ts';
import { WorkQueue } from './work-queue.ts';

export type AccountRemovalProps = { readonly storage: Storage; readonly code: LambdaCode };

const removalTimeout = Duration.minutes(2);

/** Deleted accounts wait here until their mail, their objects and their addresses are gone; a large one goes through the queue several times. */
export class AccountRemoval extends Construct {
  readonly waiting: WorkQueue;
  readonly worker: LambdaFunction;

  constructor(scope: Construct, id: string, { storage, code }: AccountRemovalProps) {
    super(scope, id);
    this.waiting = new WorkQueue(this, 'Waiting', { holds: 'an account to remove', consumerTimeout: removalTimeout });
    this.worker = new LambdaFunction(this, 'Worker', {
      code,
      name: 'account-removal',
      description: 'Removes what deleted accounts leave behind',
      environment: {
        directoryTable: storage.directoryTable.tableName,
        mailTable: storage.mailTable.tableName,
        mailBucket: storage.mailBucket.bucketName,
        accountRemovalQueueUrl: this.waiting.queue.queueUrl,
      },
      timeout: removalTimeout,
    });
    storage.grantReadWriteDirectory(this.worker);
    storage.grantReadWriteMail(this.worker);
    storage.grantRemoveObjects(this.worker, 'messages', 'uploads', 'downloads');
    this.grantAdd(this.worker);
    this.worker.addEventSource(new SqsEventSource(this.waiting.queue, { batchSize: 1, reportBatchItemFailures: true, maxConcurrency: 5 }));
  }

  /** Putting an account into the queue. */
  grantAdd(grantee: IGrantable): void {
    this.waiting.queue.grant(grantee, 'sqs:SendMessage');
  }
}
