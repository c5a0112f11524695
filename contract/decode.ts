import type * as z from 'zod';
import type { Answer, Method, Request } from './rpc.ts';

/** A request that is not what its method takes. `message` names the field and is meant for the caller. */
export class InvalidMessage extends Error {
  override readonly name = 'InvalidMessage';
}

/** The longest piece of a request that a message repeats. */
const longestEcho = 64;

const echo = (key: string): string => (key.length > longestEcho ? `${key.slice(0, longestEcho)}…` : key).replace(/[^\x20-\x7E…]/g, '?');

/** `changes[0].field` */
const pathOf = (path: readonly PropertyKey[]): string => path.reduce<string>((written, step) => (
  typeof step === 'number' ? `${written}[${step}]` : `${written}${written && '.'}${echo(String(step))}`), '');

const kinds: { readonly [kind: string]: string } = {
  string: 'text', number: 'a number', int: 'a whole number', boolean: 'true or false', array: 'a list', object: 'an object', record: 'an object',
};

/** The issue in our own words: what the field must be. zod's words never reach the wire. */
const explain = (issue: z.core.$ZodIssue): string => {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value')) return 'is required';
  switch (issue.code) {
    case 'custom': return issue.message;
    case 'invalid_type': return `must be ${kinds[issue.expected] ?? 'of another type'}`;
    case 'invalid_value': return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_big': return `must be at most ${issue.maximum}`;
    case 'too_small': return `must be at least ${issue.minimum}`;
    case 'invalid_format': return issue.format === 'url' ? 'must be an http or https URL' : 'is not well formed';
    case 'unrecognized_keys':
    case 'not_multiple_of':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    default: return 'is not valid';
  }
};

/** What is wrong, with the path of the field: `role must be one of READ, WRITE, ADMIN`. */
const describe = (issue: z.core.$ZodIssue): string => {
  const path = pathOf(issue.path);
  if (issue.code === 'unrecognized_keys') return `${path}${path && '.'}${echo(issue.keys[0] ?? '')} is not a field of this request`;
  return `${path || 'the request'} ${explain(issue)}`;
};

/**
 * A JSON value as the method's request: names in either spelling, defaults filled in (docs/specification.md#messages).
 * @throws InvalidMessage for the first thing that is wrong.
 */
export const decodeRequest = <M extends Method>(method: M, value: unknown): Request<M> => {
  const decoded = method.request.safeParse(value, { reportInput: true });
  if (decoded.success) return decoded.data as Request<M>;
  const [issue] = decoded.error.issues;
  throw new InvalidMessage(issue ? describe(issue) : 'the request is not valid');
};

/**
 * A method's answer as it goes on the wire: only what is declared, lists always there, absent optionals left out.
 * @throws Error when the answer is not what the method promises; that is our fault, not the caller's.
 */
export const encodeResponse = <M extends Method>(method: M, answer: Answer<M>): unknown => {
  const encoded = method.response.safeParse(answer);
  if (!encoded.success) throw new Error(`an answer broke its contract: ${encoded.error.issues.map(({ path, code }) => `${pathOf(path)} ${code}`).join('; ')}`);
  return encoded.data;
};
