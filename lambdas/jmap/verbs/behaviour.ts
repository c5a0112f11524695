import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { FurtherArguments, RecordType, Verb, VerbArguments } from '../../../contract/jmap/record.ts';
import type { AccountView, Changes, Commit } from '../../../core/mail/mail-store.ts';
import type { OpenAccount, RequestContext } from '../request-context.ts';

/** What a record type must tell its verbs because data can't say it: one entry a method of the type, but for queryChanges, which the data says all about. */
export type BehaviourOf<T extends RecordType> = { readonly [V in Exclude<T['methods'][number], 'queryChanges'>]: Behaviours<T>[V] };

type Behaviours<T extends RecordType> = {
  readonly get: GetBehaviour<VerbArguments<'get', FurtherArguments<T, 'get'>>>;
  readonly changes: ChangesBehaviour;
  readonly set: SetBehaviour<VerbArguments<'set', FurtherArguments<T, 'set'>>>;
  readonly query: QueryBehaviour<VerbArguments<'query', FurtherArguments<T, 'query'>>>;
};

export type GetBehaviour<Args> = {
  /** How many records there are, so that too many are refused before they are named. */
  count(view: AccountView): number;
  ids(view: AccountView): readonly string[];
  has(view: AccountView, id: string): boolean;
  /** Judges the arguments that this type adds, and properties with the type's prefix, by throwing a MethodError. */
  check?(args: Args, properties: ReadonlySet<string>): void;
  /** The records of these ids, all of which exist, with these properties and no others. */
  read(ids: readonly string[], properties: ReadonlySet<string>, args: Args, account: OpenAccount, context: RequestContext): Promise<readonly JsonObject[]>;
};

export type ChangesBehaviour = {
  /** What this type's response says beyond RFC 8620 §5.2. */
  further?(changes: Changes): JsonObject;
};

/** Conditions of one object all hold; operators nest (RFC 8620 §5.5). */
export type Filter = { readonly operator: 'AND' | 'OR' | 'NOT'; readonly conditions: readonly Filter[] } | { readonly condition: JsonObject };
export type Comparator = { readonly property: string; readonly isAscending: boolean; readonly collation: string | undefined };

export type QueryBehaviour<Args> = {
  /** Every match in order: the filter's conditions are of the types the record type states, the sort names only what it states. */
  matches(view: AccountView, filter: Filter | undefined, sort: readonly Comparator[], args: Args): Pick<readonly string[], 'length' | 'slice' | 'indexOf'>;
};

export type SetBehaviour<Args> = {
  /** Why records of this type can't be created here; in words, answered as `forbidden`. */
  readonly createRefused?: string;
  /**
   * Reads what judging will need and no view holds.
   * @param mentioned the properties that updates name, by id.
   * @returns how to begin a draft on a view; pure, because a lost race begins again on a newer one.
   */
  prepare(mentioned: ReadonlyMap<string, ReadonlySet<string>>, args: Args, account: OpenAccount, context: RequestContext): Promise<(view: AccountView) => Draft>;
};

/** The changes of one /set as they gather. Each step either throws a SetError and leaves no trace, or holds for the steps after it. */
export type Draft = {
  /** The record as it is now in this draft, with all that an update may name; undefined when there is none. */
  current(id: string): JsonObject | undefined;
  create(id: string, properties: JsonObject): void;
  /** @param changed whole new values of the properties that were named and may be changed. */
  update(id: string, changed: JsonObject): void;
  destroy(id: string): void;
  /** Undefined when nothing changed. */
  commit(): Commit | undefined;
};

/** A verb, given a type and its behaviour, answers calls of that type's method. */
export type VerbAnswer<Args> = (args: Args, account: OpenAccount, context: RequestContext) => Promise<JsonObject>;
export type { Verb };
