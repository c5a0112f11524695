import * as z from 'zod';
import { errorCodes, type ErrorCode } from './error-codes.ts';

/**
 * The vocabulary of the admin interface: how a method, its messages and its errors are written down. From what is
 * written with it come validation, types, routes, Lambdas, the typed client, the OpenAPI document and the gate tests.
 */

/** The body of every answer that is not 200. */
export const ErrorBody = z.object({
  code: z.enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
}).meta({ id: 'Error' });
export type ErrorBody = z.output<typeof ErrorBody>;

/** Any call can end in one of these, so no method lists them. */
export const commonErrors = [
  'invalid_argument', 'unauthenticated', 'permission_denied', 'internal', 'unavailable',
] as const satisfies readonly ErrorCode[];

/** The largest request body, in octets: larger ones are invalid_argument. */
export const maxBodySize = 1_000_000;

/**
 * The largest answer, in octets as a Lambda hands it over (6 MB at most): what is larger is invalid_argument, to be
 * asked for in smaller parts.
 */
export const maxAnswerSize = 6_000_000;

/** A message of a response: what is not declared never leaves. */
export const message = <Shape extends z.ZodRawShape>(name: string, shape: Shape) => z.object(shape).meta({ id: name });

const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Reads lowerCamelCase keys as their snake_case ones, as proto3's JSON readers do (docs/specification.md#messages).
 * A key given in both spellings is refused rather than chosen between.
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

/** A message of a request: unknown keys are refused; keys may be lowerCamelCase. A nested one has a name of its own. */
export const requestMessage = <Shape extends z.ZodRawShape>(shape: Shape, name?: string) => {
  const fields = z.strictObject(shape);
  const schema = z.preprocess<unknown, typeof fields, z.input<typeof fields>>(snakeCaseKeys(shape), fields);
  return name === undefined ? schema : schema.meta({ id: name });
};

/** One operation: `POST {adminApiUrl}/<service>/<name>`. */
export type Method<Request extends z.ZodRawShape = z.ZodRawShape, Response extends z.ZodRawShape = z.ZodRawShape> = {
  /** What it does, in a sentence. */
  readonly summary: string;
  readonly request: z.ZodType<z.output<z.ZodObject<Request>>, z.input<z.ZodObject<Request>>>;
  readonly response: z.ZodObject<Response>;
  /** What can go wrong beyond {@link commonErrors}. */
  readonly errors: readonly ErrorCode[];
  /** Set where this is another name of that method (docs/specification.md#urls-and-routes). */
  readonly aliasOf?: string;
  /**
   * It changes something, here or at a provider: each call, failed ones too, is in the audit log
   * (docs/specification.md#audit-trail).
   */
  readonly changes: boolean;
  /** False for a method that needs an admin principal but no particular scope (docs/specification.md#status). */
  readonly needsScope: boolean;
};

/** States a method. Its messages get the names `<Method>Request` and `<Method>Response` in the service. */
export const method = <Request extends z.ZodRawShape, Response extends z.ZodRawShape>(stated: {
  summary: string;
  request: Request;
  response: Response;
  errors?: readonly ErrorCode[];
  aliasOf?: string;
  changes?: boolean;
  needsScope?: boolean;
}): Method<Request, Response> => ({
  errors: [],
  changes: false,
  needsScope: true,
  ...stated,
  request: requestMessage(stated.request),
  response: z.object(stated.response),
});

export type Methods = { readonly [name: string]: Method };

/** A group of operations under one base path, served by one Lambda. */
export type Service<M extends Methods = Methods, Name extends string = string> = {
  /** The base path without its slash, also the name of the Lambda's folder: `email-identities`. */
  readonly name: Name;
  /** `/email-identities` */
  readonly path: `/${Name}`;
  /** What the service is for, in a sentence. */
  readonly summary: string;
  readonly methods: M;
};

export const service = <const Name extends string, M extends Methods>(stated: {
  name: Name;
  summary: string;
  methods: M;
}): Service<M, Name> =>
  ({ ...stated, path: `/${stated.name}` });

/** What a client may send. */
export type RequestInput<M extends Method> = z.input<M['request']>;
/** What a method is given: decoded, with every default filled in. */
export type Request<M extends Method> = z.output<M['request']>;
/** What a method answers: lists may be left out. */
export type Answer<M extends Method> = z.input<M['response']>;
/** What a client receives: lists are always there. */
export type Response<M extends Method> = z.output<M['response']>;
