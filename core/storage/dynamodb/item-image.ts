import type { AttributeValue } from 'aws-lambda';
import { rowOf, type Item, type Value } from '../table.ts';

/** An item, or a map of attributes, in the DynamoDB JSON of its API and streams. */
export type Image = { readonly [name: string]: AttributeValue };

type Attributes = { readonly [name: string]: Value | undefined };

/** Decodes one attribute, an object with one type and its value. */
const valueOf = (attribute: AttributeValue): Value => {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.M !== undefined) return mapOf(attribute.M);
  if (attribute.N !== undefined) return Number(attribute.N);
  if (attribute.L !== undefined) return attribute.L.map(valueOf);
  if (attribute.BOOL !== undefined) return attribute.BOOL;
  if (attribute.B !== undefined) return Buffer.from(attribute.B, 'base64');
  return null;
};

const mapOf = (map: Image): { [name: string]: Value } => {
  const result: { [name: string]: Value } = {};
  for (const name of Object.keys(map)) {
    // An assignment to this name would set the prototype. A client may choose names, such as those of keywords.
    if (name === '__proto__') return Object.fromEntries(Object.entries(map).map(([each, attribute]) => [each, valueOf(attribute)]));
    result[name] = valueOf(map[name]!);
  }
  return result;
};

/** Decodes an item in DynamoDB JSON. */
export const itemOfImage = (image: Image): Item => rowOf<Item>(mapOf(image));

/** A number in DynamoDB's form. @throws RangeError for a number that DynamoDB would round. */
const numberText = (value: number): string => {
  if (Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value);
  throw new RangeError(`${value} is not a number that DynamoDB stores exactly`);
};

/** `Array.isArray` does not tell a readonly list from a map. */
const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

const attributeOf = (value: Value): AttributeValue => {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: numberText(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array) return { B: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') };
  return isList(value) ? { L: value.map(attributeOf) } : { M: imageOf(value) };
};

/** Encodes attributes in DynamoDB JSON. Undefined ones are left out. @throws RangeError for a number that is not exact. */
export const imageOf = (attributes: Attributes): { [name: string]: AttributeValue } => {
  const result: { [name: string]: AttributeValue } = {};
  for (const name of Object.keys(attributes)) {
    const value = attributes[name];
    if (value === undefined) continue;
    if (name === '__proto__') Object.defineProperty(result, name, { value: attributeOf(value), enumerable: true });
    else result[name] = attributeOf(value);
  }
  return result;
};
