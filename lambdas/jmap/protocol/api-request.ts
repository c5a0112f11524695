import { coreLimits, unadvertisedLimits } from '../../../contract/jmap/core.ts';
import { isOfType, isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { requestProblem } from './errors.ts';

/** A method call or its response: name, arguments, and method call id (RFC 8620 §3.2). */
export type Invocation = readonly [name: string, args: JsonObject, callId: string];

/** The Request object (RFC 8620 §3.3). */
export type ApiRequest = {
  readonly using: ReadonlySet<string>;
  readonly methodCalls: readonly Invocation[];
  /** Undefined when the client sent none; the response then has none either. */
  readonly createdIds: { readonly [creationId: string]: string } | undefined;
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

const [quote, backslash, openList, closeList, openObject, closeObject] = Buffer.from('"\\[]{}') as unknown as readonly number[];

/** Whether the lists and objects of a JSON text are nested more deeply. Octets of a string count as none of them. */
const isDeeperThan = (maxDepth: number, text: Buffer): boolean => {
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const octet = text[i];
    if (octet === quote) {
      for (i += 1; i < text.length && text[i] !== quote; i += 1) if (text[i] === backslash) i += 1;
    } else if (octet === openList || octet === openObject) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (octet === closeList || octet === closeObject) depth -= 1;
  }
  return false;
};

/**
 * The JSON value of a request's body.
 * @throws RequestProblem limit when it is larger than maxSizeRequest or deeper than maxDepthRequest; notJSON for another
 * content type, invalid UTF-8 or invalid JSON.
 */
export const parseJsonBody = (contentType: string | undefined, body: Buffer): unknown => {
  if (body.length > coreLimits.maxSizeRequest) {
    throw requestProblem.limit('maxSizeRequest', `A request may have at most ${coreLimits.maxSizeRequest} octets.`);
  }
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') throw requestProblem.notJSON('The content type must be application/json.');
  const { maxDepthRequest } = unadvertisedLimits;
  if (isDeeperThan(maxDepthRequest, body)) {
    throw requestProblem.limit('maxDepthRequest', `A request may have at most ${maxDepthRequest} levels of lists and objects.`);
  }
  try {
    return JSON.parse(utf8.decode(body)) as unknown;
  } catch {
    throw requestProblem.notJSON('The body is not valid JSON in UTF-8.');
  }
};

const isInvocation = (value: unknown): value is Invocation =>
  Array.isArray(value) && value.length === 3 && typeof value[0] === 'string' && isObject(value[1]) && typeof value[2] === 'string';

/**
 * Decodes a Request object (RFC 8620 §3.3).
 * @throws RequestProblem notRequest, limit or unknownCapability.
 */
export const parseApiRequest = (json: unknown, capabilities: ReadonlySet<string>): ApiRequest => {
  if (!isObject(json)) throw requestProblem.notRequest('The request must be a JSON object.');
  const { using, methodCalls, createdIds } = json;
  if (!isOfType({ list: 'String' }, using)) throw requestProblem.notRequest('"using" must be a list of capability URIs.');
  if (!Array.isArray(methodCalls) || !methodCalls.every(isInvocation)) {
    throw requestProblem.notRequest('"methodCalls" must be a list of [name, arguments, method call id].');
  }
  if (createdIds !== undefined && !isOfType({ mapOf: 'Id' }, createdIds)) {
    throw requestProblem.notRequest('"createdIds" must map creation ids to Ids.');
  }
  const unknown = (using as string[]).find((uri) => !capabilities.has(uri));
  if (unknown !== undefined) throw requestProblem.unknownCapability(`This server does not have the capability ${JSON.stringify(unknown)}.`);
  if (methodCalls.length > coreLimits.maxCallsInRequest) {
    throw requestProblem.limit('maxCallsInRequest', `A request may have at most ${coreLimits.maxCallsInRequest} method calls.`);
  }
  return { using: new Set(using as string[]), methodCalls, createdIds: createdIds as ApiRequest['createdIds'] };
};
