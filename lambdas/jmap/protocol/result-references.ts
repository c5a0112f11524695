import { isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { MethodError } from './errors.ts';
import type { Invocation } from './api-request.ts';

const invalid = (description: string) => new MethodError('invalidResultReference', description);

/** The tokens of a JSON pointer (RFC 6901 §3); undefined when it is none. */
export const pointerTokens = (pointer: string): readonly string[] | undefined => {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined;
  return pointer.slice(1).split('/').map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
};

/** Follows the tokens; `*` stands for every element of a list, and lists that come of it are joined (RFC 8620 §3.7). */
const follow = (value: unknown, tokens: readonly string[]): unknown => {
  let current = value;
  for (const [index, token] of tokens.entries()) {
    if (Array.isArray(current)) {
      if (token === '*') {
        const rest = tokens.slice(index + 1);
        return current.flatMap((element: unknown) => follow(element, rest));
      }
      const at = /^(?:0|[1-9]\d*)$/.test(token) ? Number(token) : -1;
      if (at < 0 || at >= current.length) throw invalid(`The path finds nothing at ${JSON.stringify(token)}.`);
      current = current[at];
    } else if (isObject(current) && Object.hasOwn(current, token)) current = current[token];
    else throw invalid(`The path finds nothing at ${JSON.stringify(token)}.`);
  }
  return current;
};

const resolve = (reference: unknown, responses: readonly Invocation[]): unknown => {
  if (!isObject(reference)) throw invalid('A reference is an object of resultOf, name and path.');
  const { resultOf, name, path } = reference;
  const tokens = typeof path === 'string' ? pointerTokens(path) : undefined;
  if (!tokens) throw invalid('"path" must be a JSON pointer.');
  const response = responses.find(([, , callId]) => callId === resultOf);
  if (!response) throw invalid(`There is no result of ${JSON.stringify(resultOf)}.`);
  if (response[0] !== name) throw invalid(`The result of ${JSON.stringify(resultOf)} is not one of ${JSON.stringify(name)}.`);
  return follow(response[1], tokens);
};

/**
 * The arguments with each `#name` replaced by what it refers to in the earlier responses of this request (RFC 8620 §3.7).
 * @throws MethodError invalidArguments when both `name` and `#name` are given, invalidResultReference when one finds nothing.
 */
export const resolveReferences = (given: JsonObject, responses: readonly Invocation[]): JsonObject => {
  const names = Object.keys(given);
  if (!names.some((name) => name.startsWith('#'))) return given;
  const twice = names.find((name) => name.startsWith('#') && Object.hasOwn(given, name.slice(1)));
  if (twice !== undefined) throw new MethodError('invalidArguments', `Both "${twice.slice(1)}" and "${twice}" are given.`);
  return Object.fromEntries(names.map((name) => name.startsWith('#') ? [name.slice(1), resolve(given[name], responses)] : [name, given[name]]));
};
