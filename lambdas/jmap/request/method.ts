import type { Capability } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { Arguments, CustomMethod } from '../../../contract/jmap/record.ts';
import type { Permission } from '../../../contract/oauth/oauth.ts';
import type { OpenAccount, RequestContext } from './request-context.ts';
import { decodeArguments } from './decode-arguments.ts';
import { MethodError } from './jmap-errors.ts';

/** A JMAP method. */
export type Method = {
  /** The capability of the method. The method exists only in requests that name it in `using` (RFC 8620 §3.3). */
  readonly capability: Capability;
  /**
   * @param given the client's arguments, with resolved result references.
   * @returns the arguments of the response.
   * @throws MethodError for an `error` response. Any other error becomes serverFail or serverUnavailable.
   */
  run(given: JsonObject, context: RequestContext): JsonObject | Promise<JsonObject>;
};

/** Methods by name. */
export type Methods = ReadonlyMap<string, Method>;

export type NamedMethod = readonly [name: string, method: Method];

/** Performs a call with decoded arguments. `account` is undefined for a method without the argument `accountId`. */
export type MethodHandler<Args> = (args: Args, account: OpenAccount, context: RequestContext) => JsonObject | Promise<JsonObject>;

type MethodContract = {
  readonly capability: Capability;
  readonly permission?: Permission;
  readonly arguments: Arguments | 'any';
  /** Whether a member without write access may make this call of a method that changes data. Default: no. */
  readonly mayReaderCall?: (args: JsonObject) => boolean;
};

/**
 * Makes a method that checks the permission, the arguments, the account and write access, and then calls the handler.
 */
export const runnableMethod = (
  { capability, permission, arguments: described, mayReaderCall }: MethodContract,
  handle: MethodHandler<never>,
): Method => ({
  capability,
  async run(given, context) {
    if (permission) context.requirePermission(permission);
    if (described === 'any') return handle(given as never, undefined as never, context);
    const args = decodeArguments(described, given);
    if (!('accountId' in described)) return handle(args as never, undefined as never, context);
    const account = await context.openAccount(args['accountId'] as string);
    if (permission !== 'MAIL_READ' && !account.mayWrite && !mayReaderCall?.(args)) {
      throw new MethodError('accountReadOnly', 'You have read access only to this account.');
    }
    return handle(args as never, account, context);
  },
});

/** Makes a custom method, which belongs to no verb. */
export const customMethod = ({ name, ...method }: CustomMethod, handle: MethodHandler<never>): NamedMethod =>
  [name, runnableMethod(method, handle)];
