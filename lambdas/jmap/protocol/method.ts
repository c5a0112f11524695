import type { Capability } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { Arguments, CustomMethod } from '../../../contract/jmap/record.ts';
import type { Permission } from '../../../contract/oauth.ts';
import type { OpenAccount, RequestContext } from '../request-context.ts';
import { decodeArguments } from './decode-arguments.ts';
import { MethodError } from './errors.ts';

/** A method as the protocol calls it. */
export type Method = {
  /** The capability that a request must name in `using` for the method to exist (RFC 8620 §3.3). */
  readonly capability: Capability;
  /**
   * @param given the arguments as the client sent them, with result references resolved.
   * @returns the arguments of the response.
   * @throws MethodError for an `error` response. Anything else that it throws is answered serverFail or serverUnavailable.
   */
  run(given: JsonObject, context: RequestContext): JsonObject | Promise<JsonObject>;
};

/** Methods by name. */
export type Methods = ReadonlyMap<string, Method>;

export type NamedMethod = readonly [name: string, method: Method];

/** Answers a call with decoded arguments. `account` is undefined for a method without an account. */
export type MethodHandler<Args> = (args: Args, account: OpenAccount, context: RequestContext) => JsonObject | Promise<JsonObject>;

type MethodContract = { readonly capability: Capability; readonly permission?: Permission; readonly arguments: Arguments | 'any' };

/** How every call is handled: permission → arguments → account → read-only → answer. */
export const runnableMethod = ({ capability, permission, arguments: described }: MethodContract, answer: MethodHandler<never>): Method => ({
  capability,
  async run(given, context) {
    if (permission) context.requirePermission(permission);
    if (described === 'any') return answer(given as never, undefined as never, context);
    const args = decodeArguments(described, given);
    if (!('accountId' in described)) return answer(args as never, undefined as never, context);
    const account = await context.openAccount(args['accountId'] as string);
    if (permission !== 'MAIL_READ' && !account.mayWrite) throw new MethodError('accountReadOnly', 'You may only read this account.');
    return answer(args as never, account, context);
  },
});

/** A method that is no verb. */
export const customMethod = ({ name, ...method }: CustomMethod, answer: MethodHandler<never>): NamedMethod => [name, runnableMethod(method, answer)];
