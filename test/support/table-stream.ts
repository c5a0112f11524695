import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import { keyOf } from '../../core/storage/dynamodb-expressions.ts';
import type { Item, Key, Table, Value } from '../../core/storage/table.ts';

const attributeOf = (value: Value): AttributeValue => {
  if (value === null) return { NULL: true };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return { L: value.map(attributeOf) };
  return { M: imageOf(value as { readonly [name: string]: Value | undefined }) };
};

/** An item in DynamoDB's own JSON. */
export const imageOf = (item: { readonly [name: string]: Value | undefined }): Record<string, AttributeValue> =>
  Object.fromEntries(Object.entries(item).flatMap(([name, value]) => (value === undefined ? [] : [[name, attributeOf(value)]])));

let recordCount = 0;

/**
 * The stream record of a change of an item, with the new image only.
 * @param writerService the AWS service that wrote it, such as the one that removes expired items.
 */
export const recordOf = (key: Key, before: Item | undefined, after: Item | undefined, writerService?: string): DynamoDBRecord => ({
  eventName: after === undefined ? 'REMOVE' : before === undefined ? 'INSERT' : 'MODIFY',
  ...(writerService !== undefined && { userIdentity: { type: 'Service', principalId: writerService } }),
  dynamodb: {
    Keys: imageOf({ pk: key.pk, sk: key.sk }), SequenceNumber: String(++recordCount).padStart(21, '0'),
    ...(after && { NewImage: imageOf(after) }),
  },
});

/**
 * A table in memory with its stream: each change of an item is a record, in order. Writes to other tables are not
 * recorded.
 */
export const streamedTable = (table: Table): Table & { readonly records: DynamoDBRecord[] } => {
  const records: DynamoDBRecord[] = [];
  return {
    ...table,
    records,
    async write(writes) {
      const keys = writes.filter((write) => !('check' in write) && (write.inTable === undefined || write.inTable === table.reference)).map(keyOf);
      // The table in memory does each of these synchronously, so no other write comes in between.
      const before = keys.map((key) => table.get(key));
      const writing = table.write(writes);
      const after = keys.map((key) => table.get(key));
      await writing;
      for (const [index, key] of keys.entries()) records.push(recordOf(key, await before[index], await after[index]));
    },
  };
};
