import { TableV2, type ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { storedTables, streamArnValue, tableNameValue, type StoredTable } from '../../contract/deployment/stored-data.ts';
import { sharedValue } from '../lambda/shared-values.ts';

/**
 * The tables of the directory (users, accounts, permissions), of mail (the content of accounts) and of sending, and the
 * bucket of messages. `TablesAndBucket` creates them, in another stack than most of their users.
 */
export type Storage = {
  readonly directoryTable: ITableV2;
  readonly mailTable: ITableV2;
  /** Submissions, the outbox, bounces and complaints, suppression. */
  readonly sendingTable: ITableV2;
  readonly mailBucket: IBucket;
};

/**
 * The tables and the bucket of another stack of the deployment.
 * @param hasStreams whether the stack reads the streams of tables.
 */
export const importedStorage = (scope: Construct, id: string, { hasStreams }: { readonly hasStreams: boolean }): Storage => {
  const storage = new Construct(scope, id);
  const table = (tableId: string, name: StoredTable): ITableV2 =>
    TableV2.fromTableAttributes(storage, tableId, {
      tableName: sharedValue(scope, tableNameValue(name)),
      ...(hasStreams && storedTables[name].hasStream && { tableStreamArn: sharedValue(scope, streamArnValue(name)) }),
    });
  return {
    directoryTable: table('Directory', 'directory'),
    mailTable: table('Mail', 'mail'),
    sendingTable: table('Sending', 'sending'),
    mailBucket: Bucket.fromBucketName(storage, 'Bucket', sharedValue(scope, 'mailBucketName')),
  };
};
