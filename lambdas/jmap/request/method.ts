import type { Capability } from '../../../contract/jmap/core.ts';
import { isOfType, typeName, type JsonObject } from '../../../contract/jmap/data-type.ts';
import type { AccountArguments, Arguments, ArgumentsOf } from '../../../contract/jmap/record.ts';
import type { Permission } from '../../../contract/oauth/oauth.ts';
import { MethodError } from './jmap-errors.ts';
import type { OpenAccount, RequestContext } from './request-context.ts';

/**
 * Checks the arguments of a call and fills in the defaults.
 * @param described the arguments that the method has.
 * @throws MethodError invalidArguments that names an argument that is unknown, missing or of another type.
 */
export const decodeArguments = <A extends Arguments>(described: A, given: JsonObject): ArgumentsOf<A> => {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(described, name));
  if (unknown !== undefined) throw new MethodError('invalidArguments', `The method has no argument ${JSON.stringify(unknown)}.`);
  const decoded = Object.entries(described).map(([name, { type, default: defaultValue }]) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined) {
      if (defaultValue !== undefined) return [name, defaultValue];
      if (typeof type === 'object' && 'orNull' in type) return [name, null];
      throw new MethodError('invalidArguments', `The argument "${name}" is missing.`);
    }
    if (!isOfType(type, value)) throw new MethodError('invalidArguments', `The argument "${name}" must be of type ${typeName(type)}.`);
    return [name, value];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value has the type of its argument, which the loop has checked
  return Object.fromEntries(decoded) as ArgumentsOf<A>;
};

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

/** Performs a call with decoded arguments. */
export type MethodHandler<Args> = (args: Args, account: OpenAccount, context: RequestContext) => JsonObject | Promise<JsonObject>;

/** Performs a call of a method without the argument `accountId`. */
export type PrincipalHandler<Args> = (args: Args, context: RequestContext) => JsonObject | Promise<JsonObject>;

type MethodContract<A extends Arguments> = { readonly capability: Capability; readonly permission?: Permission; readonly arguments: A };

type AccountMethodContract<A extends AccountArguments> = MethodContract<A> & {
  /** Whether a member without write access may make this call of a method that changes data. Default: no. */
  readonly mayReaderCall?: (args: ArgumentsOf<A>) => boolean;
};

/** Makes a method that checks the permission and the arguments, and then calls the handler. */
export const principalMethod = <A extends Arguments>(
  { capability, permission, arguments: described }: MethodContract<A>,
  handle: PrincipalHandler<ArgumentsOf<A>>,
): Method => ({
  capability,
  run(given, context) {
    if (permission) context.requirePermission(permission);
    return handle(decodeArguments(described, given), context);
  },
});

/**
 * Makes a method that checks the permission, the arguments, the account and write access, and then calls the handler.
 */
export const accountMethod = <A extends AccountArguments>(
  { capability, permission, arguments: described, mayReaderCall }: AccountMethodContract<A>,
  handle: MethodHandler<ArgumentsOf<A>>,
): Method => ({
  capability,
  async run(given, context) {
    if (permission) context.requirePermission(permission);
    const args = decodeArguments(described, given);
    const account = await context.openAccount(args.accountId);
    if (permission !== 'MAIL_READ' && !account.mayWrite && !mayReaderCall?.(args)) {
      throw new MethodError('accountReadOnly', 'You have read access only to this account.');
    }
    return handle(args, account, context);
  },
});

/** Makes a custom method, which belongs to no verb. */
export const customMethod = <A extends AccountArguments>(
  { name, ...method }: AccountMethodContract<A> & { readonly name: string },
  handle: MethodHandler<ArgumentsOf<A>>,
): NamedMethod => [name, accountMethod(method, handle)];
