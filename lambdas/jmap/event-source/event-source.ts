import {
  eventSourceLoop,
  eventSourceWait,
  eventSourceWaitPath,
  closeAfter,
  eventSourceRetry,
  pushLimits,
  type StateChange,
} from '../../../contract/jmap/push.ts';
import { accessTokenParameter } from '../../../contract/jmap/web-socket.ts';
import {
  currentSequences,
  findAccountStates,
  stateChangesSince,
  toStateChange,
  supportedPushTypes,
  type AccountStates,
} from '../../../core/push/listeners/account-states.ts';
import { eventSourceName, type EventSourceListener, type EventSourceReference } from '../../../core/push/listeners/event-source-listener.ts';
import type { NotifiedUpTo } from '../../../core/push/listeners/listener-record.ts';
import { decodePushState, encodePushState } from '../../../core/push/listeners/push-state.ts';
import { secondsNow, type Clock } from '../../../core/runtime/clock.ts';
import type { AccessToken } from '../../../core/runtime/http/access-token.ts';
import { header, plainProblem, type HttpRequest, type HttpResponse } from '../../../core/runtime/http/http.ts';
import { getCaller, type JmapDependencies } from '../request/answer-request.ts';
import { requestProblem } from '../request/jmap-errors.ts';
import { knownClients, type KnownClients } from './known-clients.ts';

type EventSourceArguments = { readonly types: readonly string[] | null; readonly wantsPing: boolean; readonly lastEventId: string | undefined };

const badRequest = (detail: string) => requestProblem.plain(400, detail);

/** Decodes `types`; `*` means all types (RFC 8620 §7.3). */
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
  `${Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')}\n`;

/**
 * The response body: one `state` event when anything is new; otherwise a `ping` event if requested, or an event without
 * data, which only updates the client's last event id (HTML, "Interpreting an event stream"). A library that ignores
 * the id of such an event misses no change.
 * @param id the event id: the client's position after the response.
 */
const eventStream = (id: string, stateChange: StateChange | undefined, wantsPing: boolean): string => {
  const position = { retry: eventSourceRetry * 1000, id };
  if (stateChange) return serializeEvent({ ...position, event: 'state', data: JSON.stringify(stateChange) });
  return serializeEvent(wantsPing ? { ...position, event: 'ping', data: JSON.stringify({ interval: eventSourceRetry }) } : position);
};

/** Maximum clients whose requests are counted. The client with the oldest last request is dropped first. */
const countedClients = 1000;

/** Counts a request of a client. @returns whether the request exceeds the limit. */
type LoopingClients = (client: string) => boolean;

/**
 * Detects clients that reconnect without a pause. It counts the requests to this instance, which receives nearly all
 * requests of such a client.
 */
const loopingClients = (clock: Clock): LoopingClients => {
  const windows = new Map<string, { readonly since: number; requests: number }>();
  return (client) => {
    const now = clock().getTime();
    const known = windows.get(client);
    const window = known && now - known.since < eventSourceLoop.seconds * 1000 ? known : { since: now, requests: 0 };
    window.requests += 1;
    windows.delete(client);
    windows.set(client, window);
    if (windows.size > countedClients) windows.delete(windows.keys().next().value!);
    return window.requests > eventSourceLoop.requests;
  };
};

/** Seconds for which a client is remembered, and the remaining seconds below which the expiry is renewed. */
const memory = { lifetime: 900, renewedBelow: 600 } as const;

const streamResponse = (accounts: readonly AccountStates[], notifiedUpTo: NotifiedUpTo, args: EventSourceArguments): HttpResponse => {
  const changes = stateChangesSince(accounts, notifiedUpTo, args.types);
  return {
    statusCode: 200,
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
    body: eventStream(encodePushState(currentSequences(accounts)), changes.length > 0 ? toStateChange(changes) : undefined, args.wantsPing),
  };
};

/**
 * The redirect to a queue. Status 307 keeps the method. The client's requests for the stream and for waiting have the
 * same origin.
 */
const waitResponse = (jmapUrl: string, queue: number): HttpResponse => ({
  statusCode: 307,
  headers: { location: `${jmapUrl}${eventSourceWaitPath(queue)}`, 'cache-control': 'no-store' },
});

/** The number of a client's queue. A hash of its name spreads clients over the queues. */
const queueFor = ({ name }: EventSourceReference, queues: number): number => Buffer.from(name).reduce((sum, octet) => sum + octet, 0) % queues;

/** Redirects a client to its queue. The client waits there, and repeats its request when the wait ends. */
const sendToWait = async (jmap: JmapDependencies, clients: KnownClients, known: EventSourceListener): Promise<HttpResponse> => {
  const now = secondsNow(jmap.clock);
  const queue = queueFor(known, jmap.eventSourceQueueUrls.length);
  const queueUrl = jmap.eventSourceQueueUrls[queue]!;
  // A deployment may have replaced the queue on which the client waited.
  const isStored = known.queueUrl === queueUrl && known.expiresAt - now > memory.renewedBelow;
  await clients.putWaiting(isStored ? known : { ...known, queueUrl, expiresAt: now + memory.lifetime }, isStored);
  return waitResponse(jmap.settings.jmapUrl, queue);
};

/**
 * Responds to a client that does not send its position, by means of a stored record of the client. The response has new
 * states, also after the client has lost its connection. It repeats states once or twice, since another client may have
 * the same record. A client that reconnects before `retry` will always do so: from then on it waits on a queue while
 * nothing is new.
 */
const answerByRecord = async (
  jmap: JmapDependencies,
  clients: KnownClients,
  accounts: readonly AccountStates[],
  args: EventSourceArguments,
  given: { readonly reference: EventSourceReference; readonly known: EventSourceListener | undefined },
): Promise<HttpResponse> => {
  const now = secondsNow(jmap.clock);
  const known = given.known && given.known.expiresAt > now ? given.known : undefined;
  const notifiedUpTo = known?.notifiedUpTo ?? new Map<string, number>();
  const isNews = stateChangesSince(accounts, notifiedUpTo, args.types).length > 0;
  const isEarly = known !== undefined && (known.queueUrl !== undefined || now - known.answeredAt < eventSourceWait.earlierThan);
  if (!isNews && isEarly && jmap.eventSourceQueueUrls.length > 0) {
    const earlier = clients.takeNewsAgain(known);
    return earlier ? streamResponse(accounts, earlier, args) : sendToWait(jmap, clients, known);
  }
  await clients.putNotified({
    ...given.reference,
    types: args.types,
    notifiedUpTo: currentSequences(accounts),
    answeredAt: now,
    expiresAt: now + memory.lifetime,
    ...(known?.queueUrl !== undefined && { queueUrl: known.queueUrl }),
    ...(known && isNews && { notifiedBefore: clients.notifiedForCertain(known) }),
  });
  return streamResponse(accounts, notifiedUpTo, args);
};

const isSameSet = (some: readonly string[], others: readonly string[]): boolean => some.length === others.length && some.every((one) => others.includes(one));

const tooManyRequests = (): HttpResponse => {
  const { requests, seconds, retryAfter } = eventSourceLoop;
  const response = plainProblem(429, `A client may ask for events ${requests} times in ${seconds} seconds; wait as "retry" says.`);
  return { ...response, headers: { ...response.headers, 'retry-after': String(retryAfter) } };
};

/**
 * Handles GET /eventsource (RFC 8620 §7.3). A response has the new states and ends; the client reconnects after
 * `retry`. A client that sends its last event id, or its token in the query as browsers must, follows the standard, so
 * nothing is stored about it. {@link answerByRecord} responds to any other client. The accounts of its last request are
 * read concurrently with the directory, so that a waiting client takes one round trip. They are used only if the client
 * still has these accounts.
 */
export const eventSourceHandler = (jmap: JmapDependencies) => {
  const clients = knownClients(jmap);
  const isLooping = loopingClients(jmap.clock);
  return async (token: AccessToken, request: HttpRequest): Promise<HttpResponse> => {
    const { types = '', [accessTokenParameter]: queryToken } = request.queryStringParameters ?? {};
    const authorization = header(request, 'authorization') ?? '';
    const name = eventSourceName(authorization, header(request, 'user-agent') ?? '', types);
    const reference = { principalId: token.principalId, name };
    const isBrowser = queryToken !== undefined && authorization === `Bearer ${queryToken}`;
    const isRemembered = !isBrowser && header(request, 'last-event-id') === undefined;
    if (!isBrowser && isLooping(name)) return tooManyRequests();
    const expectedIds = isRemembered ? (clients.accountIds(reference) ?? []) : [];
    const [{ memberships }, known, expected] = await Promise.all([
      getCaller(jmap, token),
      isRemembered ? clients.find(reference) : undefined,
      findAccountStates(jmap.mailTable, expectedIds),
    ]);
    const args = decodeArguments(request);
    const accountIds = memberships.map(({ accountId }) => accountId);
    const accounts = isSameSet(accountIds, expectedIds) ? expected : await findAccountStates(jmap.mailTable, accountIds);
    return isRemembered
      ? answerByRecord(jmap, clients, accounts, args, { reference, known })
      : streamResponse(accounts, decodePushState(args.lastEventId, accountIds) ?? new Map(), args);
  };
};
