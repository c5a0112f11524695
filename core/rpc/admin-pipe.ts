import { missingRole, type AdminRole } from '../../contract/rpc/admin-roles.ts';
import { decodeRequest, encodeResponse, InvalidMessage } from '../../contract/rpc/decode.ts';
import { maxAnswerSize, maxBodySize, type Answer, type Method, type Service } from '../../contract/rpc/rpc.ts';
import type { AdminProtection } from '../directory/users/admin-protection.ts';
import { errorLogFields } from '../runtime/error-log-fields.ts';
import { compressed } from '../runtime/http/compression.ts';
import { bodyBytes, header, isPreflight, json, preflightAnswer, type HttpRequest, type HttpResponse } from '../runtime/http/http.ts';
import type { Log } from '../runtime/log.ts';
import { challengeOf, type AdminGate, type Caller } from './admin-gate.ts';
import type { AdminMethod, AdminMethods, Call } from './admin-method.ts';
import { actorOf, entityOfRequest, noAudit, openAudit, type Audit, type AuditDependencies, type OpenAudit } from './audit.ts';
import type { PageScope, PageTokens } from './page-token.ts';
import { isForCaller, RpcError, toRpcError } from './rpc-error.ts';

/** The dependencies that every service has in addition to its own stores and providers. */
export type PipeDependencies = {
  readonly gate: AdminGate;
  readonly pageTokens: PageTokens;
  readonly audit: AuditDependencies;
  readonly protection: AdminProtection;
  readonly log: Log;
};

/** Handles a request. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse>;

type Route = { readonly name: string; readonly method: AdminMethod<Method> };

/**
 * Finds the method of `POST /<service>/<Method>` (docs/specification.md#urls-and-routes); undefined for any other
 * request. API Gateway prefixes the path with the name of a stage.
 */
const findRoute = <S extends Service>(service: S, methods: AdminMethods<S>, { rawPath, requestContext }: HttpRequest): Route | undefined => {
  const stage = requestContext.stage === '$default' ? '' : `/${requestContext.stage}`;
  const path = stage && rawPath.startsWith(`${stage}/`) ? rawPath.slice(stage.length) : rawPath;
  const name = path.startsWith(`${service.path}/`) ? path.slice(service.path.length + 1) : '';
  if (requestContext.http.method !== 'POST' || !Object.hasOwn(methods, name)) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each method decodes its own requests
  return { name, method: methods[name as keyof S['methods']] as unknown as AdminMethod<Method> };
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

const decodeBody = (contract: Method, request: HttpRequest): Record<string, unknown> => {
  try {
    return decodeRequest(contract, readBody(request));
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

/**
 * Checks the size of a response.
 * @throws RpcError invalid_argument for a response over Lambda's size limit, instead of API Gateway's own error.
 */
const withinSizeLimit = (response: HttpResponse): HttpResponse => {
  if (Buffer.byteLength(JSON.stringify(response)) > maxAnswerSize) {
    throw new RpcError(
      'invalid_argument',
      `the response would be larger than ${maxAnswerSize} octets; ask for less, with a smaller page_size, limit or window`,
    );
  }
  return response;
};

const correlationIdOf = (request: HttpRequest): string => request.requestContext.requestId;

/** Runs an audited change. @throws RpcError unavailable when the change was made but its audit entry was not stored. */
const audited = async (audit: OpenAudit, change: (audit: Audit) => Promise<unknown>, log: Log): Promise<unknown> => {
  const unrecorded = (error: unknown) => log.error('audit entry not stored', errorLogFields(error));
  let answer: unknown;
  try {
    answer = await change(audit);
  } catch (thrown) {
    await audit.recordFailure(toRpcError(thrown)).catch(unrecorded);
    throw thrown;
  }
  await audit.recordSuccess().catch((error: unknown) => {
    unrecorded(error);
    throw new RpcError('unavailable', 'the change could not be recorded; check whether it was made, and try again');
  });
  return answer;
};

/**
 * Requires that a call by a caller without the role ALL concerns no admin in the directory now.
 * @returns the people whom it concerns, and the refusal for a transaction in which one of them has become an admin.
 * @throws RpcError permission_denied.
 */
const refuseAboutAdmins = async (protection: AdminProtection, role: AdminRole, request: Record<string, unknown>, what: string) => {
  const refusal = new RpcError('permission_denied', missingRole(role, what));
  const { userIds, includeAdmin } = await protection.peopleOf(request);
  if (includeAdmin) throw refusal;
  return { userIds, refusal };
};

/**
 * Requires that a change by a caller without the role ALL concerns no admin: neither in the directory now, nor in the
 * transaction that makes the change, which has the writes of the audit entry.
 * @throws RpcError permission_denied.
 */
const protectingAdmins = async (protection: AdminProtection, { role }: Caller, request: Record<string, unknown>, audit: OpenAudit): Promise<Audit> => {
  if (role === 'ALL') return audit;
  const { userIds, refusal } = await refuseAboutAdmins(protection, role, request, 'a change of an admin, or of an account that an admin owns,');
  audit.addWrites(protection.stillNoAdmins(userIds, refusal));
  return audit;
};

/** A decoded request, and the promise of the data that its method prefetches. */
type Decoded = {
  readonly message: Record<string, unknown>;
  readonly page: Pick<Call, 'pageAfter' | 'nextPageToken'>;
  readonly prefetched: Promise<unknown> | undefined;
};

/** Waits until a request is decoded and its prefetch has ended, or either has failed. */
const settled = async (decoding: Promise<Decoded> | undefined): Promise<void> => {
  await decoding?.then(({ prefetched }) => prefetched).catch(() => undefined);
};

/**
 * A Lambda's handler for one service. A call passes these stages: authenticate → authorize → decode → run → encode.
 * @throws Error for a method that is registered under another name than that of its contract.
 */
export const serve = <S extends Service>(
  service: S,
  methods: AdminMethods<S>,
  { gate, pageTokens, audit: audits, protection, log }: PipeDependencies,
): HttpHandler => {
  for (const [name, { contract }] of Object.entries<AdminMethod<Method>>(methods)) {
    if (contract !== service.methods[name]) throw new Error(`${service.name}/${name} has the implementation of another method`);
  }

  const decode = async ({ name, method }: Route, request: HttpRequest): Promise<Decoded> => {
    const message = decodeBody(method.contract, request);
    const page = await openPage(pageTokens, { method: `${service.name}/${name}`, arguments: message });
    return { message, page, prefetched: method.prefetch?.(message, page) };
  };

  const run = async ({ method }: Route, { message, prefetched }: Decoded, call: Call): Promise<Answer<Method>> => method.run(message, call, await prefetched);

  const encode = ({ method }: Route, answer: Answer<Method>): unknown => encodeResponse(method.contract, answer);

  /** Runs the method and encodes its response. A change is audited even when its response can't be encoded. */
  const runAndEncode = async (route: Route, decoded: Decoded, caller: Caller, request: HttpRequest): Promise<unknown> => {
    const {
      name,
      method: { contract },
    } = route;
    const { http, accountId } = request.requestContext;
    const perform = async (audit: Audit) => encode(route, await run(route, decoded, { ...decoded.page, caller, awsAccountId: accountId, audit }));
    if (!contract.changes) {
      if (contract.showsMail && caller.role !== 'ALL')
        await refuseAboutAdmins(protection, caller.role, decoded.message, 'mail of an account that an admin owns');
      return perform(noAudit);
    }
    const actor = actorOf(caller, { ipAddress: http.sourceIp, userAgent: header(request, 'user-agent') });
    const entity = entityOfRequest(decoded.message);
    const audit = await openAudit(audits, `${service.name}/${contract.aliasOf ?? name}`, actor, entity);
    return audited(audit, async () => perform(await protectingAdmins(protection, caller, decoded.message, audit)), log);
  };

  const handleCall = async (request: HttpRequest): Promise<unknown> => {
    const route = findRoute(service, methods, request);
    const token = await gate.authenticate(request, route?.method.contract.needsScope ?? true);
    // A request whose method prefetches is decoded while the caller is looked up in the directory. Errors of decoding
    // are thrown only after authorization.
    const decodedEarly = route?.method.prefetch && decode(route, request);
    const [caller] = await Promise.all([gate.authorize(token, route?.method.contract.roles), settled(decodedEarly)]);
    if (!route) throw new RpcError('not_found', 'there is no such method; every method is a POST to /<service>/<Method>');
    const decoded = await (decodedEarly ?? decode(route, request));
    return runAndEncode(route, decoded, caller, request);
  };

  return async (request) => {
    if (isPreflight(request)) return preflightAnswer;
    const started = performance.now();
    const correlation = { 'x-correlation-id': correlationIdOf(request) };
    const route = findRoute(service, methods, request);
    // The log has only paths of methods, because any other path is text of the client.
    const record = { correlation_id: correlationIdOf(request), path: `${service.path}/${route?.name ?? '?'}` };
    const took = () => Math.round(performance.now() - started);
    try {
      const response = withinSizeLimit(json(200, await handleCall(request), correlation));
      log.info('admin call answered', { ...record, status: 200, took_ms: took() });
      return compressed(request, response);
    } catch (thrown) {
      const error = toRpcError(thrown);
      const details = { ...record, status: error.status, code: error.code, took_ms: took() };
      if (isForCaller(thrown)) log.info('admin call refused', details);
      else log.error('admin call failed', { ...details, ...errorLogFields(thrown) });
      return json(error.status, error.body, { ...correlation, ...challengeOf(error, request) });
    }
  };
};
