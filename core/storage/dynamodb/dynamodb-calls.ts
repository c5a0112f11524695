import type { Item, Key } from '../table.ts';
import type { Expressions } from './dynamodb-expressions.ts';

/** The parameters of a write, without its item or key. */
type WriteParameters = Expressions & { readonly TableName: string; readonly ReturnValuesOnConditionCheckFailure?: 'ALL_OLD' };

type PutInput = WriteParameters & { readonly Item: Item };
type KeyInput = WriteParameters & { readonly Key: Key };

/** One write of a transaction. */
export type TransactItem =
  | { readonly Put: PutInput }
  | { readonly Delete: KeyInput }
  | { readonly ConditionCheck: KeyInput & { readonly ConditionExpression: string | undefined } }
  | { readonly Update: KeyInput & { readonly UpdateExpression: string | undefined } };

/** Keys of one table for BatchGetItem. */
type KeysOfTable = { readonly [table: string]: { readonly Keys: readonly Key[]; readonly ConsistentRead: true } };

/** Inputs of the operations that tables need, with items as JavaScript values. */
export type DynamodbInputs = {
  readonly GetItem: { readonly TableName: string; readonly Key: Key; readonly ConsistentRead: true };
  readonly BatchGetItem: { readonly RequestItems: KeysOfTable };
  readonly Query: Expressions & {
    readonly TableName: string;
    readonly KeyConditionExpression: string;
    readonly ConsistentRead: true;
    readonly ScanIndexForward?: boolean;
    readonly Limit?: number;
    readonly ExclusiveStartKey?: Key;
  };
  readonly PutItem: PutInput;
  readonly DeleteItem: KeyInput;
  readonly UpdateItem: KeyInput;
  readonly TransactWriteItems: { readonly ClientRequestToken: string; readonly TransactItems: readonly TransactItem[] };
};

type DynamodbOutputs = {
  readonly GetItem: { readonly Item?: Item };
  readonly BatchGetItem: {
    readonly Responses?: { readonly [table: string]: readonly Item[] };
    readonly UnprocessedKeys?: { readonly [table: string]: { readonly Keys?: readonly Key[] } };
  };
  readonly Query: { readonly Items?: readonly Item[]; readonly LastEvaluatedKey?: Key };
  readonly PutItem: unknown;
  readonly DeleteItem: unknown;
  readonly UpdateItem: unknown;
  readonly TransactWriteItems: unknown;
};

export type DynamodbOperation = keyof DynamodbInputs;

/** Performs an operation of DynamoDB, with retries. @throws {@link DynamodbRefusal}, or the error of a call that failed. */
export type CallDynamodb = <Operation extends DynamodbOperation>(operation: Operation, input: DynamodbInputs[Operation]) => Promise<DynamodbOutputs[Operation]>;

/** DynamoDB's exception, by its `name`. `attempts` counts earlier attempts that may have succeeded, too. */
export type DynamodbRefusal = Error & {
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
  readonly $metadata?: { readonly attempts?: number };
};
