import { rowOf, type Condition, type Item, type Key, type Query, type Update, type Value, type Write } from '../table.ts';

/** The expression parameters of one request, as the DocumentClient takes them. */
export type Expressions = {
  ConditionExpression?: string;
  UpdateExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, Value>;
};

/**
 * Replaces attribute names and values by placeholders, because an attribute's name may be a reserved word of DynamoDB.
 */
class Placeholders {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, Value> = {};
  readonly #known = new Map<string, string>();

  name(attribute: string): string {
    const known = this.#known.get(attribute);
    if (known) return known;
    const placeholder = `#n${this.#known.size}`;
    this.#known.set(attribute, placeholder);
    this.names[placeholder] = attribute;
    return placeholder;
  }

  value(value: Value): string {
    const placeholder = `:v${Object.keys(this.values).length}`;
    this.values[placeholder] = value;
    return placeholder;
  }
}

const conditionText = (condition: Condition, placeholders: Placeholders): string => {
  if ('absent' in condition) return `attribute_not_exists(${placeholders.name('pk')})`;
  if ('present' in condition) return `attribute_exists(${placeholders.name('pk')})`;
  if ('lacks' in condition) return `attribute_not_exists(${placeholders.name(condition.lacks)})`;
  if ('below' in condition) {
    return Object.entries(condition.below)
      .map(([name, value]) => `${placeholders.name(name)} < ${placeholders.value(value)}`)
      .join(' AND ');
  }
  const equalities = Object.entries(condition.equals).map(([attribute, value]) =>
    value === undefined ? `attribute_not_exists(${placeholders.name(attribute)})` : `${placeholders.name(attribute)} = ${placeholders.value(value)}`,
  );
  return [`attribute_exists(${placeholders.name('pk')})`, ...equalities].join(' AND ');
};

const updateText = (write: Update, placeholders: Placeholders): string | undefined => {
  const entries = Object.entries(write.merge ?? {}).flatMap(([name, map]) =>
    Object.entries(map).map(([entry, value]) => [`${placeholders.name(name)}.${placeholders.name(entry)}`, value] as const),
  );
  const sets = [...Object.entries(write.set ?? {}).map(([name, value]) => [placeholders.name(name), value] as const), ...entries].map(
    ([path, value]) => `${path} = ${placeholders.value(value)}`,
  );
  const removes = (write.remove ?? []).map((name) => placeholders.name(name));
  const adds = Object.entries(write.add ?? {}).map(([name, amount]) => `${placeholders.name(name)} ${placeholders.value(amount)}`);
  return (
    [
      ...(sets.length ? [`SET ${sets.join(', ')}`] : []),
      ...(removes.length ? [`REMOVE ${removes.join(', ')}`] : []),
      ...(adds.length ? [`ADD ${adds.join(', ')}`] : []),
    ].join(' ') || undefined
  );
};

/** The condition expression of a write, and the update expression of an update. */
export const expressions = (write: Write): Expressions => {
  const placeholders = new Placeholders();
  const conditions: readonly Condition[] = [write.if ?? []].flat();
  const condition = conditions.map((each) => `(${conditionText(each, placeholders)})`).join(' OR ');
  const update = 'update' in write ? updateText(write, placeholders) : undefined;
  return {
    ...(condition && { ConditionExpression: condition }),
    ...(update && { UpdateExpression: update }),
    ...(Object.keys(placeholders.names).length > 0 && { ExpressionAttributeNames: placeholders.names }),
    ...(Object.keys(placeholders.values).length > 0 && { ExpressionAttributeValues: placeholders.values }),
  };
};

/** The key of the item that a write changes. */
export const keyOf = (write: Write): Key => {
  const key = 'put' in write ? write.put : 'update' in write ? write.update : 'delete' in write ? write.delete : write.check;
  return { pk: key.pk, sk: key.sk };
};

/**
 * The key condition of a query. An exclusive bound becomes the next possible sort key: the same text with a zero byte
 * appended.
 */
export const keyCondition = ({
  pk,
  after,
  before,
  prefix,
}: Pick<Query, 'pk' | 'after' | 'before' | 'prefix'>): Expressions & { KeyConditionExpression: string } => {
  const names = { '#pk': 'pk', '#sk': 'sk' };
  if (before !== undefined) {
    return {
      KeyConditionExpression: '#pk = :pk AND #sk < :before',
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: { ':pk': pk, ':before': before },
    };
  }
  if (after !== undefined && prefix !== undefined) {
    return {
      KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :first AND :last',
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: { ':pk': pk, ':first': `${after}\u0000`, ':last': `${prefix}\u{10FFFF}` },
    };
  }
  if (after !== undefined) {
    return { KeyConditionExpression: '#pk = :pk AND #sk > :after', ExpressionAttributeNames: names, ExpressionAttributeValues: { ':pk': pk, ':after': after } };
  }
  if (prefix !== undefined && prefix !== '') {
    return {
      KeyConditionExpression: '#pk = :pk AND begins_with(#sk, :prefix)',
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
    };
  }
  return { KeyConditionExpression: '#pk = :pk', ExpressionAttributeNames: { '#pk': 'pk' }, ExpressionAttributeValues: { ':pk': pk } };
};

/** An item whose attributes are maps. */
type MergedRow = { readonly [attribute: string]: { readonly [entry: string]: Value } | undefined };

/**
 * Whether the stored item already equals the result of the write. Then an earlier attempt succeeded, and only its
 * response was lost.
 */
export const alreadyWritten = (write: Write, stored: Item | undefined): boolean => {
  const same = (a: unknown, b: unknown) => canonical(a) === canonical(b);
  if ('put' in write) return same(stored, write.put);
  if ('delete' in write) return stored === undefined;
  if ('update' in write) {
    return (
      stored !== undefined &&
      Object.entries(write.set ?? {}).every(([name, value]) => same(stored[name], value)) &&
      Object.entries(write.merge ?? {}).every(([name, map]) =>
        Object.entries(map).every(([entry, value]) => same(rowOf<MergedRow>(stored)[name]?.[entry], value)),
      ) &&
      (write.remove ?? []).every((name) => stored[name] === undefined)
    );
  }
  return false;
};

/** A text that is equal for two values if and only if DynamoDB stores them equally. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => {
    if (inner instanceof Uint8Array) return `bytes ${Buffer.from(inner).toString('base64')}`;
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  }) ?? 'nothing';
