import { coreLimits, unadvertisedLimits } from '../../../contract/jmap/core.ts';
import { isOfType, isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { requestProblem } from './jmap-errors.ts';

/** A method call or its response: name, arguments, and method call id (RFC 8620 §3.2). */
export type Invocation = readonly [name: string, args: JsonObject, callId: string];

/** The Request object (RFC 8620 §3.3). */
export type ApiRequest = {
  readonly using: ReadonlySet<string>;
  readonly methodCalls: readonly Invocation[];
  /** Undefined when the client sent no `createdIds`; then the response has none either. */
  readonly createdIds: { readonly [creationId: string]: string } | undefined;
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

const [quote, backslash, comma, openList, closeList, openObject, closeObject] = Buffer.from('"\\,[]{}');

/** The name of an object's member in JSON text, with its escapes resolved. */
const memberName = (text: Buffer, start: number, end: number, isEscaped: boolean): string => {
  const name = text.toString('utf8', start, end);
  if (!isEscaped) return name;
  try {
    const unescaped: string = JSON.parse(`"${name}"`);
    return unescaped;
  } catch {
    return name;
  }
};

/** The member names of an open object: none, one, or several. Undefined for a list. */
type Level = { names: string | Set<string> | null } | undefined;

/** Adds a name. @returns false when the object has the name already. */
const addName = (level: NonNullable<Level>, name: string): boolean => {
  if (level.names === null) level.names = name;
  else {
    if (typeof level.names === 'string') level.names = new Set([level.names]);
    if (level.names.has(name)) return false;
    level.names.add(name);
  }
  return true;
};

/** Whether the lists and objects of a JSON text are nested too deeply, or an object has a name twice (RFC 7493 §2.3). */
const structuralProblem = (maxDepth: number, text: Buffer): 'too deep' | 'duplicate name' | undefined => {
  const levels: Level[] = [];
  let isNameNext = false;
  for (let i = 0; i < text.length; i += 1) {
    const octet = text[i];
    if (octet === quote) {
      const start = i + 1;
      let isEscaped = false;
      for (i += 1; i < text.length && text[i] !== quote; i += 1) {
        if (text[i] !== backslash) continue;
        isEscaped = true;
        i += 1;
      }
      const level = isNameNext ? levels.at(-1) : undefined;
      if (level && !addName(level, memberName(text, start, i, isEscaped))) return 'duplicate name';
      isNameNext = false;
    } else if (octet === openList || octet === openObject) {
      if (levels.length === maxDepth) return 'too deep';
      levels.push(octet === openList ? undefined : { names: null });
      isNameNext = octet === openObject;
    } else if (octet === closeList || octet === closeObject) {
      levels.pop();
      isNameNext = false;
    } else if (octet === comma) isNameNext = levels.at(-1) !== undefined;
  }
  return undefined;
};

/**
 * Parses the body of a request as JSON.
 * @throws RequestProblem limit when it is larger than maxSizeRequest or deeper than maxDepthRequest; notJSON for
 * another content type, invalid UTF-8, invalid JSON, or JSON that is not I-JSON because an object has a name twice.
 */
export const parseJsonBody = (contentType: string | undefined, body: Buffer): unknown => {
  if (body.length > coreLimits.maxSizeRequest) {
    throw requestProblem.limit('maxSizeRequest', `A request may have at most ${coreLimits.maxSizeRequest} octets.`);
  }
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') throw requestProblem.notJSON('The content type must be application/json.');
  const { maxDepthRequest } = unadvertisedLimits;
  const problem = structuralProblem(maxDepthRequest, body);
  if (problem === 'too deep') {
    throw requestProblem.limit('maxDepthRequest', `A request may have at most ${maxDepthRequest} levels of lists and objects.`);
  }
  if (problem === 'duplicate name') throw requestProblem.notJSON('The body is not I-JSON: an object has two members of the same name.');
  try {
    return JSON.parse(utf8.decode(body)) as unknown;
  } catch {
    throw requestProblem.notJSON('The body is not valid JSON in UTF-8.');
  }
};

const isInvocation = (value: unknown): value is Invocation =>
  Array.isArray(value) && value.length === 3 && typeof value[0] === 'string' && isObject(value[1]) && typeof value[2] === 'string';

/** Decodes a Request object (RFC 8620 §3.3). @throws RequestProblem notRequest, limit, unknownCapability. */
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
  const unknown = using.find((uri) => !capabilities.has(uri));
  if (unknown !== undefined) throw requestProblem.unknownCapability(`This server does not have the capability ${JSON.stringify(unknown)}.`);
  if (methodCalls.length > coreLimits.maxCallsInRequest) {
    throw requestProblem.limit('maxCallsInRequest', `A request may have at most ${coreLimits.maxCallsInRequest} method calls.`);
  }
  return { using: new Set(using), methodCalls, createdIds };
};
