import { decodeRequest, encodeResponse, InvalidMessage } from '../../contract/decode.ts';
import { maxAnswerSize, maxBodySize, type Answer, type Method, type Request, type Service } from '../../contract/rpc.ts';
import { challengeOf, type AdminGate, type Caller } from './admin-gate.ts';
import { actorOf, entityOfRequest, noAudit, openAudit, type Audit, type AuditConnections, type OpenAudit } from './audit.ts';
import { rpcErrorOf, traceOf } from './failure.ts';
import { bodyBytes, header, isPreflight, json, preflightAnswer, type HttpRequest, type HttpResponse } from '../runtime/http.ts';
import type { Log } from '../runtime/log.ts';
import type { PageScope, PageTokens } from './page-token.ts';
import { RpcError } from './rpc-error.ts';

/** What a method knows about the call besides its request. */
export type Call = {
  readonly caller: Caller;
  /** Where the page begins, for a request with a page_token: the position after which it does. */
  readonly pageAfter: string | undefined;
  /** The next_page_token for a page that begins after `position`; empty for undefined. */
  readonly nextPageToken: (position: string | undefined) => Promise<string>;
  /** The AWS account that API Gateway runs in. */
  readonly awsAccountId: string;
  /** The entry of this call in the audit log, for a method that `changes` something. */
  readonly audit: Audit;
};

/** What is known of a call before it is known who makes it. */
export type EarlyCall = Pick<Call, 'pageAfter'>;

/** Goes on with a request whose reads have begun. */
type Begun<M extends Method> = { readonly reads: Promise<unknown>; readonly goOn: (call: Call) => Promise<Answer<M>> };

/** A method's behaviour: a decoded request in, an answer out; it throws {@link RpcError} and nothing else on purpose. `begin` is of one that looks ahead. */
export type Behaviour<M extends Method> = {
  (request: Request<M>, call: Call): Promise<Answer<M>>;
  readonly begin?: (request: Request<M>, early: EarlyCall) => Begun<M>;
};

/**
 * A behaviour that begins with reads of our own tables, which are made while the gate asks who calls: in the same trip. Nobody gets to see what was found, or
 * that it was not, unless they are let in.
 * @param look reads, and nothing else.
 */
export const lookingAhead = <M extends Method, Found>(
  look: (request: Request<M>, early: EarlyCall) => Promise<Found>, act: (found: Found, request: Request<M>, call: Call) => Promise<Answer<M>>,
): Behaviour<M> => {
  const begin = (request: Request<M>, early: EarlyCall): Begun<M> => {
    const reads = look(request, early);
    return { reads, goOn: async (call) => act(await reads, request, call) };
  };
  return Object.assign((request: Request<M>, call: Call) => begin(request, call).goOn(call), { begin });
};

/** A behaviour for each method of the service: one that is missing does not compile. */
export type Behaviours<S extends Service> = { readonly [Name in keyof S['methods']]: Behaviour<S['methods'][Name]> };

/** What every service needs besides its own stores and providers. */
export type PipeConnections = { readonly gate: AdminGate; readonly pageTokens: PageTokens; readonly audit: AuditConnections; readonly log: Log };

/** @param invocation what Lambda says of the run: its id names the run's lines in the log, those of Lambda itself too. */
export type HttpHandler = (request: HttpRequest, invocation?: { readonly awsRequestId: string }) => Promise<HttpResponse>;

type Route = { readonly name: string; readonly method: Method | undefined };

/** `POST /<service>/<Method>` and nothing else (spec: Rules 2, 3). A stage's name in front of the path is API Gateway's, not ours. */
const route = (service: Service, { rawPath, requestContext }: HttpRequest): Route => {
  const stage = requestContext.stage === '$default' ? '' : `/${requestContext.stage}`;
  const path = stage && rawPath.startsWith(`${stage}/`) ? rawPath.slice(stage.length) : rawPath;
  const name = path.startsWith(`${service.path}/`) ? path.slice(service.path.length + 1) : '';
  const isOurs = requestContext.http.method === 'POST' && Object.hasOwn(service.methods, name);
  return { name, method: isOurs ? service.methods[name] : undefined };
};

const readBody = (request: HttpRequest): unknown => {
  const bytes = bodyBytes(request);
  if (bytes.length > maxBodySize) throw new RpcError('invalid_argument', `the body is larger than ${maxBodySize} octets`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new RpcError('invalid_argument', 'the body is not JSON');
  }
};

const decode = (method: Method, request: HttpRequest): Record<string, unknown> => {
  try {
    return decodeRequest(method, readBody(request));
  } catch (error) {
    throw error instanceof InvalidMessage ? new RpcError('invalid_argument', error.message) : error;
  }
};

const openPage = async (tokens: PageTokens, scope: PageScope): Promise<Pick<Call, 'pageAfter' | 'nextPageToken'>> => {
  const token = scope.arguments['page_token'];
  return {
    pageAfter: typeof token === 'string' && token !== '' ? await tokens.open(scope, token) : undefined,
    nextPageToken: async (position) => (position === undefined ? '' : tokens.seal(scope, position)),
  };
};

/** @throws RpcError invalid_argument for what a Lambda can't hand over: else the gateway would answer, in words of its own. */
const carried = (response: HttpResponse): HttpResponse => {
  if (Buffer.byteLength(JSON.stringify(response)) > maxAnswerSize) {
    throw new RpcError('invalid_argument', `the answer would be larger than ${maxAnswerSize} octets; ask for less at once, by a smaller page_size, limit or window`);
  }
  return response;
};

const correlationIdOf = (request: HttpRequest): string => request.requestContext.requestId;

/**
 * Runs a change so that it is in the audit log, whether it succeeds or fails.
 * @throws RpcError unavailable when a change that was made could not be recorded.
 */
const audited = async (audit: OpenAudit, change: (audit: Audit) => Promise<unknown>, log: Log): Promise<unknown> => {
  const unrecorded = (error: unknown) => log.error('a change is not in the audit log', traceOf(error));
  let answer: unknown;
  try {
    answer = await change(audit);
  } catch (thrown) {
    await audit.failed(rpcErrorOf(thrown)).catch(unrecorded);
    throw thrown;
  }
  await audit.succeeded().catch((error: unknown) => {
    unrecorded(error);
    throw new RpcError('unavailable', 'the change could not be recorded; look whether it was made, and try again');
  });
  return answer;
};

/** A Lambda's handler for one service: event → route → gate → decode → method → encode. */
export const serve = <S extends Service>(service: S, behaviours: Behaviours<S>, { gate, pageTokens, audit: audits, log }: PipeConnections): HttpHandler => {
  const open = async (name: string, method: Method, request: HttpRequest) => {
    const message = decode(method, request);
    const page = await openPage(pageTokens, { method: `${service.name}/${name}`, arguments: message });
    const behaviour = behaviours[name as keyof S['methods']] as Behaviour<Method>;
    const begun = behaviour.begin?.(message, page);
    return { message, page, reads: begun?.reads, goOn: begun?.goOn ?? ((call: Call) => behaviour(message, call)) };
  };

  const answer = async (request: HttpRequest): Promise<unknown> => {
    const { name, method } = route(service, request);
    let opened: Awaited<ReturnType<typeof open>> | undefined;
    const lookAhead = method && behaviours[name as keyof S['methods']].begin && (async () => {
      // What fails here is told after the gate, if at all.
      opened = await open(name, method, request).catch(() => undefined);
      await opened?.reads?.catch(() => undefined);
    });
    const caller = await gate(request, method?.needsScope ?? true, lookAhead);
    if (!method) throw new RpcError('not_found', 'there is no such method; every method is a POST to /<service>/<Method>');
    const { message, page, goOn } = opened ?? await open(name, method, request);
    const { http, accountId } = request.requestContext;
    const from = { ipAddress: http.sourceIp, userAgent: header(request, 'user-agent') };
    const answerWith = async (audit: Audit) => encodeResponse(method, await goOn({ ...page, caller, awsAccountId: accountId, audit }));
    if (!method.changes) return answerWith(noAudit);
    const action = `${service.name}/${method.otherNameOf ?? name}`;
    return audited(await openAudit(audits, action, actorOf(caller, from), entityOfRequest(message)), answerWith, log);
  };

  return async (request, invocation) => {
    if (isPreflight(request)) return preflightAnswer;
    const started = performance.now();
    const correlation = { 'x-correlation-id': correlationIdOf(request) };
    const record = { correlation_id: correlationIdOf(request), aws_request_id: invocation?.awsRequestId, path: knownPath(service, request) };
    const took = () => Math.round(performance.now() - started);
    try {
      const response = carried(json(200, await answer(request), correlation));
      log.info('answered', { ...record, status: 200, took_ms: took() });
      return response;
    } catch (thrown) {
      const error = rpcErrorOf(thrown);
      const details = { ...record, status: error.status, code: error.code, took_ms: took() };
      if (error === thrown) log.info('refused', details);
      else log.error('failed', { ...details, ...traceOf(thrown) });
      return json(error.status, error.body, { ...correlation, ...challengeOf(error, request) });
    }
  };
};

/** The path for the log: one of ours, or nothing that somebody made up. */
const knownPath = (service: Service, request: HttpRequest): string => {
  const { name, method } = route(service, request);
  return method ? `${service.path}/${name}` : `${service.path}/?`;
};
