import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { Arguments, ArgumentsOf, AdditionalArguments, CustomMethod, RecordType, Verb, VerbArguments } from '../../../contract/jmap/record.ts';
import type { AccountView, Changes, Commit } from '../../../core/mail/mail-store.ts';
import type { SetError } from '../protocol/errors.ts';
import type { MethodHandler } from '../protocol/method.ts';
import type { OpenAccount, RequestContext } from '../request-context.ts';

/** The methods of a type that are not verbs, by name. */
type CustomMethodHandlers<T extends RecordType> = {
  readonly [M in Extract<T['methods'][number], CustomMethod> as M['name']]: MethodHandler<M['arguments'] extends Arguments ? ArgumentsOf<M['arguments']> : JsonObject>;
};

/** What a record type can't say as data: one entry for each of its methods, without queryChanges. */
export type BehaviourOf<T extends RecordType> =
  { readonly [V in Exclude<Extract<T['methods'][number], Verb>, 'queryChanges'>]: VerbBehaviours<T>[V] } & CustomMethodHandlers<T>;

type VerbBehaviours<T extends RecordType> = {
  readonly get: GetBehaviour<VerbArguments<'get', AdditionalArguments<T, 'get'>>>;
  readonly changes: ChangesBehaviour;
  readonly set: T['owner'] extends 'principal' ? PrincipalSetBehaviour : SetBehaviour<VerbArguments<'set', AdditionalArguments<T, 'set'>>>;
  readonly query: QueryBehaviour<VerbArguments<'query', AdditionalArguments<T, 'query'>>>;
};

/** The records that one /get may return. */
export type ReadableRecords = {
  readonly size: number;
  ids(): readonly string[];
  has(id: string): boolean;
  /** The records of these ids, with these properties and no others. A record that no longer exists is left out. */
  read(ids: readonly string[], properties: ReadonlySet<string>): readonly JsonObject[] | Promise<readonly JsonObject[]>;
};

export type GetBehaviour<Args> = {
  /** Validates the arguments that this type adds, and properties with the type's prefix. @throws MethodError */
  checkArguments?(args: Args, properties: ReadonlySet<string>): void;
  /** @param account undefined for records of a principal. */
  records(args: Args, account: OpenAccount, context: RequestContext): ReadableRecords | Promise<ReadableRecords>;
};

export type ChangesBehaviour = {
  /** What this type's response has beyond RFC 8620 §5.2. */
  additionalProperties?(changes: Changes): JsonObject;
};

/** Conditions of one object must all hold; operators nest (RFC 8620 §5.5). */
export type Filter = { readonly operator: 'AND' | 'OR' | 'NOT'; readonly conditions: readonly Filter[] } | { readonly condition: JsonObject };
export type Comparator = { readonly property: string; readonly isAscending: boolean; readonly collation: string | undefined };

export type QueryBehaviour<Args> = {
  /** The ids of every match, in order. The filter's conditions have the types that the contract states; the sort names only what it states. */
  matchingIds(view: AccountView, filter: Filter | undefined, sort: readonly Comparator[], args: Args): Pick<readonly string[], 'length' | 'slice' | 'indexOf'>;
};

/** The changes of one /set as they are collected. Each step throws a SetError and changes nothing, or holds for the steps after it. */
export type Draft = {
  /** The record as it is now in this draft, with every property that an update may name; undefined when there is none. */
  current(id: string): JsonObject | undefined;
  create(id: string, properties: JsonObject): void;
  /** @param changed whole new values of the properties that were named and may be changed. */
  update(id: string, changed: JsonObject): void;
  destroy(id: string): void;
};

/** A draft that becomes one commit. */
export type AccountDraft = Draft & {
  /** Undefined when nothing changed. */
  commit(): Commit | undefined;
};

export type SetBehaviour<Args> = {
  /** Why records of this type can't be created; the `forbidden` error's description. */
  readonly createForbidden?: string;
  /**
   * Reads what validation needs beyond the view.
   * @param mentioned the properties that updates name, by id.
   * @returns a function that begins a draft on a view. It is pure, because a lost race begins again on a newer view.
   */
  prepareDraft(mentioned: ReadonlyMap<string, ReadonlySet<string>>, args: Args, account: OpenAccount, context: RequestContext): Promise<(view: AccountView) => AccountDraft>;
};

/** A draft of records that belong to a principal: each record is written by itself. */
export type PrincipalDraft = Draft & {
  /** Writes the changes. @returns the errors of those that could not be written, by record id. */
  write(): Promise<ReadonlyMap<string, SetError>>;
};

export type PrincipalSetBehaviour = { beginDraft(context: RequestContext): Promise<PrincipalDraft> };
