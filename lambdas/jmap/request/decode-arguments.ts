import { isOfType, typeName, type JsonObject } from '../../../contract/jmap/data-type.ts';
import type { Arguments } from '../../../contract/jmap/record.ts';
import { MethodError } from './jmap-errors.ts';

/**
 * Checks the arguments of a call and fills in the defaults.
 * @param described the arguments that the method has.
 * @throws MethodError invalidArguments that names an argument that is unknown, missing or of another type.
 */
export const decodeArguments = (described: Arguments, given: JsonObject): JsonObject => {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(described, name));
  if (unknown !== undefined) throw new MethodError('invalidArguments', `The method has no argument ${JSON.stringify(unknown)}.`);
  const decoded = Object.entries(described).map(([name, { type, default: defaultValue }]) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined) {
      if (defaultValue !== undefined) return [name, defaultValue];
      if (typeof type === 'object' && 'orNull' in type) return [name, null];
      throw new MethodError('invalidArguments', `The argument "${name}" is missing.`);
    }
    if (!isOfType(type, value)) throw new MethodError('invalidArguments', `The argument "${name}" must be of type ${typeName(type)}.`);
    return [name, value];
  });
  return Object.fromEntries(decoded);
};
