import { paginateQuery, paginateScan, type AttributeValue, type DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** An item as DynamoDB stores it, so that a copy of it is exact. */
export type RawItem = Readonly<Record<string, AttributeValue>>;

/** Parts of a table that are read at the same time. */
const segments = 4;

/** The attributes that a reader needs, by name. */
const projection = (attributes: readonly string[]) => ({
  ProjectionExpression: attributes.map((_, index) => `#a${index}`).join(', '),
  ExpressionAttributeNames: Object.fromEntries(attributes.map((name, index) => [`#a${index}`, name])),
});

/** Reads attributes of all items of a table. `visit` gets the items of a page, and the next page is read after it. */
export const scanTable = async (
  dynamodb: DynamoDBClient,
  TableName: string,
  attributes: readonly string[],
  visit: (items: readonly RawItem[]) => Promise<void>,
): Promise<void> => {
  await Promise.all(
    Array.from({ length: segments }, async (_, Segment) => {
      const pages = paginateScan({ client: dynamodb }, { TableName, ConsistentRead: true, TotalSegments: segments, Segment, ...projection(attributes) });
      for await (const { Items = [] } of pages) await visit(Items);
    }),
  );
};

/** Reads all items of a partition whose sort keys come after one. */
export const readPartition = async (dynamodb: DynamoDBClient, TableName: string, pk: string, after = ' '): Promise<RawItem[]> => {
  const items: RawItem[] = [];
  const pages = paginateQuery(
    { client: dynamodb },
    {
      TableName,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND sk > :after',
      ExpressionAttributeValues: { ':pk': { S: pk }, ':after': { S: after } },
    },
  );
  for await (const { Items = [] } of pages) items.push(...Items);
  return items;
};
