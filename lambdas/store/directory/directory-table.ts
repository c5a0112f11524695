import { configured } from '../../platform/configuration.ts';
import { dynamodbTable } from '../dynamodb-table.ts';
import type { Table } from '../table.ts';

/** The directory of this deployment: users, accounts, members, addresses, domains. */
export const directoryTable = (): Table => dynamodbTable(configured('directoryTable'));
