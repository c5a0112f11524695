import type { ServiceName } from '../../contract/admin/index.ts';
import { adminApiError, type MethodName, type RequestOf, type ResponseOf } from '../../contract/client.ts';
import { errorCodes, type ErrorCode } from '../../contract/rpc/error-codes.ts';
import { parseJson } from '../../contract/values/parse-json.ts';
import { sendCall } from './send-call.ts';

/** Calls a method of the admin API by its names. An error of the API is thrown as `AdminApiError`. */
export type AdminClient = <S extends ServiceName, M extends MethodName<S>>(service: S, method: M, request: RequestOf<S, M>) => Promise<ResponseOf<S, M>>;

const isObject = (body: unknown): body is object => typeof body === 'object' && body !== null;

const isErrorBody = (body: unknown): body is { readonly code: ErrorCode; readonly message: string } =>
  isObject(body) && 'code' in body && typeof body.code === 'string' && body.code in errorCodes && 'message' in body && typeof body.message === 'string';

/**
 * The client of the console. It leaves the schemas of responses out, unlike `contract/client.ts`, because the API checks
 * each response with them, and because the schemas of all methods with zod would be 40 KB of the first load.
 */
export const createAdminClient =
  (token: () => Promise<string>): AdminClient =>
  async (service, method, request) => {
    const response = await sendCall([service, method, request], token);
    const body: unknown = parseJson(await response.text());
    if (!response.ok || !isObject(body)) throw adminApiError(response, isErrorBody(body) ? body : undefined);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API sends what the contract says
    return body as never;
  };
