import { closeAfter, eventSourceRetry, pushLimits } from '../../contract/jmap/push.ts';
import type { AccessToken } from '../../core/runtime/access-token.ts';
import { header, type HttpRequest, type HttpResponse } from '../../core/runtime/http.ts';
import {
  currentSequences, findAccountStates, stateChangesSince, supportedPushTypes, toStateChange, type AccountStates,
} from '../../core/push/account-states.ts';
import { decodePushState, encodePushState } from '../../core/push/push-state.ts';
import { getCaller, type JmapParts } from './answer-request.ts';
import { requestProblem } from './protocol/errors.ts';

type EventSourceArguments = {
  readonly types: readonly string[] | null;
  readonly wantsPing: boolean;
  readonly lastEventId: string | undefined;
};

const badRequest = (detail: string) => requestProblem.plain(400, detail);

/** `*` means all types (RFC 8620 §7.3). */
const decodeTypes = (parameter: string | undefined): readonly string[] | null => {
  if (parameter === '*') return null;
  const names = (parameter ?? '').split(',');
  if (names.includes('')) throw badRequest('"types" must be * or type names separated by commas.');
  if (names.length > pushLimits.maxTypes) throw badRequest(`"types" has ${pushLimits.maxTypes} names at most.`);
  return supportedPushTypes(names);
};

/** @throws RequestProblem 400. */
const decodeArguments = (request: HttpRequest): EventSourceArguments => {
  const { types, closeafter = 'no', ping = '0' } = request.queryStringParameters ?? {};
  if (!closeAfter.some((value) => value === closeafter)) throw badRequest(`"closeafter" must be ${closeAfter.join(' or ')}.`);
  if (!/^\d{1,9}$/.test(ping)) throw badRequest('"ping" must be a number of seconds.');
  return { types: decodeTypes(types), wantsPing: Number(ping) > 0, lastEventId: header(request, 'last-event-id') || undefined };
};

const serializeEvent = (fields: { readonly [name: string]: string | number }): string =>
  `${Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`).join('')}\n`;

/**
 * The response body: one `state` event when anything is new since the client's last event; otherwise a `ping` event if
 * requested, or an event without data. A client without a readable event id is sent all states and compares: it may
 * have lost its id, or have started again with a new token. An event without data only updates the client's last event
 * id (HTML, "Interpreting an event stream"). Libraries that ignore such an id lose nothing.
 */
const eventStream = (accounts: readonly AccountStates[], { types, wantsPing, lastEventId }: EventSourceArguments): string => {
  const position = { retry: eventSourceRetry * 1000, id: encodePushState(currentSequences(accounts)) };
  const notifiedUpTo = decodePushState(lastEventId, accounts.map(({ accountId }) => accountId)) ?? new Map<string, number>();
  const changes = stateChangesSince(accounts, notifiedUpTo, types);
  if (changes.length > 0) return serializeEvent({ ...position, event: 'state', data: JSON.stringify(toStateChange(changes)) });
  return serializeEvent(wantsPing ? { ...position, event: 'ping', data: JSON.stringify({ interval: eventSourceRetry }) } : position);
};

/**
 * GET /eventsource (RFC 8620 §7.3). The response has what is new and ends; the client reconnects after `retry`. Nothing
 * is stored.
 */
export const eventSource = async (jmap: JmapParts, token: AccessToken, request: HttpRequest): Promise<HttpResponse> => {
  const { memberships } = await getCaller(jmap, token);
  const args = decodeArguments(request);
  const accounts = await findAccountStates(jmap.mailTable, memberships.map(({ accountId }) => accountId));
  return {
    statusCode: 200,
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
    body: eventStream(accounts, args),
  };
};
