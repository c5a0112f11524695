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
