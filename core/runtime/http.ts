import type { Problem } from '../../contract/jmap/core.ts';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

/** An HTTP API request (payload format 2.0) as API Gateway hands it to a Lambda. */
export type HttpRequest = APIGatewayProxyEventV2;
/** What a Lambda answers to an HTTP API. */
export type HttpResponse = APIGatewayProxyStructuredResultV2;

/** The body's bytes; an absent body is empty. */
export const bodyBytes = (request: HttpRequest): Buffer =>
  Buffer.from(request.body ?? '', request.isBase64Encoded ? 'base64' : 'utf8');

/** A header by its lower-case name. HTTP API lower-cases names; a proxy in front may not. */
export const header = (request: HttpRequest, name: string): string | undefined => {
  const headers = request.headers ?? {};
  return headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
};

/** A JSON answer that no cache keeps. */
export const json = (statusCode: number, body: unknown, headers: Record<string, string> = {}): HttpResponse => ({
  statusCode,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(body),
});

/**
 * A browser asks whether a page of another origin may call (Fetch §3.2.2). API Gateway answers that itself where no route takes OPTIONS, but `$default` takes it:
 * then the gateway writes the CORS headers, and success must come from the Lambda behind, without a token.
 */
export const isPreflight = (request: HttpRequest): boolean =>
  request.requestContext.http.method === 'OPTIONS' && header(request, 'origin') !== undefined && header(request, 'access-control-request-method') !== undefined;

/** The answer to a preflight request; API Gateway adds what may be done. */
export const preflightAnswer: HttpResponse = { statusCode: 204 };

/** Problem details (RFC 7807) as JMAP answers them (RFC 8620 §3.6.1); no cache keeps them. */
export const problemResponse = (problem: Problem, headers: Record<string, string> = {}): HttpResponse => ({
  statusCode: problem.status,
  headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(problem),
});

/** A problem for which JMAP has no type of its own. */
export const plainProblem = (status: number, detail: string): HttpResponse => problemResponse({ type: 'about:blank', status, detail });
