import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import { isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import type { Invocation } from './api-request.ts';
import { MethodError } from './jmap-errors.ts';
import type { RequestBudget } from './request-context.ts';

const invalid = (description: string) => new MethodError('invalidResultReference', description);

const { maxPathTokens } = unadvertisedLimits;

/** The tokens of a JSON pointer (RFC 6901 §3); undefined for an invalid pointer, or one of more than maxPathTokens. */
export const pointerTokens = (pointer: string): readonly string[] | undefined => {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined;
  const tokens = pointer.slice(1).split('/', maxPathTokens + 1);
  return tokens.length > maxPathTokens ? undefined : tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
};

/**
 * The approximate number of characters of a value's JSON text, at most `max`, computed without serializing the value.
 */
const countCharacters = (value: unknown, max: number): number => {
  let characters = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0 && characters <= max) {
    const next = pending.pop();
    characters += typeof next === 'string' ? next.length + 2 : 2;
    if (Array.isArray(next)) {
      if (characters + next.length > max) return max + 1;
      for (const element of next) pending.push(element);
    } else if (isObject(next)) {
      for (const name in next) {
        characters += name.length + 2;
        pending.push(next[name]);
      }
    }
  }
  return characters;
};

const child = (value: unknown, token: string): unknown => {
  if (Array.isArray(value)) {
    const position = /^(?:0|[1-9]\d*)$/.test(token) ? Number(token) : -1;
    if (position >= 0 && position < value.length) return value[position];
  } else if (isObject(value) && Object.hasOwn(value, token)) return value[token];
  throw invalid(`The path has no value at ${JSON.stringify(token)}.`);
};

/** Counts characters of references. @throws MethodError requestTooLarge */
type Count = (characters: number) => void;

/** Adds the values at the tokens from `start`, for each element of a list (RFC 8620 §3.7). */
const appendResults = (results: unknown[], list: readonly unknown[], tokens: readonly string[], start: number, count: Count): void => {
  count(list.length);
  for (const element of list) {
    const { value, wildcard } = followToWildcard(element, tokens, start);
    if (wildcard !== undefined) appendResults(results, value, tokens, wildcard + 1, count);
    else if (!Array.isArray(value)) results.push(value);
    else for (const each of value) results.push(each);
  }
};

/**
 * Follows the tokens up to the first `*`.
 * @returns the value there and the index of that token; without a `*`, the value at the end.
 */
const followToWildcard = (
  start: unknown,
  tokens: readonly string[],
  from: number,
): { value: unknown; wildcard?: undefined } | { value: readonly unknown[]; wildcard: number } => {
  let value = start;
  for (let index = from; index < tokens.length; index += 1) {
    if (Array.isArray(value) && tokens[index] === '*') return { value, wildcard: index };
    value = child(value, tokens[index]!);
  }
  return { value };
};

/** The value at a JSON pointer, where `*` means all elements of a list, flattened (RFC 8620 §3.7). */
const follow = (response: JsonObject, tokens: readonly string[], count: Count): unknown => {
  const { value, wildcard } = followToWildcard(response, tokens, 0);
  if (wildcard === undefined) return value;
  const results: unknown[] = [];
  appendResults(results, value, tokens, wildcard + 1, count);
  return results;
};

const { maxSizeReferences } = unadvertisedLimits;

const countReferences =
  (budget: RequestBudget): Count =>
  (characters) => {
    if (budget.spend('maxSizeReferences', characters)) return;
    throw new MethodError('requestTooLarge', `The result references of a request may have values of ${maxSizeReferences} characters (maxSizeReferences).`);
  };

const resolve = (reference: unknown, responses: readonly Invocation[], budget: RequestBudget): unknown => {
  if (!isObject(reference)) throw invalid('A result reference must be an object with "resultOf", "name" and "path".');
  const { resultOf, name, path } = reference;
  const tokens = typeof path === 'string' ? pointerTokens(path) : undefined;
  if (!tokens) throw invalid(`"path" must be a JSON pointer of at most ${maxPathTokens} tokens.`);
  const response = responses.find(([, , callId]) => callId === resultOf);
  if (!response) throw invalid(`There is no earlier call with the id ${JSON.stringify(resultOf)}.`);
  if (response[0] !== name) throw invalid(`The response to ${JSON.stringify(resultOf)} is not one of ${JSON.stringify(name)}.`);
  const count = countReferences(budget);
  const value = follow(response[1], tokens, count);
  count(countCharacters(value, budget.remaining('maxSizeReferences')));
  return value;
};

/**
 * Replaces each argument `#name` by the value in an earlier response of the request to which it refers (RFC 8620 §3.7).
 * @throws MethodError invalidArguments when an argument is given as `name` and as `#name`; invalidResultReference when
 * a reference has no value; requestTooLarge when the request's references exceed maxSizeReferences.
 */
export const resolveReferences = (given: JsonObject, responses: readonly Invocation[], budget: RequestBudget): JsonObject => {
  const names = Object.keys(given);
  if (!names.some((name) => name.startsWith('#'))) return given;
  const duplicate = names.find((name) => name.startsWith('#') && Object.hasOwn(given, name.slice(1)));
  if (duplicate !== undefined) throw new MethodError('invalidArguments', `Both "${duplicate.slice(1)}" and "${duplicate}" are given.`);
  return Object.fromEntries(names.map((name) => (name.startsWith('#') ? [name.slice(1), resolve(given[name], responses, budget)] : [name, given[name]])));
};
