import type * as z from 'zod';
import type { Answer, Method, Request } from './rpc.ts';

/** Thrown for a request that its method does not accept. `message` names the field and is meant for the caller. */
export class InvalidMessage extends Error {
  override readonly name = 'InvalidMessage';
}

/** Maximum characters of a request's key in an error message. */
const maxQuotedLength = 64;

const quoted = (key: string): string => (key.length > maxQuotedLength ? `${key.slice(0, maxQuotedLength)}…` : key).replace(/[^\x20-\x7E…]/g, '?');

/** The path of a field, such as `changes[0].field`. */
const pathOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((parent, step) => (typeof step === 'number' ? `${parent}[${step}]` : `${parent}${parent && '.'}${quoted(String(step))}`), '');

const typesInWords: { readonly [kind: string]: string } = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** The requirement that the field does not meet. zod's own messages are never sent. */
const requirementOf = (issue: z.core.$ZodIssue): string => {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value')) return 'is required';
  switch (issue.code) {
    case 'custom':
      return issue.message;
    case 'invalid_type':
      return `must be ${typesInWords[issue.expected] ?? 'of another type'}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    case 'too_small':
      return `must be at least ${issue.minimum}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'must be an http or https URL' : 'is not well formed';
    case 'unrecognized_keys':
    case 'not_multiple_of':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    default:
      return 'is not valid';
  }
};

/** The error message of an issue, with the path of the field: `role must be one of READ, WRITE, ADMIN`. */
const describe = (issue: z.core.$ZodIssue): string => {
  const path = pathOf(issue.path);
  if (issue.code === 'unrecognized_keys') return `${path}${path && '.'}${quoted(issue.keys[0] ?? '')} is not a field of this request`;
  return `${path || 'the request'} ${requirementOf(issue)}`;
};

/**
 * Decodes a JSON value as the method's request. Names may be in snake_case or lowerCamelCase; defaults are filled in
 * (docs/specification.md#messages).
 * @throws InvalidMessage for the first invalid field.
 */
export const decodeRequest = <M extends Method>(method: M, value: unknown): Request<M> => {
  const decoded = method.request.safeParse(value, { reportInput: true });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- zod's output is not tied to the generic M
  if (decoded.success) return decoded.data as Request<M>;
  const [issue] = decoded.error.issues;
  throw new InvalidMessage(issue ? describe(issue) : 'the request is not valid');
};

/** A field of a request that its method does not accept, with the requirement: `must be at most 100 characters`. */
export type RequestProblem = { readonly field: string; readonly requirement: string };

/** All fields of a request that its method does not accept, to be shown in a form. Empty for a valid request. */
export const requestProblems = (method: Method, value: unknown): RequestProblem[] => {
  const decoded = method.request.safeParse(value, { reportInput: true });
  return decoded.success ? [] : decoded.error.issues.map((issue) => ({ field: pathOf(issue.path), requirement: requirementOf(issue) }));
};

/**
 * Encodes a method's response for the wire. Only declared fields are sent; lists are always present, and absent
 * optional fields are left out.
 * @throws Error when the response does not match the method's contract, which is a bug of the service.
 */
export const encodeResponse = <M extends Method>(method: M, answer: Answer<M>): unknown => {
  const encoded = method.response.safeParse(answer);
  if (!encoded.success) {
    throw new Error(`the response does not match its contract: ${encoded.error.issues.map(({ path, code }) => `${pathOf(path)} ${code}`).join('; ')}`);
  }
  return encoded.data;
};
