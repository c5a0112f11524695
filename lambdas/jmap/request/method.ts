import type { Capability } from '../../../contract/jmap/core.ts';
import { isOfType, typeName, type JsonObject } from '../../../contract/jmap/data-type.ts';
import type { Arguments, CustomMethod } from '../../../contract/jmap/record.ts';
import type { Permission } from '../../../contract/oauth/oauth.ts';
import { MethodError } from './jmap-errors.ts';
import type { OpenAccount, RequestContext } from './request-context.ts';

/**
 * Checks the arguments of a call and fills in the defaults.
 * @param described the arguments that the method has.
 * @throws MethodError invalidArguments that names an argument that is unknown, missing or of another type.
 */
export const decodeArguments = (described: Arguments, given: JsonObject): JsonObject => {
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
  return Object.fromEntries(decoded);
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

/** Performs a call with decoded arguments. A method without the argument `accountId` must not use `account`. */
export type MethodHandler<Args> = (args: Args, account: OpenAccount, context: RequestContext) => JsonObject | Promise<JsonObject>;

type MethodContract = {
  readonly capability: Capability;
  readonly permission?: Permission;
  readonly arguments: Arguments | 'any';
  /** Whether a member without write access may make this call of a method that changes data. Default: no. */
  readonly mayReaderCall?: (args: JsonObject) => boolean;
};

const useOfNoAccount = (): never => {
  throw new Error('a method without the argument accountId used an account');
};

/** The account of methods that have none. */
const noAccount: OpenAccount = {
  get accountId() {
    return useOfNoAccount();
  },
  get mayWrite() {
    return useOfNoAccount();
  },
  get member() {
    return useOfNoAccount();
  },
  get view() {
    return useOfNoAccount();
  },
};

/**
 * Makes a method that checks the permission, the arguments, the account and write access, and then calls the handler.
 */
export const runnableMethod = ({ capability, permission, arguments: described, mayReaderCall }: MethodContract, handle: MethodHandler<never>): Method => ({
  capability,
  async run(given, context) {
    if (permission) context.requirePermission(permission);
    if (described === 'any') return handle(given as never, noAccount, context);
    const args = decodeArguments(described, given);
    if (!('accountId' in described)) return handle(args as never, noAccount, context);
    const account = await context.openAccount(args['accountId'] as string);
    if (permission !== 'MAIL_READ' && !account.mayWrite && !mayReaderCall?.(args)) {
      throw new MethodError('accountReadOnly', 'You have read access only to this account.');
    }
    return handle(args as never, account, context);
  },
});

/** Makes a custom method, which belongs to no verb. */
export const customMethod = ({ name, ...method }: CustomMethod, handle: MethodHandler<never>): NamedMethod => [name, runnableMethod(method, handle)];
