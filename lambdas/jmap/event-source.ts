import { closeAfter, eventSourceRetry, pushLimits } from '../../contract/jmap/push.ts';
import type { AccessToken } from '../../core/runtime/access-token.ts';
import { header, type HttpRequest, type HttpResponse } from '../../core/runtime/http.ts';
import { accountStates, newsSince, standing, type AccountStates } from '../../core/push/account-states.ts';
import { pushStateOf } from '../../core/push/push-state.ts';
import { findCaller, type Jmap } from './answer.ts';
import { refusal } from './protocol/errors.ts';
import { knownBy, stateChange, typesThere } from './push/news.ts';

type Asked = { readonly types: readonly string[] | null; readonly wantsPing: boolean; readonly lastEventId: string | undefined };

const bad = (detail: string) => refusal.plain(400, detail);

/** `*` is all (RFC 8620 §7.3). */
const typesOf = (given: string | undefined): readonly string[] | null => {
  if (given === '*') return null;
  const names = (given ?? '').split(',');
  if (names.includes('')) throw bad('"types" must be * or type names parted by commas.');
  if (names.length > pushLimits.maxTypes) throw bad(`"types" has ${pushLimits.maxTypes} names at most.`);
  return typesThere(names);
};

/** What the request asks for. @throws RequestProblem 400. */
const askedIn = (request: HttpRequest): Asked => {
  const { types, closeafter = 'no', ping = '0' } = request.queryStringParameters ?? {};
  if (!closeAfter.some((value) => value === closeafter)) throw bad(`"closeafter" must be ${closeAfter.join(' or ')}.`);
  if (!/^\d{1,9}$/.test(ping)) throw bad('"ping" must be a number of seconds.');
  return { types: typesOf(types), wantsPing: Number(ping) > 0, lastEventId: header(request, 'last-event-id') || undefined };
};

const event = (fields: { readonly [name: string]: string | number }): string =>
  `${Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`).join('')}\n`;

/**
 * What is sent: what is new since the last event, else a ping when one was asked for. Who comes without an id that can be read is told where
 * everything stands: it may have read long ago, or have begun anew with a fresh token, and compares. An event without data is dispatched to
 * nobody, and takes a client on (HTML, "Interpreting an event stream"); many libraries forget its id, and lose nothing by it.
 */
const streamOf = (accounts: readonly AccountStates[], { types, wantsPing, lastEventId }: Asked): string => {
  const position = { retry: eventSourceRetry * 1000, id: pushStateOf(standing(accounts)) };
  const told = knownBy(lastEventId, accounts.map(({ accountId }) => accountId));
  const news = newsSince(accounts, told, types);
  if (news.length > 0) return event({ ...position, event: 'state', data: JSON.stringify(stateChange(news)) });
  return event(wantsPing ? { ...position, event: 'ping', data: JSON.stringify({ interval: eventSourceRetry }) } : position);
};

/** GET /eventsource (RFC 8620 §7.3): says at once what is new and ends; the client's own reconnecting asks again. Nothing is written. */
export const eventSource = async (jmap: Jmap, token: AccessToken, request: HttpRequest): Promise<HttpResponse> => {
  const { memberships } = await findCaller(jmap, token);
  const asked = askedIn(request);
  const accounts = await accountStates(jmap.mailTable, memberships.map(({ accountId }) => accountId));
  return {
    statusCode: 200,
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
    body: streamOf(accounts, asked),
  };
};
