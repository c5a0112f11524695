import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Problem } from '../../../contract/jmap/core.ts';
import { isTransient } from '../aws-errors.ts';
import { errorLogFields } from '../error-log-fields.ts';
import type { Log } from '../log.ts';

/** A request to an HTTP API (payload format 2.0). */
export type HttpRequest = APIGatewayProxyEventV2;
/** A Lambda's response to an HTTP API. */
export type HttpResponse = APIGatewayProxyStructuredResultV2;
/** A response that a Lambda streams. It has content in pieces, or a body of text. */
export type StreamedResponse = HttpResponse & {
  readonly content?: readonly Buffer[];
  /** The time at which the stream is cut off, in milliseconds since 1970. */
  readonly endsBy?: number;
  /** Is called once when the stream has ended, whole or cut off. It never fails. */
  readonly release?: () => Promise<void>;
};

/** The bytes of the body. An absent body is empty. */
export const bodyBytes = (request: HttpRequest): Buffer => Buffer.from(request.body ?? '', request.isBase64Encoded ? 'base64' : 'utf8');

/** A header by its lower-case name. API Gateway sends lower-case names; a proxy may not. */
export const header = (request: HttpRequest, name: string): string | undefined => {
  const headers = request.headers ?? {};
  return headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
};

/** A JSON response that is not cached. */
export const json = (statusCode: number, body: unknown, headers: Record<string, string> = {}): HttpResponse => ({
  statusCode,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(body),
});

/**
 * Whether a request is a CORS preflight (Fetch §3.2.2). API Gateway responds to a preflight itself, unless a route
 * matches OPTIONS, as `$default` does. Then it adds the CORS headers to the Lambda's response, which must be a success
 * without a token.
 */
export const isPreflight = (request: HttpRequest): boolean =>
  request.requestContext.http.method === 'OPTIONS' && header(request, 'origin') !== undefined && header(request, 'access-control-request-method') !== undefined;

/** The success response to a preflight, to which API Gateway adds the CORS headers. */
export const preflightAnswer: HttpResponse = { statusCode: 204 };

/** A response with problem details (RFC 7807, RFC 8620 §3.6.1). It is not cached. */
export const problemResponse = (problem: Problem, headers: Record<string, string> = {}): HttpResponse => ({
  statusCode: problem.status,
  headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(problem),
});

/** A problem response for a problem without a JMAP type. */
export const plainProblem = (status: number, detail: string): HttpResponse => problemResponse({ type: 'about:blank', status, detail });

/**
 * The problem details for an unexpected error: 503 if the same request may succeed later, else 500. They do not contain
 * the cause.
 */
export const failureProblem = (error: unknown): Problem =>
  isTransient(error)
    ? { type: 'about:blank', status: 503, detail: 'The server is busy. Try again later.' }
    : { type: 'about:blank', status: 500, detail: 'The server failed to handle the request.' };

/** The response with the {@link failureProblem} of an error. */
export const failureResponse = (error: unknown): HttpResponse => {
  const problem = failureProblem(error);
  return problemResponse(problem, problem.status === 503 ? { 'retry-after': '5' } : {});
};

/** Logs a request that fails unexpectedly, and answers it with the {@link failureResponse}. */
export const failuresAnswered =
  <Response extends HttpResponse>(log: Log, serve: (request: HttpRequest) => Promise<Response>) =>
  async (request: HttpRequest): Promise<Response | HttpResponse> => {
    try {
      return await serve(request);
    } catch (error) {
      log.error('a request failed', { route: request.routeKey, ...errorLogFields(error) });
      return failureResponse(error);
    }
  };

/** The entity tags in a list such as `W/"a", "b"` (RFC 9110 §8.8.3). The field may have at most 2048 characters. */
export const entityTags = (field: string): readonly string[] => field.slice(0, 2048).match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];

const opaque = (tag: string): string => tag.replace(/^W\//, '');

/**
 * Whether the client has the representation with that strong entity tag, so that the response has status 304 (RFC 9110
 * §13.1.2). The comparison is weak, because a cache may have weakened the tag.
 */
export const hasCurrentTag = (request: HttpRequest, etag: string): boolean => {
  const field = header(request, 'if-none-match')?.trim();
  return field !== undefined && (field === '*' || entityTags(field).map(opaque).includes(etag));
};
