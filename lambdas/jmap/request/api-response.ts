import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { Invocation } from './api-request.ts';
import { MethodError } from './jmap-errors.ts';

/** Octets that are reserved for the session state and for the errors of all calls. */
const reserve = 20_000;

/** Maximum fraction of the carrier that uncounted characters may take while the remaining size is only estimated. */
const maxUncountedShare = 0.05;

/** The carrier of a Response object, with its capacity. */
export type ResponseCarrier = {
  readonly maxOctets: number;
  /** Octets of a text of the Response object in the carrier. */
  readonly size: (text: string) => number;
  /** Maximum octets of a character. */
  readonly maxOctetsPerCharacter: number;
};

/** The response of a Lambda, in which the text is a JSON string. */
const lambdaResponse: ResponseCarrier = {
  maxOctets: unadvertisedLimits.maxSizeResponse,
  size: (text) => Buffer.byteLength(JSON.stringify(text)),
  maxOctetsPerCharacter: 6,
};

/** A WebSocket message. @param otherOctets octets of the message outside the Response object. */
export const webSocketMessage = (otherOctets: number): ResponseCarrier => ({
  maxOctets: unadvertisedLimits.maxSizeWebSocketMessage - otherOctets,
  size: (text) => Buffer.byteLength(text),
  maxOctetsPerCharacter: 3,
});

/** A response as JSON text; undefined when it is nested too deeply for JSON.stringify. */
const serialize = (response: Invocation): string | undefined => {
  try {
    return JSON.stringify(response);
  } catch (failure) {
    if (failure instanceof RangeError) return undefined;
    throw failure;
  }
};

export const responseTooLarge = () =>
  new MethodError('requestTooLarge', 'The response is larger, or nested more deeply, than this server can send. Request fewer records or properties.');

/** The remaining size of the Response object. */
export type ResponseRoom = {
  /** The remaining octets of JSON. */
  readonly octets: number;
  /**
   * Whether the response to the current call fits. A method that makes changes calls this first, because it must not
   * fail after the changes (RFC 8620 §3.6.2).
   * @param args the arguments of the response without the account's id and states.
   * @param newRecords created records of which `args` has only the creation ids.
   */
  fits(args: JsonObject, newRecords?: number): boolean;
};

/** Octets of an Id's escaped quotation marks and a comma. */
const octetsAroundId = 5;
/** Maximum octets of an Id in a list. An Id has at most 255 characters. */
const maxOctetsOfId = 255 + octetsAroundId;
/** Maximum octets of the properties that the server sets in a new record: ids and sizes. */
const maxOctetsOfNewRecord = 300;
/** Octets of a response besides its ids, such as the account's id and states. */
const octetsBesideIds = 2000;

/**
 * The longest prefix of the ids that still fits. It has at least one id, so that a response either makes progress or
 * fails.
 */
export const fittingIds = (ids: readonly string[], { octets }: ResponseRoom): readonly string[] => {
  let remaining = octets - octetsBesideIds;
  const end = ids.findIndex((id) => (remaining -= id.length + octetsAroundId) < 0);
  return end < 0 ? ids : ids.slice(0, Math.max(1, end));
};

/** The number of ids, of any length, that still fit; at least 1. */
export const idsThatFit = ({ octets }: ResponseRoom): number => Math.max(1, Math.floor((octets - octetsBesideIds) / maxOctetsOfId));

/** The Response object of a request (RFC 8620 §3.4) as JSON text. It must fit into its carrier. */
export class ResponseText implements ResponseRoom {
  readonly #texts: string[] = [];
  /** The number of texts whose octets were counted, from the first text, and their octets. */
  #counted = { texts: 0, octets: reserve };
  /** Characters of the uncounted texts. Their octets are counted only when the texts could exceed the limit. */
  #characters = 0;
  readonly #createdIds: ReadonlyMap<string, string> | undefined;
  readonly #carrier: ResponseCarrier;
  #callOctets = 0;

  /** @param createdIds the map to which the calls add ids; undefined when the client sent no `createdIds`. */
  constructor(createdIds: ReadonlyMap<string, string> | undefined, carrier = lambdaResponse) {
    this.#createdIds = createdIds;
    this.#carrier = carrier;
  }

  /** Begins a call. The response will contain its name and id. */
  beginCall([name, , callId]: Invocation): void {
    this.#callOctets = this.#carrier.size(JSON.stringify([name, callId]));
  }

  fits(args: JsonObject, newRecords = 0): boolean {
    const text = serialize(['', args, '']);
    if (text === undefined) return false;
    this.#count();
    // The ids of new records are in the response and in `createdIds`.
    const copies = this.#createdIds ? 2 : 1;
    const createdIds = this.#createdIds ? this.#carrier.size(this.#createdIdsJson()) : 0;
    const octets = this.#carrier.size(text) * copies + newRecords * maxOctetsOfNewRecord + this.#callOctets + octetsBesideIds;
    return this.#counted.octets + createdIds + octets <= this.#carrier.maxOctets;
  }

  get octets(): number {
    if (this.#characters > this.#carrier.maxOctets * maxUncountedShare) this.#count();
    return Math.max(0, this.#carrier.maxOctets - this.#counted.octets - this.#characters);
  }

  /** Adds a response. @throws MethodError requestTooLarge when it does not fit. */
  add(response: Invocation): void {
    const text = serialize(response);
    if (text === undefined) throw responseTooLarge();
    this.#push(text);
    if (this.#fits()) return;
    this.#texts.pop();
    this.#counted = { texts: this.#texts.length, octets: this.#counted.octets - this.#carrier.size(text) };
    throw responseTooLarge();
  }

  /** Adds the response of a failed call. It always fits, because the size of the request bounds it. */
  addError(response: Invocation): void {
    this.#push(JSON.stringify(response));
  }

  toJson(sessionState: string): string {
    const createdIds = this.#createdIds ? `"createdIds":${this.#createdIdsJson()},` : '';
    return `{"methodResponses":[${this.#texts.join(',')}],${createdIds}"sessionState":${JSON.stringify(sessionState)}}`;
  }

  #push(text: string): void {
    this.#texts.push(text);
    this.#characters += text.length;
  }

  #createdIdsJson(): string {
    return JSON.stringify(Object.fromEntries(this.#createdIds!));
  }

  #fits(): boolean {
    const createdIds = this.#createdIds ? this.#carrier.size(this.#createdIdsJson()) : 0;
    if (this.#counted.octets + createdIds + this.#characters * this.#carrier.maxOctetsPerCharacter <= this.#carrier.maxOctets) return true;
    this.#count();
    return this.#counted.octets + createdIds <= this.#carrier.maxOctets;
  }

  #count(): void {
    const added = this.#texts.slice(this.#counted.texts).reduce((sum, text) => sum + this.#carrier.size(text), 0);
    this.#counted = { texts: this.#texts.length, octets: this.#counted.octets + added };
    this.#characters = 0;
  }
}
