import type { RecordType } from '../../../contract/jmap/record.ts';
import type { AccountView, Commit } from '../../../core/account-index/account-view.ts';
import { PartlyCommitted, RecordRefused } from '../../../core/account-log/records/record-refused.ts';
import { MethodError, SetError } from './jmap-errors.ts';
import type { OpenAccount, RequestContext } from './request-context.ts';

/* The commits of methods that change records of an account: /set, /copy, Email/import. */

/** The failure of one record as a SetError. @throws the failure itself if it is not about the record. */
export const setErrorOf = (failure: unknown): SetError => {
  if (failure instanceof SetError) return failure;
  if (failure instanceof RecordRefused) return new SetError(failure.type, failure.description, failure.properties, failure.details);
  throw failure;
};

/** Runs `attempt` for each creation. @returns the results by creation id; errors are added to `failed`. */
export const attemptEach = <Value, Result>(
  values: Iterable<readonly [string, Value]>,
  attempt: (value: Value) => Result,
  failed: Map<string, SetError>,
): ReadonlyMap<string, Result> => {
  const results = new Map<string, Result>();
  for (const [creationId, value] of values) {
    try {
      results.set(creationId, attempt(value));
    } catch (failure) {
      failed.set(creationId, setErrorOf(failure));
    }
  }
  return results;
};

/**
 * Checks `ifInState` and the like. @throws MethodError stateMismatch when the argument has a state that is not the
 * current one.
 */
export const checkState = (argument: string, expected: string | null, current: string): void => {
  if (expected === null || expected === current) return;
  throw new MethodError('stateMismatch', `The current state is not the one in "${argument}".`);
};

/**
 * Commits, and replaces the account's view. The view is also replaced after a failed commit, because it may be
 * outdated.
 * @returns the records that other commits made impossible while this one was written, with the reasons.
 */
export const commitToAccount = async (
  type: RecordType,
  account: OpenAccount,
  { caller: { principalId }, dependencies: { store } }: RequestContext,
  plan: (view: AccountView) => Commit | undefined,
): Promise<ReadonlyMap<string, SetError>> => {
  try {
    account.view = await store.commit(account.view, (view) => {
      const commit = plan(view);
      return commit && { ...commit, principalId };
    });
    return new Map();
  } catch (failure) {
    // If this read fails too, the failure of the commit is thrown, because it says what was changed.
    account.view = (await store.open(account.accountId).catch(() => undefined)) ?? account.view;
    if (!(failure instanceof PartlyCommitted) || failure.refused.length === 0) throw failure;
    if (failure.refused.some(({ typeName }) => typeName !== type.name)) throw failure;
    return new Map(failure.refused.map(({ id, reason }) => [id, setErrorOf(reason)]));
  }
};

/**
 * Whether this call made all changes since `oldState`. A large call is written as several commits, and another writer's
 * commit may be between them. Then the response has no oldState, so that the client calls /changes.
 * @param planned the state and the commit on which the call was planned, and the records that it changed.
 */
export const isOnlyOwnChange = async (
  type: RecordType,
  { view, member }: OpenAccount,
  { dependencies: { store } }: RequestContext,
  { oldState, sequence, ownIds }: { readonly oldState: string; readonly sequence: number; readonly ownIds: ReadonlySet<string> },
): Promise<boolean> => {
  if (view.sequence <= sequence + 1) return true;
  const changes = await store.changes(view, type.name, oldState, undefined, member);
  return changes !== undefined && [...changes.created, ...changes.updated, ...changes.destroyed].every((id) => ownIds.has(id));
};
