import { invoked } from '../../../core/runtime/invocation.ts';
import { customResource } from '../../../core/runtime/lambda/custom-resource.ts';
import { setting } from '../../../core/runtime/lambda/settings.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { storeSecret } from './store-secret.ts';

const mailTable = dynamodbTable(setting('mailTable'));
const tables = { 'page-token': dynamodbTable(setting('directoryTable')), vapid: mailTable, 'copy-mark': mailTable };

export const handler = invoked(
  customResource(
    'stored-secret',
    storeSecret((name) => tables[name]),
  ),
);
