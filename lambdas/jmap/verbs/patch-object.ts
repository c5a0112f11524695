import { isDeepStrictEqual } from 'node:util';
import { isOfType, isObject, type DataType, type JsonObject } from '../../../contract/jmap/data-type.ts';
import type { Property, RecordType } from '../../../contract/jmap/record.ts';
import { SetError } from '../protocol/errors.ts';
import { pointerTokens } from '../protocol/result-references.ts';

/** The Id behind `#<creation id>`; undefined when nothing was created by that name. */
export type ResolveId = (creationId: string) => string | undefined;

const resolveCreationId = (value: string, resolveId: ResolveId) => value.startsWith('#') ? resolveId(value.slice(1)) ?? value : value;

/** One member of a set, as it is stored: keywords in lower case, creation ids resolved. */
const normalizeMember = (type: { readonly setOf: 'Id' | 'Keyword' }, given: string, resolveId: ResolveId) =>
  type.setOf === 'Keyword' ? given.toLowerCase() : resolveCreationId(given, resolveId);

/** A value with what the client may write differently brought to one form; what does not fit the type is left as it is. */
const normalize = (type: DataType, value: unknown, resolveId: ResolveId): unknown => {
  if (type === 'Id' && typeof value === 'string') return resolveCreationId(value, resolveId);
  if (typeof type === 'string') return value;
  if ('orNull' in type) return value === null ? null : normalize(type.orNull, value, resolveId);
  if ('list' in type) return Array.isArray(value) ? value.map((element) => normalize(type.list, element, resolveId)) : value;
  if ('setOf' in type && isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, holds]) => [normalizeMember(type, key, resolveId), holds]));
  return value;
};

/** What a property becomes when a patch sets it to null: its default, null, or nothing (RFC 8620 §5.3). */
export const valueWhenCleared = (property: Property): unknown => property.default !== undefined ? property.default : null;

const withEntry = (object: JsonObject, key: string, value: unknown): JsonObject =>
  Object.fromEntries([...Object.entries(object).filter(([name]) => name !== key), ...(value === null ? [] : [[key, value] as const])]);

/** The value with the patch applied below it; every object on the way must be there. */
const patchNested = (value: unknown, [token, ...rest]: readonly string[], set: unknown): JsonObject => {
  if (!isObject(value)) throw new SetError('invalidPatch', 'A path leads through what is no object.');
  if (rest.length === 0) return withEntry(value, token!, set);
  if (!Object.hasOwn(value, token!)) throw new SetError('invalidPatch', `A path leads through ${JSON.stringify(token)}, which is not there.`);
  return withEntry(value, token!, patchNested(value[token!], rest, set));
};

type PatchEntry = { readonly path: string; readonly tokens: readonly string[]; readonly value: unknown };

const parsePatch = (patch: JsonObject): readonly PatchEntry[] => Object.entries(patch).map(([path, value]) => {
  const tokens = pointerTokens(`/${path}`);
  if (!tokens) throw new SetError('invalidPatch', `${JSON.stringify(path)} is no path.`);
  return { path, tokens, value };
});

/** No path may lead to something within what another one sets: the outcome would depend on their order. */
const checkOverlaps = (steps: readonly PatchEntry[]) => {
  const paths = new Set(steps.map(({ path }) => path));
  for (const { path } of steps) {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
      if (paths.has(path.slice(0, end))) throw new SetError('invalidPatch', `${JSON.stringify(path.slice(0, end))} and a path within it are both set.`);
    }
  }
};

/**
 * What a PatchObject makes of a record (RFC 8620 §5.3).
 * @returns the whole new values of the properties it names and may change.
 * @throws SetError invalidPatch; invalidProperties with the names of all that are unknown, of the wrong type, or not for clients to change.
 */
export const applyPatch = (type: RecordType, current: JsonObject, patch: JsonObject, resolveId: ResolveId): JsonObject => {
  const steps = parsePatch(patch);
  checkOverlaps(steps);
  const values = new Map<string, unknown>();
  const wrong = new Set<string>();
  for (const { tokens: [name, ...below], value } of steps) {
    const property = Object.hasOwn(type.properties, name!) ? type.properties[name!] : undefined;
    if (!property) wrong.add(name!);
    else if (below.length === 0) values.set(name!, value === null ? valueWhenCleared(property) : normalize(property.type, value, resolveId));
    else {
      const keys = typeof property.type === 'object' && 'setOf' in property.type ? [normalizeMember(property.type, below[0]!, resolveId), ...below.slice(1)] : below;
      values.set(name!, patchNested(values.get(name!) ?? current[name!], keys, value));
    }
  }
  for (const [name, value] of values) {
    const property = type.properties[name]!;
    const isFixed = property.serverSet ?? property.immutable ?? false;
    if (isFixed ? !isDeepStrictEqual(value, current[name]) : !isOfType(property.type, value)) wrong.add(name);
    if (isFixed) values.delete(name);
  }
  if (wrong.size > 0) throw new SetError('invalidProperties', 'These properties do not exist, can not be changed, or do not take such a value.', [...wrong]);
  return Object.fromEntries(values);
};

/**
 * The properties of a record to create: checked, with every default filled in.
 * @throws SetError invalidProperties with the names of all that are wrong or missing.
 */
export const newProperties = (type: RecordType, given: JsonObject, resolveId: ResolveId): JsonObject => {
  const wrong = new Set(Object.keys(given).filter((name) => !Object.hasOwn(type.properties, name)));
  const values: [string, unknown][] = [];
  for (const [name, property] of Object.entries(type.properties)) {
    const isGiven = Object.hasOwn(given, name);
    if (property.serverSet) {
      if (isGiven) wrong.add(name);
      continue;
    }
    const value = isGiven ? normalize(property.type, given[name], resolveId) : property.default;
    if (value === undefined || !isOfType(property.type, value)) wrong.add(name);
    values.push([name, value]);
  }
  if (wrong.size > 0) throw new SetError('invalidProperties', 'These properties are missing, do not exist, are not for clients to set, or do not take such a value.', [...wrong]);
  return Object.fromEntries(values);
};
