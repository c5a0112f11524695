import { configured } from '../../platform/configuration.ts';
import { dynamodbTable } from '../dynamodb-table.ts';
import type { Table } from '../table.ts';

/** The table of submissions, the outbox, feedback and suppression. */
export const sendingTable = (): Table => dynamodbTable(configured('sendingTable'));
