import { isDeepStrictEqual } from 'node:util';
import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import { isOfType, isObject, type DataType, type JsonObject } from '../../../contract/jmap/data-type.ts';
import type { ChangedProperties, NewProperties, Property, RecordType } from '../../../contract/jmap/record.ts';
import { SetError } from './jmap-errors.ts';
import { pointerTokens } from './result-references.ts';

const { maxPathTokens, maxPathsInPatch } = unadvertisedLimits;

/** Returns the Id of the record with a creation id; undefined when the request has not created it. */
export type ResolveId = (creationId: string) => string | undefined;

/** The Id in a client's reference, which may be a creation id after `#` (RFC 8620 §5.3). */
export const resolveCreationId = (value: string, resolveId: ResolveId): string => (value.startsWith('#') ? (resolveId(value.slice(1)) ?? value) : value);

/** A member of a set in its stored form: keywords in lower case, creation ids resolved. */
const normalizeMember = (type: { readonly setOf: 'Id' | 'Keyword' }, given: string, resolveId: ResolveId) =>
  type.setOf === 'Keyword' ? given.toLowerCase() : resolveCreationId(given, resolveId);

/** A value with keywords in lower case and creation ids resolved. A value of another type is returned unchanged. */
export const normalize = (type: DataType, value: unknown, resolveId: ResolveId): unknown => {
  if (type === 'Id' && typeof value === 'string') return resolveCreationId(value, resolveId);
  if (typeof type === 'string') return value;
  if ('orNull' in type) return value === null ? null : normalize(type.orNull, value, resolveId);
  if ('list' in type) return Array.isArray(value) ? value.map((element) => normalize(type.list, element, resolveId)) : value;
  if ('setOf' in type && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, isIncluded]) => [normalizeMember(type, key, resolveId), isIncluded]));
  }
  return value;
};

/** The value of a property that a patch sets to null: its default, or null (RFC 8620 §5.3). */
export const valueWhenCleared = (property: Property | undefined): unknown => property?.default ?? null;

/** A property that a type with `hasOtherProperties` does not describe. */
const otherProperty: Property = { type: 'Object', removable: true };

type MutableObject = { [name: string]: unknown };

/** A copy that the patch may change. If the object is already such a copy, it is returned. */
const ownCopy = (value: JsonObject, copies: Set<JsonObject>): MutableObject => {
  if (copies.has(value)) return value;
  const copy = { ...value };
  copies.add(copy);
  return copy;
};

/** Sets a member; null removes it. The name `__proto__` does not set the prototype. */
const setMember = (object: MutableObject, name: string, value: unknown): void => {
  if (value === null) delete object[name];
  else if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
};

/**
 * The value with `set` at the path. All objects of the path must exist.
 * @param copies the objects that the patch has copied. Each object is copied once, even when many paths pass through
 * it.
 * @throws SetError invalidPatch
 */
const patchNested = (value: unknown, tokens: readonly string[], set: unknown, copies: Set<JsonObject>): JsonObject => {
  if (!isObject(value)) throw new SetError('invalidPatch', 'A path names a member of a value that is not an object.');
  const [token = '', ...rest] = tokens;
  if (rest.length > 0 && !Object.hasOwn(value, token)) {
    throw new SetError('invalidPatch', `A path names a member of ${JSON.stringify(token)}, which does not exist.`);
  }
  const copy = ownCopy(value, copies);
  setMember(copy, token, rest.length === 0 ? set : patchNested(value[token], rest, set, copies));
  return copy;
};

type PatchEntry = { readonly path: string; readonly tokens: readonly string[]; readonly value: unknown };

/** Parses a patch. @throws SetError invalidPatch for an invalid path, or more than maxPathsInPatch. */
const parsePatch = (patch: JsonObject): readonly PatchEntry[] => {
  const entries = Object.entries(patch);
  if (entries.length > maxPathsInPatch) throw new SetError('invalidPatch', `A patch may have at most ${maxPathsInPatch} paths.`);
  return entries.map(([path, value]) => {
    const tokens = pointerTokens(`/${path}`);
    if (!tokens) {
      throw new SetError('invalidPatch', `${JSON.stringify(path.slice(0, 100))} is not a valid path of at most ${maxPathTokens} tokens.`);
    }
    return { path, tokens, value };
  });
};

/**
 * Checks that paths do not overlap. @throws SetError invalidPatch when a path is a prefix of another one (RFC 8620
 * §5.3).
 */
const checkOverlaps = (entries: readonly PatchEntry[]) => {
  const paths = new Set(entries.map(({ path }) => path));
  for (const { path } of entries) {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
      if (paths.has(path.slice(0, end))) {
        throw new SetError('invalidPatch', `${JSON.stringify(path.slice(0, end))} and a path within it are both in the patch.`);
      }
    }
  }
};

/**
 * Applies a PatchObject to a record (RFC 8620 §5.3). False removes a member of a set, as null does.
 * @returns the new values of all mutable properties that the patch names.
 * @throws SetError invalidPatch; invalidProperties with the names of all properties that are unknown, have a value of
 * another type, or can't be changed.
 */
export const applyPatch = <T extends RecordType>(type: T, current: JsonObject, patch: JsonObject, resolveId: ResolveId): ChangedProperties<T> => {
  const entries = parsePatch(patch);
  checkOverlaps(entries);
  const values = new Map<string, unknown>();
  const copies = new Set<JsonObject>();
  const invalid = new Set<string>();
  for (const {
    tokens: [name, ...nested],
    value,
  } of entries) {
    const property = Object.hasOwn(type.properties, name!) ? type.properties[name!] : type.hasOtherProperties && otherProperty;
    if (!property) invalid.add(name!);
    else if (nested.length === 0) values.set(name!, value === null ? valueWhenCleared(property) : normalize(property.type, value, resolveId));
    else {
      const set = typeof property.type === 'object' && 'setOf' in property.type ? property.type : undefined;
      const keys = set ? [normalizeMember(set, nested[0]!, resolveId), ...nested.slice(1)] : nested;
      // Stalwart's client removes a member by false, which no member of a set can have as value (RFC 8621 §4.1.1).
      const member = set && keys.length === 1 && value === false ? null : value;
      values.set(name!, patchNested(values.get(name!) ?? current[name!], keys, member, copies));
    }
  }
  for (const [name, value] of values) {
    const property = Object.hasOwn(type.properties, name) ? type.properties[name] : undefined;
    if (!property || (property.removable && value === null)) continue;
    const isReadOnly = property.serverSet ?? property.immutable ?? false;
    if (isReadOnly ? !isDeepStrictEqual(value, current[name]) : !isOfType(property.type, value)) invalid.add(name);
    if (isReadOnly) values.delete(name);
  }
  if (invalid.size > 0) {
    throw new SetError('invalidProperties', 'These properties do not exist, cannot be changed, or must have a value of another type.', [...invalid]);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value has the type of its property, which the loop has checked
  return Object.fromEntries(values) as ChangedProperties<T>;
};

/**
 * Checks the properties of a new record and fills in the defaults. Properties with the type's prefix, and further
 * properties of a type with `hasOtherProperties`, are returned unchanged.
 * @throws SetError invalidProperties with the names of all properties that are unknown, missing, set by the server, or
 * have a value of another type.
 */
export const newProperties = <T extends Pick<RecordType, 'properties' | 'propertyPrefix' | 'hasOtherProperties'>>(
  type: T,
  given: JsonObject,
  resolveId: ResolveId,
): NewProperties<T> => {
  const { properties, propertyPrefix, hasOtherProperties }: Pick<RecordType, 'properties' | 'propertyPrefix' | 'hasOtherProperties'> = type;
  const others = Object.keys(given).filter((name) => !Object.hasOwn(properties, name));
  const isPermitted = (name: string) => hasOtherProperties ?? (propertyPrefix !== undefined && name.startsWith(propertyPrefix));
  const invalid = new Set(others.filter((name) => !isPermitted(name)));
  const values: [string, unknown][] = others
    .filter((name) => isPermitted(name) && !(hasOtherProperties && given[name] === null))
    .map((name) => [name, given[name]]);
  for (const [name, property] of Object.entries(properties)) {
    const isGiven = Object.hasOwn(given, name);
    if (property.serverSet) {
      if (isGiven) invalid.add(name);
      continue;
    }
    if (property.optional && !isGiven) continue;
    if (property.removable && (given[name] ?? null) === null) continue;
    const value = isGiven ? normalize(property.type, given[name], resolveId) : property.default;
    if (value === undefined || !isOfType(property.type, value)) invalid.add(name);
    values.push([name, value]);
  }
  if (invalid.size > 0) {
    const description = 'These properties are missing, do not exist, are set by the server, or must have a value of another type.';
    throw new SetError('invalidProperties', description, [...invalid]);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value has the type of its property, which the loop has checked
  return Object.fromEntries(values) as NewProperties<T>;
};
