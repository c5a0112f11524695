import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import type { Invocation } from './api-request.ts';
import { MethodError } from './errors.ts';

const { maxSizeResponse } = unadvertisedLimits;

/** Octets for the session state and for the errors of all calls. */
const reserve = 20_000;

/** The most octets that a character of the text has as JSON in the Lambda's response. */
const maxOctetsPerCharacter = 6;

/** Characters whose octets are not counted yet, up to which the remaining size is taken from their number. */
const maxUncounted = 300_000;

/** Octets of the text as a JSON string in the Lambda's response. */
const escapedSize = (text: string): number => Buffer.byteLength(JSON.stringify(text));

/** A response as JSON text; undefined when it is nested too deeply for JSON.stringify. */
const serialize = (response: Invocation): string | undefined => {
  try {
    return JSON.stringify(response);
  } catch (failure) {
    if (failure instanceof RangeError) return undefined;
    throw failure;
  }
};

export const responseTooLarge = () => new MethodError(
  'requestTooLarge', 'The response is larger, or nested more deeply, than this server can send. Request fewer records or properties.',
);

/** The remaining size of the Response object, in octets of JSON. */
export type ResponseRoom = { readonly octets: number };

/** Octets of an Id in a list: 255 characters, a comma and two escaped quotation marks. */
const maxOctetsOfId = 260;
/** Octets of the other arguments of a response with a list of ids. */
const octetsBesideIds = 2000;

/** Ids of any length that still fit; at least 1, so that a response either makes progress or fails. */
export const idsThatFit = ({ octets }: ResponseRoom): number => Math.max(1, Math.floor((octets - octetsBesideIds) / maxOctetsOfId));

/** The Response object of a request (RFC 8620 §3.4) as JSON text. It must fit into the Lambda's response. */
export class ResponseText implements ResponseRoom {
  readonly #texts: string[] = [];
  /** The first texts, whose octets were counted. */
  #counted = { texts: 0, octets: reserve };
  /** Characters of the other texts. They are counted exactly once they could exceed the limit. */
  #characters = 0;
  readonly #createdIds: ReadonlyMap<string, string> | undefined;

  /** @param createdIds the map that the calls add to; undefined when the client sent no `createdIds`. */
  constructor(createdIds: ReadonlyMap<string, string> | undefined) {
    this.#createdIds = createdIds;
  }

  get octets(): number {
    if (this.#characters > maxUncounted) this.#count();
    return Math.max(0, maxSizeResponse - this.#counted.octets - this.#characters);
  }

  /**
   * Adds a response.
   * @throws MethodError requestTooLarge when it does not fit; the response is not added then.
   */
  add(response: Invocation): void {
    const text = serialize(response);
    if (text === undefined) throw responseTooLarge();
    this.#push(text);
    if (this.#fits()) return;
    this.#texts.pop();
    this.#counted = { texts: this.#texts.length, octets: this.#counted.octets - escapedSize(text) };
    throw responseTooLarge();
  }

  /** Adds the response of a failed call. It always fits: its size is bounded by the request's. */
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
    const createdIds = this.#createdIds ? escapedSize(this.#createdIdsJson()) : 0;
    if (this.#counted.octets + createdIds + this.#characters * maxOctetsPerCharacter <= maxSizeResponse) return true;
    this.#count();
    return this.#counted.octets + createdIds <= maxSizeResponse;
  }

  #count(): void {
    const added = this.#texts.slice(this.#counted.texts).reduce((sum, text) => sum + escapedSize(text), 0);
    this.#counted = { texts: this.#texts.length, octets: this.#counted.octets + added };
    this.#characters = 0;
  }
}
