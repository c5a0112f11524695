/** The tables of a deployment, by the names that its stacks share. All have the keys `pk` and `sk`. */
export const storedTables = { directory: { hasStream: true }, mail: { hasStream: true }, sending: { hasStream: false } } as const satisfies Record<
  string,
  { readonly hasStream: boolean }
>;

export type StoredTable = keyof typeof storedTables;

/** The attribute with the time at which an item of any table expires, in seconds since 1970. */
export const timeToLiveAttribute = 'expiresAt';

/** The part of an item that a table's stream record contains: the new item. */
export const streamViewType = 'NEW_IMAGE';

/**
 * Days for which the tables can be restored to any second (point-in-time recovery). Versions of removed objects are
 * kept for the same time, because a restored table may refer to them.
 */
export const recoveryDays = 35;

/**
 * The parameter in Parameter Store with a value that one stack of a deployment stores for the others.
 * @param deployment the setting `stackName`.
 */
export const sharedValueParameter = (deployment: string, name: string): string => `/postrider/${deployment}/${name}`;

/** The shared values that name a table, and its stream if it has one. */
export const tableNameValue = (table: StoredTable): string => `${table}TableName`;
export const streamArnValue = (table: StoredTable): string => `${table}TableStreamArn`;

/**
 * The parameter of the data stack whose value replaces a shared value while the deployment uses restored tables. It is
 * empty while the deployment uses the tables of the stack.
 */
export const restoredValueParameter = (sharedValue: string): string => `Restored${sharedValue[0]!.toUpperCase()}${sharedValue.slice(1)}`;
