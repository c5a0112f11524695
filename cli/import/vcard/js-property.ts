import { isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { cleanText } from './content-lines.ts';

/** Properties of a Card that no JSPROP sets: those of JMAP, and those that vCard always has itself. */
const ownProperties: ReadonlySet<string> = new Set(['id', 'addressBookIds', '@type', 'version', 'uid', 'created', 'updated', 'vCardProps']);

/** Maximum objects and lists around a value. */
const maxDepth = 16;

const isShallow = (value: unknown, depth = maxDepth): boolean =>
  typeof value !== 'object' || value === null || (depth > 0 && Object.values(value).every((each) => isShallow(each, depth - 1)));

const parsed = (json: string): unknown => {
  try {
    const value: unknown = JSON.parse(json);
    return isShallow(value) && !/\\ud[89a-f]/i.test(JSON.stringify(value)) ? value : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Sets a property of a Card to the JSON of a JSPROP (RFC 9555 §3.2.1), whose parameter JSPTR is its path.
 * @returns whether the Card has the object in which the property is, and the JSON can be read.
 */
export const setJsProperty = (card: JsonObject, pointer: string, json: string): boolean => {
  const path = pointer
    .replace(/^\//, '')
    .split('/', maxDepth)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const value = parsed(json);
  if (value === undefined || path.join('') === '' || ownProperties.has(path[0]!)) return false;
  let parent: unknown = card;
  for (const name of path.slice(0, -1)) parent = isObject(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined;
  return isObject(parent) && Reflect.defineProperty(parent, path.at(-1)!, { value, enumerable: true, writable: true, configurable: true });
};

/** The value of a property in JSON without the characters that a vCard cannot have. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replace(/[\x7f-\x9f\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * A value as it is compared. The components of an unordered name or address have no order among kinds (RFC 9553 §1.5.4),
 * and line ends are all the same.
 */
const comparable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(comparable);
  if (!isObject(value)) return typeof value === 'string' ? cleanText(value) : value;
  const entries = Object.entries(value).filter(([name, each]) => name !== '@type' && each !== undefined && !(name === 'isOrdered' && each === false));
  const list = value['components'];
  const unordered: readonly unknown[] | undefined = Array.isArray(list) && value['isOrdered'] !== true ? list : undefined;
  return Object.fromEntries(
    entries
      .map(([name, each]): [string, unknown] => [name, unordered && name === 'components' ? unordered.map(comparable).toSorted(byKind) : comparable(each)])
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
};

const kindOf = (value: unknown): string => (isObject(value) ? String(value['kind']) : '');
const byKind = (one: unknown, other: unknown): number => kindOf(one).localeCompare(kindOf(other));

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(comparable(one)) === JSON.stringify(comparable(other));

/** Whether something was read that the Card does not have. What follows from the name of a property does not count. */
const hasMore = (read: JsonObject, ours: JsonObject): boolean =>
  Object.keys(read).some((name) => !Object.hasOwn(ours, name) && !/^(?:@type|kind|vCardName)$/.test(name));

/** The properties of a Card that its vCard lacks: their paths with their values. */
export const missingIn = (read: JsonObject, card: JsonObject): readonly (readonly [pointer: string, value: unknown])[] => {
  const missing: [string, unknown][] = [];
  const compare = (ours: unknown, theirs: unknown, path: readonly string[]): void => {
    if (ours === undefined || (isObject(ours) && Object.keys(ours).length === 0) || isSame(ours, theirs)) return;
    if (!isObject(ours) || !isObject(theirs) || (path.length > 1 && hasMore(theirs, ours))) {
      missing.push([path.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1')).join('/'), ours]);
      return;
    }
    for (const [name, value] of Object.entries(ours)) {
      if (name !== '@type') compare(value, Object.hasOwn(theirs, name) ? theirs[name] : undefined, [...path, name]);
    }
  };
  for (const [name, value] of Object.entries(card)) {
    if (!ownProperties.has(name)) compare(value, Object.hasOwn(read, name) ? read[name] : undefined, [name]);
  }
  return missing;
};
