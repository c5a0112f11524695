import { coreLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { RecordType, VerbArguments } from '../../../contract/jmap/record.ts';
import { checkState, commitToAccount, isOnlyOwnChange } from './account-commit.ts';
import { responseTooLarge } from './api-response.ts';
import type { AccountChangeSet, CommittedChanges, PrincipalSetBehaviour, SetBehaviour } from './behaviour.ts';
import { objectOrNull } from './create-records.ts';
import { MethodError, type SetError } from './jmap-errors.ts';
import type { MethodHandler, PrincipalHandler } from './method.ts';
import { resolveCreationId, type ResolveId } from './patch-object.ts';
import type { RequestContext } from './request-context.ts';
import { applyChanges, type Outcome } from './set-changes.ts';

type Args = VerbArguments<'set'>;
type RequestedChanges = Pick<Args, 'create' | 'update' | 'destroy'>;

/** Checks the number of objects. @throws MethodError requestTooLarge (RFC 8620 §5.3). */
const checkObjectCount = ({ create, update, destroy }: RequestedChanges) => {
  const records = Object.keys(create ?? {}).length + Object.keys(update ?? {}).length + (destroy?.length ?? 0);
  if (records > coreLimits.maxObjectsInSet) {
    throw new MethodError('requestTooLarge', `A call may change at most ${coreLimits.maxObjectsInSet} records (maxObjectsInSet).`);
  }
};

/** The names of the properties in each update, by record id. */
const updatedPropertyNames = (update: Args['update'], idOf: (given: string) => string): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(Object.entries(update ?? {}).map(([given, patch]) => [idOf(given), new Set(Object.keys(patch).map((path) => path.split('/')[0]!))]));

/** Whether a /set changes only properties that have a separate value for each member of the account. */
export const changesOnlyPerMember = (type: RecordType, { create, update, destroy }: RequestedChanges): boolean =>
  Object.keys(create ?? {}).length + (destroy?.length ?? 0) === 0 &&
  Object.values(update ?? {}).every((patch) => Object.keys(patch).every((name) => type.properties[name]?.perMember));

const outcomeResponse = ({ created, updated, destroyed, notCreated, notUpdated, notDestroyed }: Outcome): JsonObject => ({
  created: objectOrNull(created),
  updated: objectOrNull(updated),
  destroyed: destroyed.size === 0 ? null : [...destroyed],
  notCreated: objectOrNull(notCreated),
  notUpdated: objectOrNull(notUpdated),
  notDestroyed: objectOrNull(notDestroyed),
});

/** Checks that the response fits. @throws MethodError requestTooLarge */
const checkResponseFits = (outcome: Outcome, { responseRoom }: RequestContext): void => {
  if (!responseRoom.fits(outcomeResponse(outcome), outcome.created.size)) throw responseTooLarge();
};

const ownIds = ({ created, updated, destroyed }: Outcome): ReadonlySet<string> =>
  new Set([...updated.keys(), ...destroyed, ...[...created.values()].flatMap(({ id }) => (typeof id === 'string' ? [id] : []))]);

/** New ids by creation id. */
const newIdsFor = ({ create }: RequestedChanges, { dependencies }: RequestContext): ReadonlyMap<string, string> =>
  new Map(Object.keys(create ?? {}).map((creationId) => [creationId, dependencies.newId()]));

const committedChanges = ({ created, updated, destroyed }: Outcome, newIds: ReadonlyMap<string, string>): CommittedChanges => ({
  created: new Map([...created.keys()].map((creationId) => [creationId, newIds.get(creationId)!])),
  updated: new Set(updated.keys()),
  destroyed,
});

const rememberCreatedIds = ({ created }: Outcome, newIds: ReadonlyMap<string, string>, { createdIds }: RequestContext): void => {
  for (const creationId of created.keys()) createdIds.set(creationId, newIds.get(creationId)!);
};

/** The verb /set (RFC 8620 §5.3). */
export const set =
  <A extends Args>(type: RecordType, behaviour: SetBehaviour<A>): MethodHandler<A> =>
  async (args, account, context) => {
    checkObjectCount(args);
    const resolveEarlierId: ResolveId = (creationId) => context.createdIds.get(creationId);
    const idOf = (given: string) => resolveCreationId(given, resolveEarlierId);
    const {
      beginChangeSet,
      newIds = newIdsFor(args, context),
      committedProperties,
      afterCommit,
      afterFailure,
    } = await behaviour.prepareChangeSet(updatedPropertyNames(args.update, idOf), args, account, context);

    let planned: { readonly oldState: string; readonly sequence: number; readonly outcome: Outcome } | undefined;
    const refused = await commitToAccount(type, account, context, (view) => {
      const oldState = view.state(type.name);
      checkState('ifInState', args.ifInState, oldState);
      const changeSet = beginChangeSet(view);
      const outcome = applyChanges(type, args, changeSet, newIds, resolveEarlierId);
      completeChanges(changeSet, outcome, newIds, resolveEarlierId);
      checkResponseFits(outcome, context);
      planned = { oldState, sequence: view.sequence, outcome };
      return changeSet.commit();
    }).catch(async (failure: unknown) => {
      await afterFailure?.(failure);
      throw failure;
    });

    const { oldState, outcome } = planned!;
    moveWriteFailures(outcome, newIds, refused);
    rememberCreatedIds(outcome, newIds, context);
    for (const [creationId, created] of outcome.created) {
      const committed = committedProperties?.(newIds.get(creationId)!, account.view);
      outcome.created.set(creationId, { ...created, ...committed });
    }
    await afterCommit?.(committedChanges(outcome, newIds));
    return {
      accountId: account.accountId,
      oldState: (await isOnlyOwnChange(type, account, context, { ...planned!, ownIds: ownIds(outcome) })) ? oldState : null,
      newState: account.view.state(type.name),
      ...outcomeResponse(outcome),
    };
  };

/** Completes the change set, and adds the properties that it has set to the outcome. */
const completeChanges = (
  changeSet: AccountChangeSet,
  { created, updated, notCreated, notUpdated, notDestroyed }: Outcome,
  newIds: ReadonlyMap<string, string>,
  resolveEarlierId: ResolveId,
): void => {
  const resolveId: ResolveId = (creationId) => (created.has(creationId) ? newIds.get(creationId) : resolveEarlierId(creationId));
  const creationIds = new Map([...created.keys()].map((creationId) => [newIds.get(creationId)!, creationId]));
  const allSucceeded = notCreated.size + notUpdated.size + notDestroyed.size === 0;
  for (const [id, properties] of changeSet.complete?.(allSucceeded, resolveId) ?? []) {
    const creationId = creationIds.get(id);
    if (creationId === undefined) updated.set(id, { ...updated.get(id), ...properties });
    else created.set(creationId, { ...created.get(creationId), ...properties });
  }
};

/** The verb /set for records of a principal. The response has no accountId and no states (RFC 8620 §7.2.2). */
export const setOfPrincipal =
  (type: RecordType, behaviour: PrincipalSetBehaviour): PrincipalHandler<RequestedChanges> =>
  async (args, context) => {
    checkObjectCount(args);
    const changeSet = await behaviour.beginChangeSet(context);
    const newIds = newIdsFor(args, context);
    const outcome = applyChanges(type, args, changeSet, newIds, (creationId) => context.createdIds.get(creationId));
    checkResponseFits(outcome, context);
    moveWriteFailures(outcome, newIds, await changeSet.write());
    for (const [id, properties] of changeSet.written?.() ?? []) {
      if (outcome.updated.has(id) && Object.keys(properties).length > 0) outcome.updated.set(id, { ...outcome.updated.get(id), ...properties });
    }
    rememberCreatedIds(outcome, newIds, context);
    return outcomeResponse(outcome);
  };

/** Moves the changes whose writes failed to `notCreated`, `notUpdated` and `notDestroyed`. */
const moveWriteFailures = (outcome: Outcome, newIds: ReadonlyMap<string, string>, failures: ReadonlyMap<string, SetError>): void => {
  const { created, updated, destroyed, notCreated, notUpdated, notDestroyed } = outcome;
  for (const creationId of created.keys()) moveFailure(created, creationId, notCreated, failures.get(newIds.get(creationId)!));
  for (const id of updated.keys()) moveFailure(updated, id, notUpdated, failures.get(id));
  for (const id of destroyed) moveFailure(destroyed, id, notDestroyed, failures.get(id));
};

const moveFailure = (succeeded: Map<string, unknown> | Set<string>, name: string, failed: Map<string, SetError>, failure: SetError | undefined): void => {
  if (failure && succeeded.delete(name)) failed.set(name, failure);
};
