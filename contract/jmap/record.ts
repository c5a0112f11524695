import type { Permission } from '../oauth/oauth.ts';
import { capability, type Capability } from './core.ts';
import type { DataType, ValueOf } from './data-type.ts';

/**
 * One argument of a method. An argument without a default is required, unless its type allows null: its default is then
 * null.
 */
export type Argument = { readonly type: DataType; readonly default?: unknown };
export type Arguments = { readonly [name: string]: Argument };
/** The decoded arguments of a method, with all defaults. */
export type ArgumentsOf<A extends Arguments> = { readonly [Name in keyof A]: ValueOf<A[Name]['type']> };

const accountId = { type: 'Id' } as const satisfies Argument;

/** The standard methods of RFC 8620 §5: their arguments, and the permission that the access token needs. */
export const verbs = {
  /** §5.1 */
  get: {
    permission: 'MAIL_READ',
    arguments: { accountId, ids: { type: { orNull: { list: 'Id' } } }, properties: { type: { orNull: { list: 'String' } } } },
  },
  /** §5.2 */
  changes: {
    permission: 'MAIL_READ',
    arguments: { accountId, sinceState: { type: 'String' }, maxChanges: { type: { orNull: 'UnsignedInt' } } },
  },
  /** §5.3 */
  set: {
    permission: 'MAIL_WRITE',
    arguments: {
      accountId,
      ifInState: { type: { orNull: 'String' } },
      create: { type: { orNull: { mapOf: 'Object' } } },
      update: { type: { orNull: { mapOf: 'Object' } } },
      destroy: { type: { orNull: { list: 'IdOrCreationId' } } },
    },
  },
  /** §5.4 */
  copy: {
    permission: 'MAIL_WRITE',
    arguments: {
      fromAccountId: { type: 'Id' },
      ifFromInState: { type: { orNull: 'String' } },
      accountId,
      ifInState: { type: { orNull: 'String' } },
      create: { type: { mapOf: 'Object' } },
      onSuccessDestroyOriginal: { type: 'Boolean', default: false },
      destroyFromIfInState: { type: { orNull: 'String' } },
    },
  },
  /** §5.5 */
  query: {
    permission: 'MAIL_READ',
    arguments: {
      accountId,
      filter: { type: { orNull: 'Object' } },
      sort: { type: { orNull: { list: 'Object' } } },
      position: { type: 'Int', default: 0 },
      anchor: { type: { orNull: 'Id' } },
      anchorOffset: { type: 'Int', default: 0 },
      limit: { type: { orNull: 'UnsignedInt' } },
      calculateTotal: { type: 'Boolean', default: false },
    },
  },
  /** §5.6 */
  queryChanges: {
    permission: 'MAIL_READ',
    arguments: {
      accountId,
      filter: { type: { orNull: 'Object' } },
      sort: { type: { orNull: { list: 'Object' } } },
      sinceQueryState: { type: 'String' },
      maxChanges: { type: { orNull: 'UnsignedInt' } },
      upToId: { type: { orNull: 'Id' } },
      calculateTotal: { type: 'Boolean', default: false },
    },
  },
} as const satisfies { readonly [verb: string]: { readonly permission: Permission; readonly arguments: Arguments } };
export type Verb = keyof typeof verbs;

/**
 * A method that is not a standard one, such as Core/echo or Email/import. The account of its argument `accountId`, if
 * it has one, is opened before the method runs.
 */
export type CustomMethod = {
  readonly name: string;
  readonly capability: Capability;
  /** The permission that the token needs; undefined when any token for JMAP is enough. */
  readonly permission?: Permission;
  /** `any`: the arguments are not decoded. */
  readonly arguments: Arguments | 'any';
};

/** No additional arguments. */
export type NoArguments = { readonly [name in never]: Argument };

/** A verb's standard arguments, and the additional ones of a type. */
export type VerbArguments<V extends Verb, Additional extends Arguments = NoArguments> =
  ArgumentsOf<(typeof verbs)[V]['arguments']> & ArgumentsOf<Additional>;

/** One property of a record. */
export type Property = {
  readonly type: DataType;
  /** Only a create may set it. */
  readonly immutable?: true;
  /** Only the server sets it. An update may contain the current value. */
  readonly serverSet?: true;
  /** It is not stored, but computed from other data on every read. */
  readonly computed?: true;
  /**
   * Its default, after a create that omits it and after an update to null. A property without a default is required in
   * a create, unless it is serverSet.
   */
  readonly default?: unknown;
  /** A create may omit it although it has no default: the type's behaviour derives it. */
  readonly optional?: true;
  /** /get returns it only when `properties` names it. */
  readonly onRequest?: true;
  /** Each member of the account has a separate value, and may change it in any role. */
  readonly perMember?: true;
  /** No method returns it; a /get that names it fails with `forbidden` (RFC 8620 §7.2.1). */
  readonly writeOnly?: true;
  /** The record type that this Id refers to. The record must exist; only `plainBehaviour` checks it. */
  readonly refersTo?: string;
};

/**
 * The properties that decide a filter condition or a sort. /queryChanges derives from it which changes may alter the
 * results: none but creations and destructions if all these properties are immutable.
 */
type Dependence = {
  /** Names of properties. Default: the property with the name of the condition or sort. */
  readonly properties?: readonly string[];
  /** Whether the properties of all Emails in the Thread decide it. */
  readonly ofThread?: true;
};

/** A condition that a FilterCondition may have (RFC 8620 §5.5). */
export type FilterConditionType = Dependence & { readonly type: DataType };

/** A property that a Comparator may name (RFC 8620 §5.5). */
export type SortType = Dependence & {
  /** Additional properties of such a Comparator, such as `keyword` (RFC 8621 §4.4.2). */
  readonly arguments?: Arguments;
};

/** A record type as data, from which the verbs are implemented. */
export type RecordType = {
  /** `Email`; its methods are `Email/<verb>`. */
  readonly name: string;
  readonly capability: Capability;
  readonly methods: readonly (Verb | CustomMethod)[];
  /**
   * `principal`: records belong to the caller instead of an account, and methods have no accountId and no state.
   * Default: `account`.
   */
  readonly owner?: 'account' | 'principal';
  /** An account has exactly one record, which always exists: no method creates or destroys one. */
  readonly isSingleton?: true;
  /** Permissions that differ from the verb's own. */
  readonly permissions?: { readonly [V in Verb]?: Permission };
  readonly properties: { readonly [name: string]: Property };
  /** Properties that a /copy may set instead of the original's. Default: all that a client may set. */
  readonly setByCopy?: readonly string[];
  /** Names with this prefix are properties too, such as `header:`. */
  readonly propertyPrefix?: string;
  /** Additional arguments of this type's methods. */
  readonly arguments?: { readonly [V in Verb]?: Arguments };
  /** Conditions of a FilterCondition. /query fails with unsupportedFilter for any other. */
  readonly filters?: { readonly [condition: string]: FilterConditionType };
  /** Properties that a Comparator may name. /query fails with unsupportedSort for any other. */
  readonly sorts?: { readonly [property: string]: SortType };
  /** The order of a /query without a sort. Records that are equal by it are in the order of their ids. */
  readonly defaultSort?: readonly { readonly property: string; readonly isAscending: boolean }[];
};

export const recordType = <const T extends RecordType>(type: T): T => type;

/** The additional arguments of a type's method. */
export type AdditionalArguments<T extends RecordType, V extends Verb> =
  T['arguments'] extends { readonly [K in V]: infer A extends Arguments } ? A : NoArguments;

/** Arguments that methods of records in an account have, and methods of a principal's records do not. */
const accountArguments: readonly string[] = ['accountId', 'ifInState'];

/** All arguments of a type's method. */
export const verbArguments = (type: RecordType, verb: Verb): Arguments => {
  const all: Arguments = { ...verbs[verb].arguments, ...type.arguments?.[verb] };
  return type.owner === 'principal' ? Object.fromEntries(Object.entries(all).filter(([name]) => !accountArguments.includes(name))) : all;
};

/** The properties that decide a filter condition or a sort, with the default. */
export const dependenceOf = (name: string, { properties = [name], ofThread }: Dependence) =>
  ({ properties, ofThread: ofThread ?? false });

/** Returns its arguments (RFC 8620 §4). It belongs to no record type. */
export const coreEcho = { name: 'Core/echo', capability: capability.core, arguments: 'any' } as const satisfies CustomMethod;
