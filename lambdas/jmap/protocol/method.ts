import type { Capability } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { RequestContext } from '../request-context.ts';

/** A method as the protocol calls it. */
export type Method = {
  /** The capability a request must name in `using` for the method to exist (RFC 8620 §3.3). */
  readonly capability: Capability;
  /**
   * @param given the arguments with result references resolved, otherwise as the client sent them.
   * @returns the arguments of the response. Throws a MethodError to answer `error` instead; whatever else it throws is serverFail.
   */
  run(given: JsonObject, context: RequestContext): JsonObject | Promise<JsonObject>;
};

export type Methods = ReadonlyMap<string, Method>;
