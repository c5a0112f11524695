import { setting } from '../runtime/settings.ts';
import { dynamodbTable } from '../storage/dynamodb-table.ts';
import type { Table } from '../storage/table.ts';

/** The directory of this deployment: users, accounts, members, addresses, domains. */
export const directoryTable = (): Table => dynamodbTable(setting('directoryTable'));
