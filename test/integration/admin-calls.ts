import { recordCreation } from './created.ts';
import { deployed } from './deployment.ts';
import { bearer, httpRequest, type HttpResponse } from './http-requests.ts';

/** Calls an admin method, such as `domains/AddDomain`, with any body. */
export const rawCall = (token: string | undefined, method: string, body: RequestInit['body'], headers: Record<string, string> = {}): Promise<HttpResponse> =>
  httpRequest(`${deployed.adminApiUrl}/${method}`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...bearer(token), ...headers } });

export const call = async (token: string | undefined, method: string, request: unknown = {}): Promise<HttpResponse> => {
  const answer = await rawCall(token, method, JSON.stringify(request));
  if (answer.status === 200) recordCreation(method, answer.json);
  return answer;
};

/** Calls a method that must succeed. @returns the body of the response. */
export const ok = async <T>(token: string, method: string, request: unknown = {}): Promise<T> => {
  const answer = await call(token, method, request);
  expect({ method, status: answer.status, body: answer.status === 200 ? undefined : answer.text }).toEqual({ method, status: 200, body: undefined });
  return answer.json as T;
};

/** Checks that a response is an error with this status and a body of `{code, message}` only. */
export const expectError = (answer: HttpResponse, status: number, code: string): void => {
  expect({ status: answer.status, body: answer.json }).toEqual({ status, body: { code, message: expect.any(String) } });
};
