import type { Permission } from '../oauth.ts';
import type { Capability } from './core.ts';
import type { DataType, ValueOf } from './data-type.ts';

/** One argument of a method. Without a default it must be given, unless its type allows null: then null is its default. */
export type Argument = { readonly type: DataType; readonly default?: unknown };
export type Arguments = { readonly [name: string]: Argument };
/** The arguments as a method receives them: checked, with every default filled in. */
export type ArgumentsOf<A extends Arguments> = { readonly [Name in keyof A]: ValueOf<A[Name]['type']> };

const accountId = { type: 'Id' } as const satisfies Argument;

/** The standard methods of RFC 8620 §5: their arguments, and what a token must permit. */
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

/** No further arguments. */
export type NoArguments = { readonly [name in never]: Argument };

/** A verb's standard arguments, and those a type adds. */
export type VerbArguments<V extends Verb, More extends Arguments = NoArguments> =
  ArgumentsOf<(typeof verbs)[V]['arguments']> & ArgumentsOf<More>;

/** One property of a record. */
export type Property = {
  readonly type: DataType;
  /** May be set on create only. */
  readonly immutable?: true;
  /** Only the server sets it; a client may say the value it has. */
  readonly serverSet?: true;
  /** Not stored: derived from something else at each reading. */
  readonly computed?: true;
  /** What create and a patch to null make of it. Without one it must be given, unless it is serverSet. */
  readonly default?: unknown;
  /** Comes only when it is asked for by name. */
  readonly onRequest?: true;
};

/** A record type as data: what the verbs need to know to serve it. */
export type RecordType = {
  /** `Email`; its methods are `Email/<verb>`. */
  readonly name: string;
  readonly capability: Capability;
  readonly methods: readonly Verb[];
  readonly properties: { readonly [name: string]: Property };
  /** Properties whose names are not known beforehand begin so: `header:`. */
  readonly propertyPrefix?: string;
  /** Arguments of this type's methods beyond {@link verbs}. */
  readonly arguments?: { readonly [V in Verb]?: Arguments };
  /** Conditions of a FilterCondition; any other is unsupportedFilter. */
  readonly filters?: { readonly [condition: string]: DataType };
  /** Properties a Comparator may name; any other is unsupportedSort. */
  readonly sorts?: readonly string[];
};

export const recordType = <const T extends RecordType>(stated: T): T => stated;

/** The arguments that a type adds to a verb. */
export type FurtherArguments<T extends RecordType, V extends Verb> =
  T['arguments'] extends { readonly [K in V]: infer A extends Arguments } ? A : NoArguments;
