import { configured } from '../platform/configuration.ts';
import { logFor } from '../platform/log.ts';
import { addressesIn } from '../store/directory/addresses.ts';
import { dynamodbTable } from '../store/dynamodb-table.ts';
import { mailStore } from '../store/mail/table-mail-store.ts';
import { s3Objects } from '../store/s3-objects.ts';
import { deliverBatch } from './batch.ts';

export const handler = deliverBatch({
  addresses: addressesIn(dynamodbTable(configured('directoryTable'))),
  objects: s3Objects(configured('mailBucket')),
  mailStore: mailStore({ table: dynamodbTable(configured('mailTable')) }),
  log: logFor('deliver'),
});
