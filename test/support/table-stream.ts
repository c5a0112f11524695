import type { DynamoDBRecord } from 'aws-lambda';
import { keyOf } from '../../core/storage/dynamodb/dynamodb-expressions.ts';
import { imageOf } from '../../core/storage/dynamodb/item-image.ts';
import type { Item, Key, Table } from '../../core/storage/table.ts';

let recordCount = 0;

/**
 * The stream record of a change of an item, with the new image only.
 * @param writerService the AWS service that wrote it, such as the one that removes expired items.
 */
export const recordOf = (key: Key, before: Item | undefined, after: Item | undefined, writerService?: string): DynamoDBRecord => ({
  eventName: after === undefined ? 'REMOVE' : before === undefined ? 'INSERT' : 'MODIFY',
  ...(writerService !== undefined && { userIdentity: { type: 'Service', principalId: writerService } }),
  dynamodb: { Keys: imageOf({ pk: key.pk, sk: key.sk }), SequenceNumber: String(++recordCount).padStart(21, '0'), ...(after && { NewImage: imageOf(after) }) },
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
      // The table in memory makes each of these calls synchronously, so that no other write interferes.
      const before = keys.map((key) => table.get(key));
      const writing = table.write(writes);
      const after = keys.map((key) => table.get(key));
      await writing;
      for (const [index, key] of keys.entries()) records.push(recordOf(key, await before[index], await after[index]));
    },
  };
};
