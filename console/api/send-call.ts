import type { ServiceName } from '../../contract/admin/index.ts';
import type { MethodName, RequestOf } from '../../contract/client.ts';

/** A call of the admin API: service, method and request. */
export type Call<S extends ServiceName = ServiceName, M extends string = string, R = unknown> = readonly [service: S, method: M, request: R];

/** A call whose request has the form of the contract. */
export const callOf = <S extends ServiceName, M extends MethodName<S>>(service: S, method: M, request: RequestOf<S, M>): Call<S, M, RequestOf<S, M>> => [
  service,
  method,
  request,
];

/** Milliseconds after which a call is aborted. API Gateway answers within 30 seconds. */
const timeLimit = 40_000;

/**
 * Sends a call to the console's own origin, because a browser would ask another origin for its permission first (CORS
 * preflight), over another connection.
 */
const send = ([service, method, request]: Call, token: string): Promise<Response> =>
  fetch(`/${service}/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(request),
    signal: AbortSignal.timeout(timeLimit),
  });

/** The answers to the calls that were sent early. One that failed is undefined. */
const earlyAnswers = new Map<string, Promise<Response | undefined>>();

/** Sends calls before the code that needs their answers is loaded. */
export const sendEarly = (calls: readonly Call[], token: string): void => {
  for (const call of calls) {
    const answer = send(call, token).then(
      (response) => (response.ok ? response : undefined),
      () => undefined,
    );
    earlyAnswers.set(JSON.stringify(call), answer);
  }
};

/** Sends a call, unless it was sent early and succeeded. An early answer is given once. */
export const sendCall = async (call: Call, token: () => Promise<string>): Promise<Response> => {
  const key = JSON.stringify(call);
  const early = earlyAnswers.get(key);
  earlyAnswers.delete(key);
  return (await early) ?? send(call, await token());
};
