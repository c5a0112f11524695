import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type {
  Arguments, ArgumentsOf, AdditionalArguments, CustomMethod, RecordType, Verb, VerbArguments,
} from '../../../contract/jmap/record.ts';
import type { AccountView, ChangedRecord, Changes, Commit } from '../../../core/account-index/account-view.ts';
import type { SetError } from '../protocol/errors.ts';
import type { MethodHandler } from '../request/method.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';
import type { PreparedCreations } from './create-records.ts';

/** Handlers of a type's custom methods, by name. */
type CustomMethodHandlers<T extends RecordType> = {
  readonly [M in Extract<T['methods'][number], CustomMethod> as M['name']]:
    MethodHandler<M['arguments'] extends Arguments ? ArgumentsOf<M['arguments']> : JsonObject>;
};

/**
 * The parts of a record type's methods that its contract can't describe as data: one entry a method. /queryChanges is
 * derived from the entry of /query.
 */
export type BehaviourOf<T extends RecordType> =
  { readonly [V in Exclude<Extract<T['methods'][number], Verb>, 'queryChanges'>]: VerbBehaviours<T>[V] } & CustomMethodHandlers<T>;

type VerbBehaviours<T extends RecordType> = {
  readonly get: GetBehaviour<VerbArguments<'get', AdditionalArguments<T, 'get'>>>;
  readonly changes: ChangesBehaviour;
  readonly set: T['owner'] extends 'principal' ? PrincipalSetBehaviour : SetBehaviour<VerbArguments<'set', AdditionalArguments<T, 'set'>>>;
  readonly copy: CopyBehaviour;
  readonly query: QueryBehaviour<ArgumentsOf<AdditionalArguments<T, 'query'>>>;
};

/** Ids of one batch: as many items as one BatchGetItem reads. */
export const batchSize = 100;

/** The records that one /get may return. */
export type ReadableRecords = {
  readonly size: number;
  ids(): readonly string[];
  has(id: string): boolean;
  /**
   * How this many records are read. It is called once, before any is read. Default: one batch at a time.
   * @throws MethodError requestTooLarge when the calls of the request read too many.
   */
  planReads?(count: number, properties: ReadonlySet<string>): { readonly concurrentBatches: number };
  /**
   * The records of these ids with these properties. A record that no longer exists is omitted. It is called with
   * batches of at most {@link batchSize} ids.
   */
  read(ids: readonly string[], properties: ReadonlySet<string>): readonly JsonObject[] | Promise<readonly JsonObject[]>;
};

export type GetBehaviour<Args> = {
  /** Checks the additional arguments of the type, and properties with its prefix. @throws MethodError */
  checkArguments?(args: Args, properties: ReadonlySet<string>): void;
  /** @param account undefined for records of a principal. */
  records(args: Args, account: OpenAccount, context: RequestContext): ReadableRecords | Promise<ReadableRecords>;
};

export type ChangesBehaviour = {
  /** Additional properties of the type's response. */
  additionalProperties?(changes: Changes): JsonObject;
};

/** A filter (RFC 8620 §5.5). All members of a `condition` must match. */
export type Filter = {
  readonly operator: 'AND' | 'OR' | 'NOT';
  readonly conditions: readonly Filter[];
} | { readonly condition: JsonObject };
export type Comparator = {
  readonly property: string;
  readonly isAscending: boolean;
  readonly collation: string | undefined;
  /** The additional properties that the sort has in the type's contract, with their defaults. */
  readonly arguments: JsonObject;
};

/** The ids of all records that match a query, in order. */
export type MatchingIds = Pick<readonly string[], 'length' | 'slice' | 'indexOf'> & {
  /** The indexes of the given ids in the list. Default: all ids are compared. */
  indexesOf?(ids: Iterable<string>): ReadonlyMap<string, number>;
};

/** The inputs of a query's results: properties of the records and, with `ofThread`, of all Emails of a Thread. */
export type QueryDependence = { readonly properties: ReadonlySet<string>; readonly ofThread: boolean };

/** A type's /query and /queryChanges. `Args` are the additional arguments that both have. */
export type QueryBehaviour<Args> = {
  /**
   * The ids of all matching records, in order. The filter and the sort are decoded by the type's contract.
   * @throws MethodError
   */
  matchingIds(
    view: AccountView,
    filter: Filter | undefined,
    sort: readonly Comparator[],
    args: Args,
    account: OpenAccount,
    context: RequestContext,
  ): MatchingIds | Promise<MatchingIds>;
  /** Properties on which the arguments make the results depend, as `sortAsTree` does on `parentId`. Default: none. */
  dependsOn?(args: Args): readonly string[];
  /**
   * Further records that may be elsewhere in the results because these changed: others of their Threads, or descendants.
   * Default: none.
   */
  affectedBy?(changed: readonly ChangedRecord[], view: AccountView, args: Args, dependence: QueryDependence): Iterable<string>;
};

/**
 * Collects the changes of one /set. A change that throws a SetError leaves the change set as it was; later changes see all
 * others.
 */
export type ChangeSet = {
  /**
   * The record with the change set's changes and all properties that an update may name; undefined when it does not exist.
   */
  current(id: string): JsonObject | undefined;
  create(id: string, properties: JsonObject): void;
  /** @param changed the new values of all mutable properties that the patch names. */
  update(id: string, changed: JsonObject): void;
  destroy(id: string): void;
  /**
   * Makes changes that fail one by one, if the records are valid after all of them (RFC 8620 §5.3). A type whose records
   * have no rules among each other does not need it.
   * @param changes each makes one change of the change set.
   * @returns the errors of failed changes, by their index. If there is one, the change set is as it was.
   */
  together?(changes: readonly (() => void)[]): ReadonlyMap<number, unknown>;
};

/** A change set of records in an account, which becomes one commit. */
export type AccountChangeSet = ChangeSet & {
  /** Undefined when nothing changed. */
  commit(): Commit | undefined;
};

/** A /set that is ready to be applied to a view. */
export type PreparedSet = {
  /** Begins a change set on a view. It is pure, and called again with a newer view after a conflict. */
  readonly beginChangeSet: (view: AccountView) => AccountChangeSet;
  /** The ids of the new records, by creation id. Default: random ones. */
  readonly newIds?: ReadonlyMap<string, string>;
  /** Properties of a created record that the commit has set, for the response. */
  readonly committedProperties?: (id: string, view: AccountView) => JsonObject;
  /** Acts on the committed changes, before the response. It must not fail: the changes are made. */
  readonly afterCommit?: (committed: CommittedChanges) => void | Promise<void>;
  /**
   * Removes what the preparation wrote, after the commit failed. It must not fail. @param failure of
   * `MailStore.commit`.
   */
  readonly afterFailure?: (failure: unknown) => Promise<void>;
};

/** The changes of a /set that were made. */
export type CommittedChanges = {
  /** Ids by creation id. */
  readonly created: ReadonlyMap<string, string>;
  readonly updated: ReadonlySet<string>;
  readonly destroyed: ReadonlySet<string>;
};

export type SetBehaviour<Args> = {
  /**
   * Reads the inputs of the validation besides the view, and writes the requirements of new records before their
   * commit.
   * @param updatedProperties the names of the properties in each update, by record id.
   */
  prepareChangeSet(
    updatedProperties: ReadonlyMap<string, ReadonlySet<string>>,
    args: Args,
    account: OpenAccount,
    context: RequestContext,
  ): Promise<PreparedSet>;
};

/** A record to copy: its id in the account of the original, and the values that the copy has instead of the original's. */
export type RequestedCopy = { readonly id: string; readonly changes: JsonObject };

export type CopyBehaviour = {
  /**
   * Reads the originals and prepares their copies.
   * @param copies by creation id.
   * @returns the creations; those of originals that do not exist, or cannot be copied so, are in `notCreated`.
   */
  prepareCopies(
    copies: ReadonlyMap<string, RequestedCopy>, from: OpenAccount, account: OpenAccount, context: RequestContext,
  ): PreparedCreations | Promise<PreparedCreations>;
};

/** A change set of a principal's records. Each record is written separately. */
export type PrincipalChangeSet = ChangeSet & {
  /** Writes the changes. @returns the errors of failed writes, by record id. */
  write(): Promise<ReadonlyMap<string, SetError>>;
};

export type PrincipalSetBehaviour = { beginChangeSet(context: RequestContext): Promise<PrincipalChangeSet> };
