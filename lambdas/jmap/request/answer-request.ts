import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { UnknownItemVersion } from '../../../core/account-log/item-version.ts';
import { CommitUnconfirmed, PartlyCommitted } from '../../../core/account-log/records/record-refused.ts';
import { isRevoked, type Principals } from '../../../core/directory/users/principals.ts';
import { isTransient } from '../../../core/runtime/aws-errors.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { StoreConflict } from '../../../core/runtime/domain-errors.ts';
import { errorLogFields } from '../../../core/runtime/error-log-fields.ts';
import type { Log } from '../../../core/runtime/log.ts';
import type { Table } from '../../../core/storage/table.ts';
import { parseApiRequest, type ApiRequest, type Invocation } from './api-request.ts';
import { ResponseText, type ResponseCarrier } from './api-response.ts';
import { activeCaller, type Caller, type Grant } from './caller.ts';
import { requestProblem, MethodError } from './jmap-errors.ts';
import type { Methods } from './method.ts';
import { startOpeningAccounts, type SeenMembers } from './opening-accounts.ts';
import { requestContext, type MethodDependencies, type RequestContext } from './request-context.ts';
import { resolveReferences } from './result-references.ts';
import { sessionResource, usableCapabilities, type SessionSettings, type SessionStates } from './session-resource.ts';

/** The `error` response to a failed call. The log, but not the response, has the cause of an unexpected error. */
const toErrorResponse = (failure: unknown, name: string, log: Log): JsonObject => {
  if (failure instanceof MethodError) return { type: failure.type, description: failure.description };
  if (failure instanceof PartlyCommitted) {
    log.error('a method made only a part of its changes', { method: name, ...errorLogFields(failure.cause) });
    return { type: 'serverPartialFail', description: 'A part of the changes was made. Read the new state, then try the others again.' };
  }
  if (failure instanceof CommitUnconfirmed) {
    log.error('a method may have made its changes', { method: name, ...errorLogFields(failure.cause) });
    return { type: 'serverPartialFail', description: 'The changes may have been made. Read the new state, then try again.' };
  }
  if (failure instanceof StoreConflict) {
    return { type: 'serverUnavailable', description: 'Other requests are changing this account. Try again.' };
  }
  log.error('a method failed', { method: name, ...errorLogFields(failure) });
  if (failure instanceof UnknownItemVersion) {
    return { type: 'serverFail', description: 'A newer release of this server wrote the account. Its operator must deploy that release again.' };
  }
  if (isTransient(failure)) return { type: 'serverUnavailable', description: 'The server is busy. Try again later.' };
  return { type: 'serverFail', description: 'The server failed to perform the call.' };
};

const performCall = async (
  [name, given]: Invocation,
  responses: readonly Invocation[],
  { using }: ApiRequest,
  methods: Methods,
  context: RequestContext,
): Promise<JsonObject> => {
  const method = methods.get(name);
  if (!method || !using.has(method.capability)) throw new MethodError('unknownMethod', 'No capability in "using" has this method.');
  return method.run(resolveReferences(given, responses, context.budget), context);
};

/**
 * Performs the calls in order. Adds one response for each call, then one for each of its implicit calls. When a call
 * fails, or its response is too large, the next calls are still performed (RFC 8620 §3.4, §3.6.2).
 */
const performCalls = async (request: ApiRequest, methods: Methods, context: RequestContext, text: ResponseText, log: Log): Promise<void> => {
  const responses: Invocation[] = [];
  /** Performs one call and adds its response. @returns the implicit calls that follow. */
  const respond = async (call: Invocation, perform: () => JsonObject | Promise<JsonObject>): Promise<readonly Invocation[]> => {
    const [name, , callId] = call;
    text.beginCall(call);
    try {
      const response: Invocation = [name, await perform(), callId];
      text.add(response);
      responses.push(response);
      return context.implicitCalls.splice(0).map((implicit) => [implicit.name, implicit.args, callId]);
    } catch (failure) {
      const response: Invocation = ['error', toErrorResponse(failure, name, log), callId];
      text.addError(response);
      responses.push(response);
      context.implicitCalls.splice(0);
      return [];
    }
  };
  for (const call of request.methodCalls) {
    const following = await respond(call, () => performCall(call, responses, request, methods, context));
    for (const implicit of following) await respond(implicit, () => methods.get(implicit[0])!.run(implicit[1], context));
  }
};

/** The dependencies of requests. `index.ts` creates them once. */
export type JmapDependencies = {
  readonly principals: Principals;
  readonly seenMembers: SeenMembers;
  readonly sessionStates: SessionStates;
  readonly mailTable: Table;
  readonly dependencies: MethodDependencies;
  readonly methods: Methods;
  readonly settings: SessionSettings;
  /** URLs of the queues on which clients of the event source wait. */
  readonly eventSourceQueueUrls: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * The caller of a request.
 * @throws RequestProblem 403 for an unknown or deactivated principal, 401 for a sign-in from before the person was last
 * deactivated.
 */
export const getCaller = async (jmap: JmapDependencies, grant: Grant): Promise<Caller> => {
  const principal = await jmap.principals.find(grant);
  const caller = activeCaller(grant, principal);
  if (!caller) throw requestProblem.plain(403, 'The user or machine that this token was issued to does not exist or is deactivated.');
  if (principal && isRevoked(grant, principal)) throw requestProblem.plain(401, 'The sign-in of this access token has ended: sign in again.');
  return caller;
};

/** Calls the function and captures a failure. `get` returns the value, or throws the error. */
const captureFailure = <T>(compute: () => T): { readonly value?: T; get(): T } => {
  try {
    const value = compute();
    return { value, get: () => value };
  } catch (failure) {
    return {
      get: () => {
        throw failure;
      },
    };
  }
};

/**
 * Handles an API request (RFC 8620 §3): reads the caller and the accounts, then performs the calls in order. It takes
 * one round trip in a Lambda that holds the accounts in memory.
 * @param read returns the request's JSON. Its errors are reported only to active principals.
 * @param carrier limits the size of the response. Default: the Lambda's response.
 * @returns the Response object as JSON text.
 * @throws RequestProblem when the request fails as a whole.
 */
export const answerRequest = async (jmap: JmapDependencies, grant: Grant, read: () => unknown, carrier?: ResponseCarrier): Promise<string> => {
  const json = captureFailure(read);
  const accounts = startOpeningAccounts(jmap.dependencies, jmap.seenMembers, grant.principalId, json.value);
  const caller = await getCaller(jmap, grant);
  const request = parseApiRequest(json.get(), usableCapabilities(jmap.settings, jmap.methods));
  const createdIds = new Map(Object.entries(request.createdIds ?? {}));
  const text = new ResponseText(request.createdIds && createdIds, carrier);
  const context = requestContext(caller, jmap.dependencies, accounts.openForMember(caller), text, createdIds, request.using);
  await performCalls(request, jmap.methods, context, text, jmap.log);
  return text.toJson(jmap.sessionStates.of(caller, () => sessionResource(caller, jmap.settings, jmap.methods).state));
};
