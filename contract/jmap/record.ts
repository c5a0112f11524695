import type { Permission } from '../oauth/oauth.ts';
import { capability, type Capability } from './core.ts';
import type { DataType, JsonObject, ValueOf } from './data-type.ts';

/**
 * An argument of a method. An argument without a default is required, unless its type allows null; then its default is
 * null.
 */
export type Argument = { readonly type: DataType; readonly default?: unknown };
export type Arguments = { readonly [name: string]: Argument };
/** The decoded arguments of a method, with all defaults. */
export type ArgumentsOf<A extends Arguments> = { readonly [Name in keyof A]: ValueOf<A[Name]['type']> };

const accountId = { type: 'Id' } as const satisfies Argument;

/** The standard methods of RFC 8620 §5: their arguments, and the permission that the access token needs. */
export const verbs = {
  /** The arguments of /get (§5.1). */
  get: { permission: 'MAIL_READ', arguments: { accountId, ids: { type: { orNull: { list: 'Id' } } }, properties: { type: { orNull: { list: 'String' } } } } },
  /** The arguments of /changes (§5.2). */
  changes: { permission: 'MAIL_READ', arguments: { accountId, sinceState: { type: 'String' }, maxChanges: { type: { orNull: 'UnsignedInt' } } } },
  /** The arguments of /set (§5.3). */
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
  /** The arguments of /copy (§5.4). */
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
  /** The arguments of /query (§5.5). */
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
  /** The arguments of /queryChanges (§5.6). */
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
 * A method that is no standard method, such as Core/echo or Email/import. If it has the argument `accountId`, that
 * account is opened before the method runs.
 */
export type CustomMethod = {
  readonly name: string;
  readonly capability: Capability;
  /** The permission that the token needs. Undefined when any token for JMAP is sufficient. */
  readonly permission?: Permission;
  /** The arguments. `any`: they are not decoded. */
  readonly arguments: Arguments | 'any';
};

export type AccountArguments = Arguments & { readonly accountId: { readonly type: 'Id' } };

/** A custom method that has the argument `accountId`. */
export type AccountMethod = CustomMethod & { readonly arguments: AccountArguments };

/** No additional arguments. */
export type NoArguments = { readonly [name in never]: Argument };

/** A verb's standard arguments, and the additional arguments of a type. */
export type VerbArguments<V extends Verb, Additional extends Arguments = NoArguments> = ArgumentsOf<(typeof verbs)[V]['arguments']> & ArgumentsOf<Additional>;

/** One property of a record. */
export type Property = {
  readonly type: DataType;
  /** Whether only a create may set the property. */
  readonly immutable?: true;
  /** Whether only the server sets the property. An update may contain the current value. */
  readonly serverSet?: true;
  /** Whether the property is not stored, but computed from other data on every read. */
  readonly computed?: true;
  /**
   * The default, which applies after a create without the property and after an update to null. A property without a
   * default is required in a create, unless it is serverSet.
   */
  readonly default?: unknown;
  /** Whether a create may omit the property although it has no default, because the type's behaviour derives it. */
  readonly optional?: true;
  /** Whether a record may lack the property. Null in a create or an update removes it. */
  readonly removable?: true;
  /** Whether /get returns the property only when `properties` names it. */
  readonly onRequest?: true;
  /** Whether each member of the account has a separate value, and may change it in any role. */
  readonly perMember?: true;
  /** Whether no method returns the property. A /get that names it fails with `forbidden` (RFC 8620 §7.2.1). */
  readonly writeOnly?: true;
  /** The record type to which this Id refers. The record must exist; only `plainBehaviour` checks this. */
  readonly refersTo?: string;
};

/**
 * The properties that determine a filter condition or a sort. From them, /queryChanges derives which changes may alter
 * the results. If all of them are immutable, only creations and destructions may alter the results.
 */
type Dependence = {
  /** Names of properties. Default: the name of the condition or sort. */
  readonly properties?: readonly string[];
  /** Whether the properties of all Emails in the Thread determine the condition or sort. */
  readonly ofThread?: true;
};

/** The definition of a condition that a FilterCondition may have (RFC 8620 §5.5). */
export type FilterConditionType = Dependence & { readonly type: DataType };

/** A property by which a Comparator may sort (RFC 8620 §5.5). */
export type SortType = Dependence & {
  /** Additional properties of a Comparator with this sort, such as `keyword` (RFC 8621 §4.4.2). */
  readonly arguments?: Arguments;
};

/** A record type as data, from which the verbs are implemented. */
export type RecordType = {
  /** The name, such as `Email`; its methods are `Email/<verb>`. */
  readonly name: string;
  readonly capability: Capability;
  readonly methods: readonly (Verb | AccountMethod)[];
  /**
   * The owner of records. `principal`: records belong to the caller instead of an account, and methods have no
   * accountId and no state. Default: `account`.
   */
  readonly owner?: 'account' | 'principal';
  /** Whether an account always has exactly one record, which no method creates or destroys. */
  readonly isSingleton?: true;
  /** Permissions that differ from those of the verbs. */
  readonly permissions?: { readonly [V in Verb]?: Permission };
  readonly properties: { readonly [name: string]: Property };
  /** Properties that a /copy may set differently from the original. Default: all that a client may set. */
  readonly setByCopy?: readonly string[];
  /** A prefix of property names: every name with the prefix, such as `header:Subject`, is a property. */
  readonly propertyPrefix?: string;
  /**
   * Whether records may have further properties, which are removable. The type's behaviour checks their names and
   * values.
   */
  readonly hasOtherProperties?: true;
  /** Additional arguments of this type's methods. */
  readonly arguments?: { readonly [V in Verb]?: Arguments };
  /** Conditions of a FilterCondition. With any other condition /query fails with unsupportedFilter. */
  readonly filters?: { readonly [condition: string]: FilterConditionType };
  /** Properties that a Comparator may name. With any other property /query fails with unsupportedSort. */
  readonly sorts?: { readonly [property: string]: SortType };
  /** The order of a /query without a sort. Records that compare equal are ordered by id. */
  readonly defaultSort?: readonly { readonly property: string; readonly isAscending: boolean }[];
};

export const recordType = <const T extends RecordType>(type: T): T => type;

type ClientSet<P extends Property> = P extends { readonly serverSet: true } ? never : P;
type Mandatory<P extends Property> = P extends { readonly optional: true } | { readonly removable: true } ? never : P;
type Changeable<P extends Property> = P extends { readonly immutable: true } ? never : P;

/** Further properties of a type with `hasOtherProperties`. */
type OtherProperties<T> = T extends { readonly hasOtherProperties: true } ? JsonObject : unknown;

type Described = Pick<RecordType, 'properties'>;

/** The checked properties of a new record, with all defaults. */
export type NewProperties<T extends Described> = {
  readonly [Name in keyof T['properties'] as Mandatory<ClientSet<T['properties'][Name]>> extends never ? never : Name]: ValueOf<T['properties'][Name]['type']>;
} & {
  readonly [Name in keyof T['properties'] as ClientSet<T['properties'][Name]> extends never ? never : Name]?: ValueOf<T['properties'][Name]['type']>;
} & OtherProperties<T>;

/** The checked properties that an update changes. Null removes a removable property. */
export type ChangedProperties<T extends Described> = {
  readonly [Name in keyof T['properties'] as Changeable<ClientSet<T['properties'][Name]>> extends never ? never : Name]?:
    | ValueOf<T['properties'][Name]['type']>
    | (T['properties'][Name] extends { readonly removable: true } ? null : never);
} & OtherProperties<T>;

/** A checked FilterCondition. */
export type ConditionOf<T extends Pick<RecordType, 'filters'>> = {
  readonly [Name in keyof NonNullable<T['filters']>]?: NonNullable<T['filters']>[Name] extends { readonly type: infer V extends DataType }
    ? ValueOf<V>
    : unknown;
};

/** A checked Comparator (RFC 8620 §5.5). */
export type ComparatorOf<T extends Pick<RecordType, 'sorts'>> = {
  readonly [Name in keyof NonNullable<T['sorts']>]: {
    readonly property: Name & string;
    readonly isAscending: boolean;
    readonly collation: string | undefined;
    /** The additional properties of a Comparator with this sort, with their defaults. */
    readonly arguments: NonNullable<T['sorts']>[Name] extends { readonly arguments: infer A extends Arguments } ? ArgumentsOf<A> : JsonObject;
  };
}[keyof NonNullable<T['sorts']>];

/** The additional arguments of a type's method. */
export type AdditionalArguments<T extends RecordType, V extends Verb> = T['arguments'] extends { readonly [K in V]: infer A extends Arguments }
  ? A
  : NoArguments;

const { accountId: _account, ...principalGet } = verbs.get.arguments;
const { accountId: _accountOfSet, ifInState: _state, ...principalSet } = verbs.set.arguments;

/** The arguments of the verbs for a principal's records, which have no account and no state (RFC 8620 §7.2). */
export const principalArguments = { get: principalGet, set: principalSet };

/** All arguments of the method of a type whose records are in an account. */
export const accountVerbArguments = <V extends Verb>(type: RecordType, verb: V): (typeof verbs)[V]['arguments'] => ({
  ...verbs[verb].arguments,
  ...type.arguments?.[verb],
});

/** All arguments of a type's method. */
export const verbArguments = (type: RecordType, verb: Verb): Arguments => {
  const ofPrincipal: { readonly [V in Verb]?: Arguments } = principalArguments;
  return type.owner === 'principal' ? { ...ofPrincipal[verb], ...type.arguments?.[verb] } : accountVerbArguments(type, verb);
};

/** The properties that determine a filter condition or a sort, with the default filled in. */
export const dependenceOf = (name: string, { properties = [name], ofThread }: Dependence) => ({ properties, ofThread: ofThread ?? false });

/** Core/echo returns its arguments (RFC 8620 §4). It belongs to no record type. */
export const coreEcho = { name: 'Core/echo', capability: capability.core, arguments: 'any' } as const satisfies CustomMethod;
