import type { Permission } from '../oauth.ts';
import { capability, type Capability } from './core.ts';
import type { DataType, ValueOf } from './data-type.ts';

/** One argument of a method. Without a default it is required, unless its type allows null: then null is its default. */
export type Argument = { readonly type: DataType; readonly default?: unknown };
export type Arguments = { readonly [name: string]: Argument };
/** The arguments as a method receives them: validated, with every default filled in. */
export type ArgumentsOf<A extends Arguments> = { readonly [Name in keyof A]: ValueOf<A[Name]['type']> };

const accountId = { type: 'Id' } as const satisfies Argument;

/** The standard methods of RFC 8620 §5: their arguments, and the permission that a token needs. */
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

/** A method that is no verb: Core/echo, Email/import. If it has the argument `accountId`, its account is opened for it. */
export type CustomMethod = {
  readonly name: string;
  readonly capability: Capability;
  /** What the token must permit; undefined for nothing beyond access to JMAP. */
  readonly permission?: Permission;
  /** `any`: the arguments are not decoded. */
  readonly arguments: Arguments | 'any';
};

/** No further arguments. */
export type NoArguments = { readonly [name in never]: Argument };

/** A verb's standard arguments, and those that a type adds. */
export type VerbArguments<V extends Verb, More extends Arguments = NoArguments> =
  ArgumentsOf<(typeof verbs)[V]['arguments']> & ArgumentsOf<More>;

/** One property of a record. */
export type Property = {
  readonly type: DataType;
  /** It may be set on create only. */
  readonly immutable?: true;
  /** Only the server sets it; a client may send the value that it has. */
  readonly serverSet?: true;
  /** It is not stored: it is derived whenever it is read. */
  readonly computed?: true;
  /** Its value after a create without it, and after a patch to null. A property without a default is required, unless it is serverSet. */
  readonly default?: unknown;
  /** /get returns it only when it is requested by name. */
  readonly onRequest?: true;
  /** No method ever returns it; requesting it is `forbidden` (RFC 8620 §7.2.1). */
  readonly writeOnly?: true;
  /** Name of the record type that this Id refers to: the record must exist. Checked for types without a draft of their own. */
  readonly refersTo?: string;
};

/** A record type as data: everything that the verbs need to know to serve it. */
export type RecordType = {
  /** `Email`; its methods are `Email/<verb>`. */
  readonly name: string;
  readonly capability: Capability;
  readonly methods: readonly (Verb | CustomMethod)[];
  /** `principal`: the records belong to the caller and not to an account, so methods have no accountId and no state. Default: `account`. */
  readonly owner?: 'account' | 'principal';
  /** What a token must permit where that differs from the verb's own. */
  readonly permissions?: { readonly [V in Verb]?: Permission };
  readonly properties: { readonly [name: string]: Property };
  /** The type also has properties whose names begin with this: `header:`. */
  readonly propertyPrefix?: string;
  /** Arguments of this type's methods beyond {@link verbs}. */
  readonly arguments?: { readonly [V in Verb]?: Arguments };
  /** Conditions of a FilterCondition; any other is unsupportedFilter. */
  readonly filters?: { readonly [condition: string]: DataType };
  /** Properties that a Comparator may name; any other is unsupportedSort. */
  readonly sorts?: readonly string[];
};

export const recordType = <const T extends RecordType>(type: T): T => type;

/** The arguments that a type adds to a verb. */
export type AdditionalArguments<T extends RecordType, V extends Verb> =
  T['arguments'] extends { readonly [K in V]: infer A extends Arguments } ? A : NoArguments;

/** Arguments that only make sense for records of an account. */
const accountArguments: readonly string[] = ['accountId', 'ifInState'];

/** All arguments of a type's method. */
export const verbArguments = (type: RecordType, verb: Verb): Arguments => {
  const all: Arguments = { ...verbs[verb].arguments, ...type.arguments?.[verb] };
  return type.owner === 'principal' ? Object.fromEntries(Object.entries(all).filter(([name]) => !accountArguments.includes(name))) : all;
};

/** RFC 8620 §4: returns its arguments. It is the one method without a record type. */
export const coreEcho = { name: 'Core/echo', capability: capability.core, arguments: 'any' } as const satisfies CustomMethod;
