import type { AccessToken } from '../platform/access-token.ts';
import { bodyBytes, header, json, type HttpRequest, type HttpResponse } from '../platform/http.ts';
import type { JmapGate } from '../platform/jmap-gate.ts';
import { plainProblem, problemResponse } from '../platform/problem.ts';
import { answerRequest, findCaller, type Jmap } from './answer.ts';
import { RequestProblem } from './protocol/errors.ts';
import { readJson } from './protocol/request.ts';
import { sessionOf } from './session.ts';

type Answer = (jmap: Jmap, token: AccessToken, request: HttpRequest) => Promise<HttpResponse>;

const session: Answer = async (jmap, token) => json(200, sessionOf(await findCaller(jmap, token), jmap.places));

const api: Answer = async (jmap, token, request) => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: await answerRequest(jmap, token, () => readJson(header(request, 'content-type'), bodyBytes(request))),
});

const routes: { readonly [route: string]: Answer } = { 'GET /.well-known/jmap': session, 'POST /jmap': api };

const failed = (failure: unknown, jmap: Jmap): HttpResponse => {
  if (failure instanceof RequestProblem) return problemResponse(failure.problem);
  jmap.log.error('a request failed', { error: failure instanceof Error ? failure : String(failure) });
  return plainProblem(500, 'Something went wrong on the server.');
};

/** The way of an HTTP request: token → route → answer. The body is not looked at before the token is judged. */
export const httpAnswerer = (jmap: Jmap, gate: JmapGate) => async (request: HttpRequest): Promise<HttpResponse> => {
  try {
    const { token, refusal } = await gate(request);
    if (refusal) return refusal;
    const answer = routes[`${request.requestContext.http.method} ${request.rawPath}`];
    return answer ? await answer(jmap, token, request) : plainProblem(404, 'There is nothing here.');
  } catch (failure) {
    return failed(failure, jmap);
  }
};
