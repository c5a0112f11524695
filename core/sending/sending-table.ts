import { configured } from '../runtime/configuration.ts';
import { dynamodbTable } from '../storage/dynamodb-table.ts';
import type { Table } from '../storage/table.ts';

/** The table of submissions, the outbox, feedback and suppression. */
export const sendingTable = (): Table => dynamodbTable(configured('sendingTable'));
