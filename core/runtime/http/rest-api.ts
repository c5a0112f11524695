import type { APIGatewayProxyEvent } from 'aws-lambda';
import { downloadQuery } from '../../../contract/jmap/blob.ts';
import { jmapCrossOrigin } from '../../../contract/jmap/discovery.ts';
import { isMediaType } from './content-headers.ts';
import { isPreflight, type HttpRequest, type HttpResponse, type StreamedResponse } from './http.ts';

/** A request to a REST API (payload format 1.0). */
export type RestRequest = APIGatewayProxyEvent;

const lowerCaseNames = (headers: RestRequest['headers'] | null): HttpRequest['headers'] =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));

const joined = (basePath: string, path: string): string => (path === '/' ? basePath : `${basePath}${path}`);

type Parameter = readonly [name: string, value: string];

const parameterNames: readonly string[] = [...new URLSearchParams(downloadQuery).keys()];

/**
 * Joins what a REST API split at `;`. A part belongs to the name, since no other parameter has one, except for the
 * parameters of a media type, which follow the type.
 */
const rejoined = (parameters: readonly Parameter[]): readonly Parameter[] => {
  const values = new Map<string, string>();
  const parts: { readonly text: string; readonly isAfterType: boolean }[] = [];
  let previous = '';
  for (const [name, value] of parameters) {
    if (parameterNames.includes(name) && !values.has(name)) {
      values.set(name, value);
      previous = name;
    } else {
      parts.push({ text: value === '' ? `;${name}` : `;${name}=${value}`, isAfterType: previous === 'type' });
    }
  }
  for (const { text, isAfterType } of parts) {
    const owner = isAfterType && isMediaType(values.get('type')! + text) ? 'type' : 'name';
    values.set(owner, (values.get(owner) ?? '') + text);
  }
  return [...values];
};

/** The parameters as the client wrote them, decoded. {@link downloadQuery} says what a REST API may do to them. */
const parametersOf = ({ multiValueQueryStringParameters: given }: RestRequest): readonly Parameter[] => {
  const received = Object.entries(given ?? {}).flatMap(([name, values]) => (values ?? []).map((value): Parameter => [name, value]));
  const [, encoding = '%;'] = received.find(([name]) => name === 'encoding') ?? [];
  const joined = encoding.endsWith(';') ? received : rejoined(received);
  const decoded = encoding.startsWith('%25') ? joined.map(([name, value]): Parameter => [name, value.replaceAll('%25', '%')]) : joined;
  return decoded.map(([name, value]) => [name, name === 'encoding' ? '%;' : value]);
};

/** The query as clients write it that expand a URI template (RFC 6570 §3.2.1). */
const queryOf = (parameters: readonly Parameter[]): string =>
  parameters.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&');

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
  const parameters = parametersOf(event);
  const routeKey = `${method} ${joined(basePath, resource)}`;
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: queryOf(parameters),
    headers,
    queryStringParameters: Object.fromEntries(parameters),
    pathParameters: event.pathParameters ?? {},
    body: event.body ?? undefined,
    isBase64Encoded: event.isBase64Encoded,
    requestContext: {
      accountId: requestContext.accountId,
      apiId: requestContext.apiId,
      domainName: requestContext.domainName ?? '',
      domainPrefix: requestContext.domainPrefix ?? '',
      http: { method, path, protocol: requestContext.protocol, sourceIp: requestContext.identity.sourceIp, userAgent: requestContext.identity.userAgent ?? '' },
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
  headers: { ...response.headers, 'access-control-allow-origin': '*', 'access-control-expose-headers': jmapCrossOrigin.exposeHeaders.join(',') },
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
export const servedByRestApi =
  (basePath: string, serve: (request: HttpRequest) => Promise<StreamedResponse>) =>
  async (event: RestRequest): Promise<StreamedResponse> => {
    const request = fromRestApi(event, basePath);
    return isPreflight(request) ? crossOriginPreflight : withCrossOriginHeaders(await serve(request));
  };
