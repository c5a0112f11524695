import type { APIGatewayProxyEvent } from 'aws-lambda';
import { jmapCrossOrigin } from '../../../contract/jmap/discovery.ts';
import { isPreflight, type HttpRequest, type HttpResponse, type StreamedResponse } from './http.ts';

/** A request to a REST API (payload format 1.0). */
export type RestRequest = APIGatewayProxyEvent;

const lowerCaseNames = (headers: RestRequest['headers'] | null): HttpRequest['headers'] =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));

const joined = (basePath: string, path: string): string => (path === '/' ? basePath : `${basePath}${path}`);

/** The query as clients write it that expand a URI template (RFC 6570 §3.2.1). The event has it decoded. */
const queryOf = ({ multiValueQueryStringParameters: parameters }: RestRequest): string =>
  Object.entries(parameters ?? {}).flatMap(([name, values]) => (values ?? []).map((value) => `${name}=${encodeURIComponent(value.toWellFormed())}`)).join('&');

/**
 * The same request as to an HTTP API.
 * @param basePath the path that API Gateway removes before it looks for a resource: the name of the stage, or the key of
 * the mapping of a custom domain.
 */
export const fromRestApi = (event: RestRequest, basePath: string): HttpRequest => {
  const { httpMethod: method, resource, requestContext } = event;
  const headers = lowerCaseNames(event.headers);
  const isBelow = event.path === basePath || event.path.startsWith(`${basePath}/`);
  const path = joined(basePath, isBelow ? event.path.slice(basePath.length) : event.path);
  const routeKey = `${method} ${joined(basePath, resource)}`;
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: queryOf(event),
    headers,
    queryStringParameters: event.queryStringParameters ?? {},
    pathParameters: event.pathParameters ?? {},
    body: event.body ?? undefined,
    isBase64Encoded: event.isBase64Encoded,
    requestContext: {
      accountId: requestContext.accountId,
      apiId: requestContext.apiId,
      domainName: requestContext.domainName ?? '',
      domainPrefix: requestContext.domainPrefix ?? '',
      http: {
        method, path, protocol: requestContext.protocol, sourceIp: requestContext.identity.sourceIp,
        userAgent: requestContext.identity.userAgent ?? '',
      },
      requestId: requestContext.requestId,
      routeKey,
      stage: requestContext.stage,
      time: requestContext.requestTime ?? '',
      timeEpoch: requestContext.requestTimeEpoch,
    },
  };
};

/** Adds the headers for other web origins, which a REST API does not add itself. */
const withCrossOriginHeaders = (response: StreamedResponse): StreamedResponse => ({
  ...response,
  headers: {
    ...response.headers,
    'access-control-allow-origin': '*',
    'access-control-expose-headers': jmapCrossOrigin.exposeHeaders.join(','),
  },
});

/** The response of a REST API to a preflight (Fetch §3.2.2). */
const crossOriginPreflight: HttpResponse = {
  statusCode: 204,
  headers: {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': jmapCrossOrigin.methods.join(','),
    'access-control-allow-headers': jmapCrossOrigin.allowHeaders.join(','),
    'access-control-max-age': String(jmapCrossOrigin.maxAge),
  },
};

/** Serves a REST API as an HTTP API is served, and any web origin. @param basePath see {@link fromRestApi}. */
export const servedByRestApi = (basePath: string, serve: (request: HttpRequest) => Promise<StreamedResponse>) =>
  async (event: RestRequest): Promise<StreamedResponse> => {
    const request = fromRestApi(event, basePath);
    return isPreflight(request) ? crossOriginPreflight : withCrossOriginHeaders(await serve(request));
  };
