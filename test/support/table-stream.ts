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

let written = 0;

/** A stream's record of what became of an item, new image only. @param by the service that wrote it, when nobody of ours did. */
export const recordOf = (key: Key, before: Item | undefined, after: Item | undefined, by?: string): DynamoDBRecord => ({
  eventName: after === undefined ? 'REMOVE' : before === undefined ? 'INSERT' : 'MODIFY',
  ...(by !== undefined && { userIdentity: { type: 'Service', principalId: by } }),
  dynamodb: { Keys: imageOf({ pk: key.pk, sk: key.sk }), SequenceNumber: String(++written).padStart(21, '0'), ...(after && { NewImage: imageOf(after) }) },
});

/** A table in memory with its stream: every change of an item is a record, in order. Writes into other tables are not seen. */
export const streamedTable = (table: Table): Table & { readonly records: DynamoDBRecord[] } => {
  const records: DynamoDBRecord[] = [];
  return {
    ...table,
    records,
    async write(writes) {
      const keys = writes.filter((write) => !('check' in write) && (write.in === undefined || write.in === table.place)).map(keyOf);
      // A table in memory does each of these at once, so nothing comes in between.
      const before = keys.map((key) => table.get(key));
      const writing = table.write(writes);
      const after = keys.map((key) => table.get(key));
      await writing;
      for (const [index, key] of keys.entries()) records.push(recordOf(key, await before[index], await after[index]));
    },
  };
};
