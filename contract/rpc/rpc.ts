import * as z from 'zod';
import { keysOf } from '../values/typed-entries.ts';
import type { LimitedRole } from './admin-roles.ts';
import { errorCodes, type ErrorCode } from './error-codes.ts';

/**
 * Declares methods of the admin API with their messages and errors. Validation, types, routes, Lambdas, the typed
 * client, the OpenAPI document and the gate tests are derived from these declarations.
 */

/** The body of every response with a status other than 200. */
export const ErrorBody = z.object({ code: z.enum(keysOf(errorCodes)), message: z.string() }).meta({ id: 'Error' });
export type ErrorBody = z.output<typeof ErrorBody>;

/** The error codes that every method may return. They are not in the `errors` of methods. */
export const commonErrors = ['invalid_argument', 'unauthenticated', 'permission_denied', 'internal', 'unavailable'] as const satisfies readonly ErrorCode[];

/** Maximum octets of a request body. A larger request fails with invalid_argument. */
export const maxBodySize = 1_000_000;

/**
 * Maximum octets of a response body; a Lambda can return 6 MB. A call with a larger response fails with
 * invalid_argument, and the caller can request smaller pages.
 */
export const maxAnswerSize = 6_000_000;

/** A message of a response. Fields that are not declared are not sent. */
export const message = <Shape extends z.ZodRawShape>(name: string, shape: Shape) => z.object(shape).meta({ id: name });

const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Converts lowerCamelCase keys to snake_case, as proto3's JSON readers do (docs/specification.md#messages). A key in
 * both spellings is refused.
 */
const snakeCaseKeys = (shape: z.ZodRawShape) => {
  const declared = new Map(Object.keys(shape).map((name) => [camelCase(name), name]));
  return (value: unknown, context: z.RefinementCtx): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const entries = Object.entries(value).map(([key, field]) => [declared.get(key) ?? key, field] as const);
    const names = entries.map(([name]) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) context.addIssue({ code: 'custom', path: [twice], message: 'is given in two spellings' });
    return Object.fromEntries(entries);
  };
};

/** A message of a request. Unknown keys are refused, and keys may be lowerCamelCase. A nested message has a name. */
export const requestMessage = <Shape extends z.ZodRawShape>(shape: Shape, name?: string) => {
  const fields = z.strictObject(shape);
  const schema = z.preprocess<unknown, typeof fields, z.input<typeof fields>>(snakeCaseKeys(shape), fields);
  return name === undefined ? schema : schema.meta({ id: name });
};

/** A method of the admin API: `POST {adminApiUrl}/<service>/<name>`. */
export type Method<Request extends z.ZodRawShape = z.ZodRawShape, Response extends z.ZodRawShape = z.ZodRawShape> = {
  /** The purpose of the method, in a sentence. */
  readonly summary: string;
  readonly request: z.ZodType<z.output<z.ZodObject<Request>>, z.input<z.ZodObject<Request>>>;
  readonly response: z.ZodObject<Response>;
  /** Error codes in addition to {@link commonErrors}. */
  readonly errors: readonly ErrorCode[];
  /** The canonical name of the method, if this name is another one (docs/specification.md#urls-and-routes). */
  readonly aliasOf?: string;
  /**
   * Whether the method changes something, in the deployment or at a provider. The audit log has an entry for each call,
   * including failed calls (docs/specification.md#audit-trail).
   */
  readonly changes: boolean;
  /** Whether the answer shows mail of the account of the request. A caller without the role ALL gets none of an admin's account. */
  readonly showsMail: boolean;
  /** False for a method that needs an admin principal but no particular scope (docs/specification.md#status). */
  readonly needsScope: boolean;
  /** The roles of admins that may call the method beside ALL (docs/specification.md#roles-of-admins). */
  readonly roles: readonly LimitedRole[];
};

/** Declares a method. Its messages are named `<Method>Request` and `<Method>Response`. */
export const method = <Request extends z.ZodRawShape, Response extends z.ZodRawShape>(declaration: {
  summary: string;
  request: Request;
  response: Response;
  errors?: readonly ErrorCode[];
  aliasOf?: string;
  changes?: boolean;
  showsMail?: boolean;
  needsScope?: boolean;
  roles?: readonly LimitedRole[];
}): Method<Request, Response> => ({
  errors: [],
  changes: false,
  showsMail: false,
  needsScope: true,
  roles: [],
  ...declaration,
  request: requestMessage(declaration.request),
  response: z.object(declaration.response),
});

export type Methods = { readonly [name: string]: Method };

/** A group of methods under one base path, served by one Lambda. */
export type Service<M extends Methods = Methods, Name extends string = string> = {
  /** The base path without its slash, such as `email-identities`. It is also the name of the Lambda's folder. */
  readonly name: Name;
  /** The base path, such as `/email-identities`. */
  readonly path: `/${Name}`;
  /** The purpose of the service, in a sentence. */
  readonly summary: string;
  readonly methods: M;
};

/** Declares a service. */
export const service = <const Name extends string, M extends Methods>(declaration: { name: Name; summary: string; methods: M }): Service<M, Name> => ({
  ...declaration,
  path: `/${declaration.name}`,
});

/** A request as a client sends it. Fields with a default may be left out. */
export type RequestInput<M extends Method> = z.input<M['request']>;
/** A request as a method receives it: decoded, with every default filled in. */
export type Request<M extends Method> = z.output<M['request']>;
/** A response as a method returns it. Lists may be left out. */
export type Answer<M extends Method> = z.input<M['response']>;
/** A response as a client receives it. Lists are always present. */
export type Response<M extends Method> = z.output<M['response']>;
