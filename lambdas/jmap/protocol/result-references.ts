import { isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { MethodError } from './errors.ts';
import type { Invocation } from './api-request.ts';

const invalid = (description: string) => new MethodError('invalidResultReference', description);

/** The tokens of a JSON pointer (RFC 6901 §3); undefined for an invalid pointer. */
export const pointerTokens = (pointer: string): readonly string[] | undefined => {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined;
  return pointer.slice(1).split('/').map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
};

/**
 * The value at a JSON pointer. `*` stands for all elements of a list; lists among the results are flattened (RFC 8620
 * §3.7).
 */
const follow = (value: unknown, tokens: readonly string[]): unknown => {
  let current = value;
  for (const [index, token] of tokens.entries()) {
    if (Array.isArray(current)) {
      if (token === '*') {
        const rest = tokens.slice(index + 1);
        return current.flatMap((element: unknown) => follow(element, rest));
      }
      const position = /^(?:0|[1-9]\d*)$/.test(token) ? Number(token) : -1;
      if (position < 0 || position >= current.length) throw invalid(`The path has no value at ${JSON.stringify(token)}.`);
      current = current[position];
    } else if (isObject(current) && Object.hasOwn(current, token)) current = current[token];
    else throw invalid(`The path has no value at ${JSON.stringify(token)}.`);
  }
  return current;
};

const resolve = (reference: unknown, responses: readonly Invocation[]): unknown => {
  if (!isObject(reference)) throw invalid('A result reference must be an object with "resultOf", "name" and "path".');
  const { resultOf, name, path } = reference;
  const tokens = typeof path === 'string' ? pointerTokens(path) : undefined;
  if (!tokens) throw invalid('"path" must be a JSON pointer.');
  const response = responses.find(([, , callId]) => callId === resultOf);
  if (!response) throw invalid(`There is no earlier call with the id ${JSON.stringify(resultOf)}.`);
  if (response[0] !== name) throw invalid(`The response to ${JSON.stringify(resultOf)} is not one of ${JSON.stringify(name)}.`);
  return follow(response[1], tokens);
};

/**
 * Replaces each argument `#name` by the value that it refers to in an earlier response of the request (RFC 8620 §3.7).
 * @throws MethodError invalidArguments when an argument is given as `name` and as `#name`; invalidResultReference when
 * a reference has no value.
 */
export const resolveReferences = (given: JsonObject, responses: readonly Invocation[]): JsonObject => {
  const names = Object.keys(given);
  if (!names.some((name) => name.startsWith('#'))) return given;
  const duplicate = names.find((name) => name.startsWith('#') && Object.hasOwn(given, name.slice(1)));
  if (duplicate !== undefined) throw new MethodError('invalidArguments', `Both "${duplicate.slice(1)}" and "${duplicate}" are given.`);
  return Object.fromEntries(
    names.map((name) => name.startsWith('#') ? [name.slice(1), resolve(given[name], responses)] : [name, given[name]]),
  );
};
