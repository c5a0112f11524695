import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { RecordType } from '../../../contract/jmap/record.ts';
import type { AccountView, Commit } from '../../../core/account-index/account-view.ts';
import { checkState, commitToAccount, isOnlyOwnChange, setErrorOf } from './account-commit.ts';
import { responseTooLarge } from './api-response.ts';
import type { SetError } from './jmap-errors.ts';
import type { OpenAccount, RequestContext } from './request-context.ts';

/** Collects the records that one call creates in an account. One commit creates them. */
export type CreationChangeSet = {
  /** Creates the record with that creation id. @returns its id. @throws SetError; then the change set is unchanged. */
  create(creationId: string): string;
  /** The commit; undefined when nothing is created. */
  commit(): Commit | undefined;
};

/** The creations of one call before the commit. */
export type PreparedCreations = {
  readonly creationIds: readonly string[];
  /** Begins a change set on a view. It is pure, and is called again with a newer view after a conflict. */
  readonly beginChangeSet: (view: AccountView) => CreationChangeSet;
  /** The errors of creations that already failed, by creation id. */
  readonly notCreated: ReadonlyMap<string, SetError>;
  /** The created record for the response, from the account after the commit. */
  readonly toResponse: (id: string, creationId: string) => JsonObject;
};

type Planned = { readonly oldState: string; readonly sequence: number; readonly created: Map<string, string>; readonly notCreated: Map<string, SetError> };

type CreationResponse = JsonObject & {
  readonly created: { readonly [creationId: string]: JsonObject } | null;
  readonly notCreated: { readonly [creationId: string]: SetError } | null;
};

export const objectOrNull = <Value>(map: ReadonlyMap<string, Value>): { readonly [name: string]: Value } | null =>
  map.size === 0 ? null : Object.fromEntries(map);

/**
 * Creates records in one commit; each succeeds or fails separately. Later calls may name them by their creation ids.
 * @returns the arguments that the responses of Email/import and of the verb /copy share.
 * @throws MethodError stateMismatch; requestTooLarge when the response does not fit.
 */
export const createRecords = async (
  type: RecordType,
  { creationIds, beginChangeSet, notCreated, toResponse }: PreparedCreations,
  ifInState: string | null,
  account: OpenAccount,
  context: RequestContext,
): Promise<CreationResponse> => {
  let planned: Planned | undefined;
  const refused = await commitToAccount(type, account, context, (view) => {
    const oldState = view.state(type.name);
    checkState('ifInState', ifInState, oldState);
    const changeSet = beginChangeSet(view);
    planned = { oldState, sequence: view.sequence, created: new Map(), notCreated: new Map(notCreated) };
    for (const creationId of creationIds) {
      try {
        planned.created.set(creationId, changeSet.create(creationId));
      } catch (failure) {
        planned.notCreated.set(creationId, setErrorOf(failure));
      }
    }
    const { created, notCreated: failed } = planned;
    if (!context.responseRoom.fits({ created: [...created.keys()], notCreated: objectOrNull(failed) }, created.size)) throw responseTooLarge();
    return changeSet.commit();
  });
  const { oldState, created, ...outcome } = planned!;
  for (const [creationId, id] of created) {
    const failure = refused.get(id);
    if (failure) created.delete(creationId);
    if (failure) outcome.notCreated.set(creationId, failure);
    else context.createdIds.set(creationId, id);
  }
  const isOnlyOwn = await isOnlyOwnChange(type, account, context, { oldState, sequence: outcome.sequence, ownIds: new Set(created.values()) });
  return {
    accountId: account.accountId,
    oldState: isOnlyOwn ? oldState : null,
    newState: account.view.state(type.name),
    created: objectOrNull(new Map([...created].map(([creationId, id]) => [creationId, toResponse(id, creationId)]))),
    notCreated: objectOrNull(outcome.notCreated),
  };
};
