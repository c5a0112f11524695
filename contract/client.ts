import { services, type ServiceName } from './admin/index.ts';
import type { ErrorCode } from './rpc/error-codes.ts';
import { ErrorBody, type Method, type RequestInput, type Response as MessageOf, type Service } from './rpc/rpc.ts';
import { parseJson } from './values/parse-json.ts';

/** Calls that a program with many of them makes at the same time: few enough for the API's limits and two such programs. */
export const callsAtOnce = 4;

type MethodsOf<S extends ServiceName> = (typeof services)[S]['methods'];
export type MethodName<S extends ServiceName> = keyof MethodsOf<S> & string;
type MethodOf<S extends ServiceName, M extends MethodName<S>> = MethodsOf<S>[M] extends Method ? MethodsOf<S>[M] : never;
/** The request of a method as a client writes it. */
export type RequestOf<S extends ServiceName, M extends MethodName<S>> = RequestInput<MethodOf<S, M>>;
export type ResponseOf<S extends ServiceName, M extends MethodName<S>> = MessageOf<MethodOf<S, M>>;

/** Calls every method of every service by its wire name: `client.users.GetUser({ user_id })`. */
export type AdminClient = {
  readonly [S in ServiceName]: { readonly [M in MethodName<S>]: (request: RequestOf<S, M>) => Promise<ResponseOf<S, M>> };
};

export type AdminClientDependencies = {
  /** The URL `adminApiUrl`, without a slash at the end. */
  readonly baseUrl: string;
  /** An access token with the scope adminApi/ADMIN, or a function that returns one for each call. */
  readonly token: string | (() => Promise<string>);
  /** Sends HTTP requests. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch;
};

/**
 * Thrown for an error response of the admin API, with its code and message. For a response from elsewhere, such as a
 * proxy, the code is `internal`.
 */
export class AdminApiError extends Error {
  override readonly name = 'AdminApiError';
  readonly code: ErrorCode;
  /** HTTP status of the response. */
  readonly status: number;
  /** The id of the call in the deployment's logs. */
  readonly correlationId: string | undefined;
  /** Seconds to wait before the call is repeated, if the response states them (RFC 9110 §10.2.3). */
  readonly retryAfter: number | undefined;
  constructor(code: ErrorCode, message: string, status: number, correlationId: string | undefined, retryAfter?: number) {
    super(message);
    this.code = code;
    this.status = status;
    this.correlationId = correlationId;
    this.retryAfter = retryAfter;
  }
}

/** The error of a response. @param body undefined when it is not the body of an error of the API. */
export const adminApiError = ({ status, headers }: Response, body: { readonly code: ErrorCode; readonly message: string } | undefined): AdminApiError => {
  const { code, message } = body ?? { code: 'internal', message: `the admin API answered with status ${status}` };
  const seconds = /^\d+$/.exec(headers.get('retry-after') ?? '')?.[0];
  return new AdminApiError(code, message, status, headers.get('x-correlation-id') ?? undefined, seconds === undefined ? undefined : Number(seconds));
};

/** A typed client of the admin API. Each call is one POST; an error of the API is thrown as {@link AdminApiError}. */
export const createAdminClient = ({ baseUrl, token, fetch: send = fetch }: AdminClientDependencies): AdminClient => {
  const call = async (path: string, method: Method, request: unknown): Promise<unknown> => {
    const httpResponse = await send(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${typeof token === 'string' ? token : await token()}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    const body = parseJson(await httpResponse.text());
    const response = httpResponse.ok ? method.response.safeParse(body) : undefined;
    if (!response?.success) throw adminApiError(httpResponse, ErrorBody.safeParse(body).data);
    return response.data;
  };
  const all: readonly Service[] = Object.values(services);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.fromEntries() has no type of the names
  return Object.fromEntries(
    all.map(({ name, path, methods }) => [
      name,
      Object.fromEntries(
        Object.entries(methods).map(([methodName, method]) => [methodName, (request: unknown) => call(`${path}/${methodName}`, method, request)]),
      ),
    ]),
  ) as unknown as AdminClient;
};
