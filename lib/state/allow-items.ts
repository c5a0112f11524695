import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IGrantable, IPrincipal } from 'aws-cdk-lib/aws-iam';
import { directoryPartitions, partitionOf } from '../../contract/deployment/keys.ts';
import { idPrefixes } from '../../contract/values/ids.ts';
import { allowActions } from '../lambda/allow-actions.ts';

/** Actions on items, which DynamoDB can limit by partition key. */
type ItemAction = 'BatchGetItem' | 'ConditionCheckItem' | 'DeleteItem' | 'GetItem' | 'PutItem' | 'Query' | 'UpdateItem';

export const readActions = ['GetItem', 'BatchGetItem', 'Query'] as const;
export const writeActions = ['PutItem', 'UpdateItem', 'DeleteItem'] as const;

/** The pattern of all account ids, and of all partitions of accounts. */
export const allOfAccounts = `${idPrefixes.account}_*`;

/** The patterns of the partitions with these names, of all accounts. */
export const ofAccounts = (...names: string[]): string[] => names.map((name) => partitionOf(allOfAccounts, name));

/** The pattern of a family of partitions. */
export const each = (family: (member: string) => string): string => family('*');

/** The patterns of partition keys for each action on a table, by the principal that may make it. */
const allowedPartitions = new WeakMap<IPrincipal, Map<ITableV2, Map<ItemAction, string[]>>>();

const entryOf = <Key, Value>(map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown }, key: Key, create: () => Value): Value => {
  const found = map.get(key) ?? create();
  map.set(key, found);
  return found;
};

/**
 * Allows actions on the items whose partition key matches one of the patterns. All patterns of a principal, table and action
 * are in one statement, because IAM compares all keys of a batch or transaction with one statement. A later call adds
 * patterns to the list that the statement has. CDK merges the statements of actions with equal patterns.
 */
export const allowItems = (grantee: IGrantable, table: ITableV2, actions: readonly ItemAction[], ...partitions: string[]): void => {
  const allowed = entryOf(
    entryOf(allowedPartitions, grantee.grantPrincipal, () => new Map()),
    table,
    () => new Map<ItemAction, string[]>(),
  );
  for (const action of actions) {
    const isNew = !allowed.has(action);
    const patterns = entryOf(allowed, action, (): string[] => []);
    patterns.push(...partitions.filter((partition) => !patterns.includes(partition)));
    patterns.sort();
    if (!isNew) continue;
    allowActions(grantee, {
      actions: [`dynamodb:${action}`],
      resources: [table.tableArn],
      conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns } },
    });
  }
};

/** Allows actions on all items of a table. */
export const allowAllItems = (grantee: IGrantable, table: ITableV2, actions: readonly ItemAction[]): void =>
  allowActions(grantee, { actions: actions.map((action) => `dynamodb:${action}`), resources: [table.tableArn] });

/**
 * Allows putting entries of the audit log. No Lambda may update or delete an entry. IAM knows no condition of an item, so
 * it can't refuse a put that replaces an entry: the condition of the put does (`core/directory/audit-log.ts`).
 */
export const allowAuditEntries = (grantee: IGrantable, table: ITableV2): void => allowItems(grantee, table, ['PutItem'], each(directoryPartitions.audit));
