import { receivesMailIn } from '../../core/directory/aliases/receiving-addresses.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { refuseMailbox } from './refuse-mailbox.ts';

/** Cognito's custom-message trigger. */
export const handler = refuseMailbox({ receivesMail: receivesMailIn(dynamodbTable(setting('directoryTable'))), log: logFor('custom-message') });
