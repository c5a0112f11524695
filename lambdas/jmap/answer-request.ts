import { coreLimits } from '../../contract/jmap/core.ts';
import { isObject } from '../../contract/jmap/data-type.ts';
import type { Log } from '../../core/runtime/log.ts';
import type { Principals } from '../../core/directory/principals.ts';
import type { MailStore } from '../../core/mail/mail-store.ts';
import type { Table } from '../../core/storage/table.ts';
import { activeCaller, type Caller, type Grant } from './caller.ts';
import { requestProblem } from './protocol/errors.ts';
import type { Methods } from './protocol/method.ts';
import { performCalls } from './protocol/perform-calls.ts';
import { parseApiRequest } from './protocol/api-request.ts';
import { serializeApiResponse } from './protocol/api-response.ts';
import { requestContext, type OpeningViews, type MethodTools } from './request-context.ts';
import { sessionResource, usableCapabilities, type SessionSettings } from './session.ts';

/** What requests are handled with. `index.ts` creates it once. */
export type JmapParts = {
  readonly principals: Principals;
  readonly mailTable: Table;
  readonly tools: MethodTools;
  readonly methods: Methods;
  readonly settings: SessionSettings;
  readonly log: Log;
};

/** @throws RequestProblem 403 for an unknown or deactivated principal. */
export const getCaller = async (jmap: JmapParts, grant: Grant): Promise<Caller> => {
  const caller = activeCaller(grant, await jmap.principals.find(grant));
  if (!caller) throw requestProblem.plain(403, 'The user or machine that this token was issued to does not exist or is deactivated.');
  return caller;
};

/** Calls the function. `get` returns its value, or throws its error. */
const captureFailure = <T>(compute: () => T): { readonly value?: T; get(): T } => {
  try {
    const value = compute();
    return { value, get: () => value };
  } catch (failure) {
    return { get: () => { throw failure; } };
  }
};

/**
 * Starts to open the accounts that the method calls name, with the log entries that their /changes calls need. This
 * saves a round trip: it runs while the directory is read. `openAccount` uses an account only if the caller is a
 * member.
 */
const startOpeningAccounts = (store: MailStore, json: unknown): OpeningViews => {
  const sinceStates = new Map<string, string[]>();
  const calls: unknown = isObject(json) ? json['methodCalls'] : undefined;
  for (const call of Array.isArray(calls) ? calls.slice(0, coreLimits.maxCallsInRequest) : []) {
    const [name, given] = Array.isArray(call) ? call as unknown[] : [];
    const accountId = isObject(given) ? given['accountId'] : undefined;
    if (typeof accountId !== 'string' || typeof name !== 'string') continue;
    const states = sinceStates.get(accountId) ?? [];
    const state = isObject(given) ? given['sinceState'] : undefined;
    if (name.endsWith('/changes') && typeof state === 'string') states.push(state);
    sinceStates.set(accountId, states);
  }
  const opening = new Map([...sinceStates].map(([accountId, states]) => [accountId, store.open(accountId, states)]));
  for (const opened of opening.values()) opened.catch(() => undefined);
  return opening;
};

/**
 * Handles an API request (RFC 8620 §3): reads the caller and the accounts in one round trip, then performs the calls in
 * order.
 * @param read returns the request's JSON. Its errors are reported only to active principals.
 * @returns the Response object as JSON text.
 * @throws RequestProblem when the request fails as a whole.
 */
export const answerRequest = async (jmap: JmapParts, grant: Grant, read: () => unknown): Promise<string> => {
  const json = captureFailure(read);
  const opening = startOpeningAccounts(jmap.tools.store, json.value);
  const caller = await getCaller(jmap, grant);
  const request = parseApiRequest(json.get(), usableCapabilities(jmap.settings, jmap.methods));
  const context = requestContext(caller, jmap.tools, opening, request.createdIds);
  const responses = await performCalls(request, jmap.methods, context, jmap.log);
  const createdIds = request.createdIds && Object.fromEntries(context.createdIds);
  return serializeApiResponse(responses, createdIds, sessionResource(caller, jmap.settings, jmap.methods).state);
};
