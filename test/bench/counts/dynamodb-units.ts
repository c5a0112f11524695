import type { Item, Value } from '../../../core/storage/table.ts';

/** The size of a value in octets, as DynamoDB counts it ("Item sizes and formats"). */
const valueSize = (value: Value | undefined): number => {
  if (value === undefined) return 0;
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return Math.ceil(String(Math.abs(value)).replace('.', '').length / 2) + 1 + Number(value < 0);
  if (value === null || typeof value === 'boolean') return 1;
  if (value instanceof Uint8Array) return value.length;
  const parts: [string, Value | undefined][] = Array.isArray(value)
    ? (value as Value[]).map((each) => ['', each])
    : Object.entries(value as Record<string, Value | undefined>);
  return parts.reduce((sum, [name, part]) => sum + (part === undefined ? 0 : 1 + Buffer.byteLength(name) + valueSize(part)), 3);
};

/** The size of an item in octets: the names and values of its attributes. */
export const itemSize = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + (value === undefined ? 0 : Buffer.byteLength(name) + valueSize(value)), 0);

/** Read units of a strongly consistent read of this many octets. */
export const readUnits = (octets: number): number => Math.max(1, Math.ceil(octets / 4096));

/** Write units of an item of this many octets; twice as many in a transaction. */
export const writeUnits = (octets: number, inTransaction: boolean): number => Math.max(1, Math.ceil(octets / 1024)) * (inTransaction ? 2 : 1);

/** The maximum size of one page of a query, in octets. */
export const pageSize = 1024 * 1024;
