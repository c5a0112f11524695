import { isOfType, typeName, type JsonObject } from '../../../contract/jmap/data-type.ts';
import type { Arguments } from '../../../contract/jmap/record.ts';
import { MethodError } from './errors.ts';

/**
 * The arguments of a call, checked against what its method states, with every default filled in.
 * @throws MethodError invalidArguments that names the argument: unknown, missing or of the wrong type.
 */
export const decodeArguments = (stated: Arguments, given: JsonObject): JsonObject => {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(stated, name));
  if (unknown !== undefined) throw new MethodError('invalidArguments', `There is no argument ${JSON.stringify(unknown)}.`);
  const decoded = Object.entries(stated).map(([name, { type, default: otherwise }]) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined) {
      if (otherwise !== undefined) return [name, otherwise];
      if (typeof type === 'object' && 'orNull' in type) return [name, null];
      throw new MethodError('invalidArguments', `The argument "${name}" is missing.`);
    }
    if (!isOfType(type, value)) throw new MethodError('invalidArguments', `The argument "${name}" must be of type ${typeName(type)}.`);
    return [name, value];
  });
  return Object.fromEntries(decoded);
};
