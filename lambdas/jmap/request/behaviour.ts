import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type {
  Arguments,
  ArgumentsOf,
  AdditionalArguments,
  ChangedProperties,
  ConditionOf,
  ComparatorOf,
  CustomMethod,
  NewProperties,
  RecordType,
  Verb,
  VerbArguments,
} from '../../../contract/jmap/record.ts';
import type { AccountView, ChangedRecord, Changes, Commit } from '../../../core/account-index/account-view.ts';
import type { PreparedCreations } from './create-records.ts';
import type { SetError } from './jmap-errors.ts';
import type { MethodHandler } from './method.ts';
import type { OpenAccount, RequestContext } from './request-context.ts';

/** Handlers of a type's custom methods, by name. */
type CustomMethodHandlers<T extends RecordType> = {
  readonly [M in Extract<T['methods'][number], CustomMethod> as M['name']]: MethodHandler<
    M['arguments'] extends Arguments ? ArgumentsOf<M['arguments']> : JsonObject
  >;
};

/** The part of a record type's methods that its contract can't describe. /queryChanges is derived from `query`. */
export type BehaviourOf<T extends RecordType> = {
  readonly [V in Exclude<Extract<T['methods'][number], Verb>, 'queryChanges'>]: VerbBehaviours<T>[V];
} & CustomMethodHandlers<T>;

type VerbBehaviours<T extends RecordType> = {
  readonly get: T['owner'] extends 'principal' ? PrincipalGetBehaviour : GetBehaviour<VerbArguments<'get', AdditionalArguments<T, 'get'>>>;
  readonly changes: ChangesBehaviour;
  readonly set: T['owner'] extends 'principal' ? PrincipalSetBehaviour<T> : SetBehaviour<VerbArguments<'set', AdditionalArguments<T, 'set'>>, T>;
  readonly copy: CopyBehaviour<T>;
  readonly query: QueryBehaviour<ArgumentsOf<AdditionalArguments<T, 'query'>>, T>;
};

/** Maximum ids of one batch: as many items as one BatchGetItem reads. */
export const batchSize = 100;

/** The records that one /get may return. */
export type ReadableRecords = {
  readonly size: number;
  ids(): readonly string[];
  has(id: string): boolean;
  /**
   * Plans how the records are read. Called once, before any record is read. Default: one batch at a time.
   * @throws MethodError requestTooLarge when the calls of the request read too many records.
   */
  planReads?(count: number, properties: ReadonlySet<string>): { readonly concurrentBatches: number };
  /** Reads the records of at most {@link batchSize} ids. A record that no longer exists is omitted. */
  read(ids: readonly string[], properties: ReadonlySet<string>): readonly JsonObject[] | Promise<readonly JsonObject[]>;
};

export type GetBehaviour<Args> = {
  /** Checks the type's additional arguments, and the properties with the type's prefix. @throws MethodError */
  checkArguments?(args: Args, properties: ReadonlySet<string>): void;
  /** The records of a call. */
  records(args: Args, account: OpenAccount, context: RequestContext): ReadableRecords | Promise<ReadableRecords>;
};

export type PrincipalGetBehaviour = {
  /** The caller's records. */
  records(context: RequestContext): ReadableRecords | Promise<ReadableRecords>;
};

export type ChangesBehaviour = {
  /** Additional properties of the type's response. */
  additionalProperties?(changes: Changes): JsonObject;
};

/** A filter (RFC 8620 §5.5). All members of a `condition` must match. */
export type Filter<Condition = JsonObject> =
  | { readonly operator: 'AND' | 'OR' | 'NOT'; readonly conditions: readonly Filter<Condition>[] }
  | { readonly condition: Condition };
export type Comparator = ComparatorOf<RecordType>;

/** The ids of all records that match a query, in order. */
export type MatchingIds = Pick<readonly string[], 'length' | 'slice' | 'indexOf'> & {
  /** The positions of the given ids in the list. Default: all ids are compared. */
  indexesOf?(ids: Iterable<string>): ReadonlyMap<string, number>;
};

/**
 * The properties on which a query's results depend: those of the record itself and, with `ofThread`, those of all
 * Emails in its Thread.
 */
export type QueryDependence = { readonly properties: ReadonlySet<string>; readonly ofThread: boolean };

/** The /query and /queryChanges of a type. `Args` are the additional arguments that both have. */
export type QueryBehaviour<Args, T extends Pick<RecordType, 'filters' | 'sorts'> = RecordType> = {
  /** The ids of all matching records, in order. @throws MethodError */
  matchingIds(
    view: AccountView,
    filter: Filter<ConditionOf<T>> | undefined,
    sort: readonly ComparatorOf<T>[],
    args: Args,
    account: OpenAccount,
    context: RequestContext,
  ): MatchingIds | Promise<MatchingIds>;
  /**
   * Properties on which the results depend for certain arguments, such as `parentId` with `sortAsTree`. Default: none.
   */
  dependsOn?(args: Args): readonly string[];
  /**
   * Further records whose position in the results may change because of these changes, such as other Emails of a
   * Thread. Default: none.
   */
  affectedBy?(changed: readonly ChangedRecord[], view: AccountView, args: Args, dependence: QueryDependence): Iterable<string>;
};

/**
 * Collects the changes of one /set. A change that throws a SetError has no effect. Later changes see all earlier ones.
 */
export type ChangeSet<T extends RecordType = RecordType> = {
  /** The record after the changes of the change set; undefined when it does not exist. */
  current(id: string): JsonObject | undefined;
  create(id: string, properties: NewProperties<T>): void;
  /** @param changed the new values of all mutable properties that the patch names. */
  update(id: string, changed: ChangedProperties<T>): void;
  destroy(id: string): void;
  /**
   * Makes a group of changes that fail one by one, if the records are valid after all of them (RFC 8620 §5.3). Only
   * types with rules between records need it.
   * @param changes functions that each make one change of the change set.
   * @returns the errors of failed changes, by their index. If there is any, the change set is unchanged.
   */
  together?(changes: readonly (() => void)[]): ReadonlyMap<number, unknown>;
};

/** A change set of records in an account, which becomes one commit. */
export type AccountChangeSet<T extends RecordType = RecordType> = ChangeSet<T> & {
  /**
   * Called once, after all changes were attempted. It may change further records, such as the previous default
   * AddressBook.
   * @param resolveId resolves creation ids, including those of this call.
   * @returns the properties that the server has set besides those of the request, by record id, for the response.
   */
  complete?(allSucceeded: boolean, resolveId: (creationId: string) => string | undefined): ReadonlyMap<string, JsonObject>;
  /** The commit; undefined when nothing changed. */
  commit(): Commit | undefined;
};

/** A /set that is ready to be applied to a view. */
export type PreparedSet<T extends RecordType = RecordType> = {
  /** Begins a change set on a view. It is pure, and is called again with a newer view after a conflict. */
  readonly beginChangeSet: (view: AccountView) => AccountChangeSet<T>;
  /** The ids of the new records, by creation id. Default: random ids. */
  readonly newIds?: ReadonlyMap<string, string>;
  /** Properties of a created record that the commit has set, for the response. */
  readonly committedProperties?: (id: string, view: AccountView) => JsonObject;
  /** Called after the commit, before the response. It must not fail, because the changes are made. */
  readonly afterCommit?: (committed: CommittedChanges) => void | Promise<void>;
  /**
   * Called after a failed commit, to remove the data that the preparation wrote. It must not fail.
   * @param failure the error of `MailStore.commit`.
   */
  readonly afterFailure?: (failure: unknown) => Promise<void>;
};

/** The changes of a /set that were made. */
export type CommittedChanges = {
  /** Ids of created records, by creation id. */
  readonly created: ReadonlyMap<string, string>;
  readonly updated: ReadonlySet<string>;
  readonly destroyed: ReadonlySet<string>;
};

export type SetBehaviour<Args, T extends RecordType = RecordType> = {
  /**
   * Reads the inputs of the validation besides the view, and writes what new records need before their commit.
   * @param updatedProperties the names of the properties in each update, by record id.
   */
  prepareChangeSet(
    updatedProperties: ReadonlyMap<string, ReadonlySet<string>>,
    args: Args,
    account: OpenAccount,
    context: RequestContext,
  ): Promise<PreparedSet<T>>;
};

/** A record to copy: the id of the original in its account, and the values in which the copy differs. */
export type RequestedCopy<T extends RecordType = RecordType> = { readonly id: string; readonly changes: Partial<NewProperties<T>> };

export type CopyBehaviour<T extends RecordType = RecordType> = {
  /**
   * Reads the originals and prepares their copies.
   * @param copies by creation id.
   * @returns the creations. `notCreated` has the errors of originals that do not exist, and of copies that are not
   * possible.
   */
  prepareCopies(
    copies: ReadonlyMap<string, RequestedCopy<T>>,
    from: OpenAccount,
    account: OpenAccount,
    context: RequestContext,
  ): PreparedCreations | Promise<PreparedCreations>;
};

/** A change set for records of a principal. Each record is written separately. */
export type PrincipalChangeSet<T extends RecordType = RecordType> = ChangeSet<T> & {
  /** Writes the changes. @returns the errors of failed writes, by record id. */
  write(): Promise<ReadonlyMap<string, SetError>>;
  /** The properties that the write has set besides those of the request, by record id, for the response. Default: none. */
  written?(): ReadonlyMap<string, JsonObject>;
};

export type PrincipalSetBehaviour<T extends RecordType = RecordType> = { beginChangeSet(context: RequestContext): Promise<PrincipalChangeSet<T>> };
