import { Duration } from 'aws-cdk-lib';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Construct } from 'constructs';
import { accountPartitions, mailPartitions, partitionOf } from '../../contract/deployment/keys.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import type { DeadLetters } from '../lambda/work-queue.ts';
import { allOfAccounts, allowItems, ofAccounts } from '../state/allow-items.ts';
import { allowObjects } from '../state/allow-objects.ts';
import type { Storage } from '../state/imported-storage.ts';
import type { MailCleanup } from './mail-cleanup.ts';

export type IndexerProps = {
  readonly storage: Storage;
  readonly mailCleanup: MailCleanup;
  /** Dead letters for stream records that failed repeatedly. */
  readonly failedRecords: DeadLetters;
  readonly code: LambdaCode;
};

/** Retries of a batch before its records become dead letters. The pauses between them grow. */
const retryAttempts = 10;

/**
 * The commits of a minute are handled by one call, because no client waits for the result. A call is short, so that the
 * indexer leaves the account's concurrency to other Lambdas (`background-concurrency.ts`).
 */
const batchingWindow = Duration.minutes(1);

/** Records of the mail table's stream for the indexer: log items and heads of accounts. */
const filters = [
  FilterCriteria.filter({
    eventName: FilterRule.or('INSERT', 'MODIFY'),
    dynamodb: { Keys: { pk: { S: [{ suffix: partitionOf('', accountPartitions.log) }] } } },
  }),
];

/**
 * The work after a commit for which no client waits: the indexer writes snapshots and search segments of accounts to
 * the bucket, trims their logs, and enqueues the removal of destroyed Emails. The mail table's stream has two readers,
 * the notify Lambda and the indexer, the maximum that DynamoDB recommends.
 */
export class Indexer extends Construct {
  readonly indexer: LambdaFunction;

  constructor(scope: Construct, id: string, { storage, mailCleanup, failedRecords, code }: IndexerProps) {
    super(scope, id);
    this.indexer = new LambdaFunction(this, 'Indexer', {
      code,
      name: 'indexer',
      description: 'Writes snapshots and search segments of accounts, trims their logs, and enqueues destroyed Emails',
      environment: { mailTable: storage.mailTable.tableName, mailBucket: storage.mailBucket.bucketName },
      // An account of a million messages takes about 500 MB while it is loaded from its rows and its snapshot is written.
      memory: 1024,
      timeout: Duration.minutes(15),
    });
    const { log, email } = accountPartitions;
    allowItems(this.indexer, storage.mailTable, ['GetItem', 'Query'], allOfAccounts);
    allowItems(this.indexer, storage.mailTable, ['BatchGetItem'], ...ofAccounts(email));
    // It changes heads and deletes old log items.
    allowItems(this.indexer, storage.mailTable, ['DeleteItem', 'UpdateItem'], ...ofAccounts(log));
    allowItems(this.indexer, storage.mailTable, ['PutItem'], mailPartitions.destroyedMailDue, mailPartitions.unparsedMessages);
    allowObjects(this.indexer, storage.mailBucket, ['GetObject'], 'messages', 'snapshots', 'search');
    allowObjects(this.indexer, storage.mailBucket, ['PutObject'], 'snapshots', 'search');
    allowObjects(this.indexer, storage.mailBucket, ['DeleteObject'], 'snapshots');
    mailCleanup.grantEnqueue(this.indexer);
    this.indexer.addEventSource(
      new DynamoEventSource(storage.mailTable, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: 1000,
        maxBatchingWindow: batchingWindow,
        parallelizationFactor: 1,
        reportBatchItemFailures: true,
        bisectBatchOnError: true,
        retryAttempts,
        onFailure: new SqsDlq(failedRecords),
        filters,
      }),
    );
  }
}
