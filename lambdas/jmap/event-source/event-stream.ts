import { closeAfter, eventSourceRetry, pushLimits, type StateChange } from '../../../contract/jmap/push.ts';
import { supportedPushTypes } from '../../../core/push/listeners/account-states.ts';
import { header, type HttpRequest } from '../../../core/runtime/http/http.ts';
import { requestProblem } from '../request/jmap-errors.ts';

export type EventSourceArguments = { readonly types: readonly string[] | null; readonly wantsPing: boolean; readonly lastEventId: string | undefined };

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
export const decodeArguments = (request: HttpRequest): EventSourceArguments => {
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
export const eventStream = (id: string, stateChange: StateChange | undefined, wantsPing: boolean): string => {
  const position = { retry: eventSourceRetry * 1000, id };
  if (stateChange) return serializeEvent({ ...position, event: 'state', data: JSON.stringify(stateChange) });
  return serializeEvent(wantsPing ? { ...position, event: 'ping', data: JSON.stringify({ interval: eventSourceRetry }) } : position);
};
