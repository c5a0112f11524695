import type { AttributeValue } from 'aws-lambda';
import type { Item, Value } from './table.ts';

const valueOf = (attribute: AttributeValue): Value => {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.N !== undefined) return Number(attribute.N);
  if (attribute.BOOL !== undefined) return attribute.BOOL;
  if (attribute.M !== undefined) return mapOf(attribute.M);
  if (attribute.L !== undefined) return attribute.L.map(valueOf);
  if (attribute.B !== undefined) return Buffer.from(attribute.B, 'base64');
  return null;
};

const mapOf = (map: { readonly [name: string]: AttributeValue }): { [name: string]: Value } =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, valueOf(value)]));

/** Decodes an item of a DynamoDB stream record, which is in DynamoDB JSON. */
export const itemOfImage = (image: { readonly [name: string]: AttributeValue }): Item => mapOf(image) as Item;
