import { isRevoked, type Principals } from '../../../core/directory/users/principals.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Log } from '../../../core/runtime/log.ts';
import type { Table } from '../../../core/storage/table.ts';
import { parseApiRequest } from './api-request.ts';
import { ResponseText, type ResponseCarrier } from './api-response.ts';
import { activeCaller, type Caller, type Grant } from './caller.ts';
import { requestProblem } from './jmap-errors.ts';
import type { Methods } from './method.ts';
import { startOpeningAccounts, type SeenMembers } from './opening-accounts.ts';
import { performCalls } from './perform-calls.ts';
import { requestContext, type MethodDependencies } from './request-context.ts';
import { sessionResource, usableCapabilities, type SessionSettings, type SessionStates } from './session-resource.ts';

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
