import { isDeepStrictEqual } from 'node:util';
import { coreLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { RecordType, VerbArguments } from '../../../contract/jmap/record.ts';
import { MethodError, SetError } from '../protocol/errors.ts';
import type { OpenAccount, RequestContext } from '../request-context.ts';
import type { MethodHandler } from '../protocol/method.ts';
import { checkState, commitToAccount, isOnlyOwnChange, setErrorOf } from './account-commit.ts';
import type { Draft, PrincipalSetBehaviour, SetBehaviour } from './behaviour.ts';
import { applyPatch, newProperties, valueWhenCleared, type ResolveId } from './patch-object.ts';

type Args = VerbArguments<'set'>;

/** The outcome for each record, as in the /set response (RFC 8620 §5.3). */
type Outcome = {
  readonly created: Map<string, JsonObject>;
  readonly updated: Map<string, JsonObject | null>;
  readonly destroyed: Set<string>;
  readonly notCreated: Map<string, SetError>;
  readonly notUpdated: Map<string, SetError>;
  readonly notDestroyed: Map<string, SetError>;
};

/**
 * Passes over the records of a /set. Every second pass is in reverse order, so that a chain of dependent changes needs
 * two passes when it is given in order. The number bounds the work for chains in any other order.
 */
const maxPasses = 16;

/**
 * Attempts the change of each record. Failed ones are attempted again as long as others succeed, because the changes of
 * a /set have no order (RFC 8620 §5.3): a child may precede the parent that it is created under.
 * @returns the errors of the records that failed.
 */
const tryInAnyOrder = <Name>(names: Iterable<Name>, attempt: (name: Name) => void): Map<Name, SetError> => {
  let failed = new Map<Name, SetError>();
  let remaining = [...names];
  for (let pass = 0, previousCount = Infinity; remaining.length < previousCount && pass < maxPasses; pass += 1) {
    previousCount = remaining.length;
    failed = new Map();
    for (const name of remaining) {
      try {
        attempt(name);
      } catch (failure) {
        failed.set(name, setErrorOf(failure));
      }
    }
    remaining = [...failed.keys()].toReversed();
  }
  return failed;
};

/**
 * The properties whose values differ from those that the client sent (RFC 8620 §5.3): normalized values, and on create
 * also the properties that it omitted. Null in a request stands for the default. Write-only properties that the client
 * sent are omitted.
 * @returns null when there are none.
 */
const changedByServer = (type: RecordType, given: JsonObject, current: JsonObject, isNew: boolean): JsonObject | null => {
  const requested = (name: string) => (given[name] === null ? valueWhenCleared(type.properties[name]!) : given[name]);
  const different = Object.entries(current).filter(([name, value]) => (Object.hasOwn(given, name)
    ? !type.properties[name]?.writeOnly && !isDeepStrictEqual(requested(name), value)
    : isNew));
  return different.length === 0 ? null : Object.fromEntries(different);
};

/**
 * Makes the creates, updates and destroys on a draft.
 * @param resolveEarlierId resolves creation ids of the request's earlier calls.
 */
const applyToDraft = (
  type: RecordType,
  args: Args,
  draft: Draft,
  newIds: ReadonlyMap<string, string>,
  resolveEarlierId: ResolveId,
): Outcome => {
  const created = new Map<string, JsonObject>();
  const updated = new Map<string, JsonObject | null>();
  const destroyed = new Set<string>();
  const resolveId: ResolveId = (creationId) => created.has(creationId) ? newIds.get(creationId) : resolveEarlierId(creationId);
  const idOf = (given: string) => given.startsWith('#') ? resolveId(given.slice(1)) ?? given : given;
  const getCurrent = (id: string) => {
    const current = draft.current(id);
    if (!current) throw new SetError('notFound', `The ${type.name} does not exist.`);
    return current;
  };

  const notCreated = tryInAnyOrder(newIds.keys(), (creationId) => {
    const given = args.create![creationId]!;
    const id = newIds.get(creationId)!;
    draft.create(id, newProperties(type, given, resolveId));
    created.set(creationId, changedByServer(type, given, draft.current(id)!, true) ?? {});
  });
  const toDestroy = new Set((args.destroy ?? []).map(idOf));
  const notUpdated = tryInAnyOrder(Object.keys(args.update ?? {}), (given) => {
    const id = idOf(given);
    const current = getCurrent(id);
    if (toDestroy.has(id)) throw new SetError('willDestroy', 'The same call destroys this record.');
    draft.update(id, applyPatch(type, current, args.update![given]!, resolveId));
    updated.set(id, changedByServer(type, args.update![given]!, draft.current(id)!, false));
  });
  const notDestroyed = tryInAnyOrder(toDestroy, (id) => {
    getCurrent(id);
    draft.destroy(id);
    destroyed.add(id);
  });
  return { created, updated, destroyed, notCreated, notUpdated, notDestroyed };
};

/** @throws MethodError requestTooLarge (RFC 8620 §5.3). */
const checkObjectCount = ({ create, update, destroy }: Pick<Args, 'create' | 'update' | 'destroy'>) => {
  const records = Object.keys(create ?? {}).length + Object.keys(update ?? {}).length + (destroy?.length ?? 0);
  if (records > coreLimits.maxObjectsInSet) {
    throw new MethodError('requestTooLarge', `A call may change at most ${coreLimits.maxObjectsInSet} records (maxObjectsInSet).`);
  }
};

/** The names of the properties in each update, by record id. */
const updatedPropertyNames = (update: Args['update'], idOf: (given: string) => string): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(
    Object.entries(update ?? {}).map(([given, patch]) => [idOf(given), new Set(Object.keys(patch).map((path) => path.split('/')[0]!))]),
  );

/** Whether a /set changes nothing but properties of which each member of the account has a value of their own. */
export const changesOnlyPerMember = (type: RecordType, { create, update, destroy }: Args): boolean =>
  Object.keys(create ?? {}).length + (destroy?.length ?? 0) === 0
  && Object.values(update ?? {}).every((patch) => Object.keys(patch).every((name) => type.properties[name]?.perMember));

const toObjectOrNull = <Value>(map: ReadonlyMap<string, Value>) => map.size === 0 ? null : Object.fromEntries(map);

const outcomeResponse = ({ created, updated, destroyed, notCreated, notUpdated, notDestroyed }: Outcome): JsonObject => ({
  created: toObjectOrNull(created),
  updated: toObjectOrNull(updated),
  destroyed: destroyed.size === 0 ? null : [...destroyed],
  notCreated: toObjectOrNull(notCreated),
  notUpdated: toObjectOrNull(notUpdated),
  notDestroyed: toObjectOrNull(notDestroyed),
});

const ownIds = ({ created, updated, destroyed }: Outcome): ReadonlySet<string> =>
  new Set([...updated.keys(), ...destroyed, ...[...created.values()].map(({ id }) => id as string)]);

/** New ids by creation id. */
const newIdsFor = ({ create }: Args, { tools }: RequestContext): ReadonlyMap<string, string> =>
  new Map(Object.keys(create ?? {}).map((creationId) => [creationId, tools.newId()]));

const rememberCreatedIds = ({ created }: Outcome, newIds: ReadonlyMap<string, string>, { createdIds }: RequestContext): void => {
  for (const creationId of created.keys()) createdIds.set(creationId, newIds.get(creationId)!);
};

/** The verb /set (RFC 8620 §5.3). */
export const set = <A extends Args>(type: RecordType, behaviour: SetBehaviour<A> | PrincipalSetBehaviour): MethodHandler<A> =>
  async (args, account, context) => {
    checkObjectCount(args);
    return 'beginDraft' in behaviour
      ? setOfPrincipal(type, behaviour, args, context)
      : setInAccount(type, behaviour, args, account, context);
  };

const setInAccount = async <A extends Args>(
  type: RecordType,
  behaviour: SetBehaviour<A>,
  args: A,
  account: OpenAccount,
  context: RequestContext,
): Promise<JsonObject> => {
  const resolveEarlierId: ResolveId = (creationId) => context.createdIds.get(creationId);
  const idOf = (given: string) => given.startsWith('#') ? resolveEarlierId(given.slice(1)) ?? given : given;
  const { beginDraft, newIds = newIdsFor(args, context), committedProperties } = await behaviour.prepareDraft(
    updatedPropertyNames(args.update, idOf), args, account, context,
  );

  let planned: { readonly oldState: string; readonly sequence: number; readonly outcome: Outcome } | undefined;
  const refused = await commitToAccount(type, account, context, (view) => {
    const oldState = view.state(type.name);
    checkState('ifInState', args.ifInState, oldState);
    const draft = beginDraft(view);
    planned = { oldState, sequence: view.sequence, outcome: applyToDraft(type, args, draft, newIds, resolveEarlierId) };
    return draft.commit();
  });

  const { oldState, outcome } = planned!;
  moveWriteFailures(outcome, newIds, refused);
  rememberCreatedIds(outcome, newIds, context);
  for (const [creationId, created] of outcome.created) {
    const committed = committedProperties?.(newIds.get(creationId)!, account.view);
    outcome.created.set(creationId, { ...created, ...committed });
  }
  return {
    accountId: account.accountId,
    oldState: await isOnlyOwnChange(type, account, context, { ...planned!, ownIds: ownIds(outcome) }) ? oldState : null,
    newState: account.view.state(type.name),
    ...outcomeResponse(outcome),
  };
};

/** /set of a principal's records. The response has no accountId and no states (RFC 8620 §7.2.2). */
const setOfPrincipal = async (
  type: RecordType, behaviour: PrincipalSetBehaviour, args: Args, context: RequestContext,
): Promise<JsonObject> => {
  const draft = await behaviour.beginDraft(context);
  const newIds = newIdsFor(args, context);
  const outcome = applyToDraft(type, args, draft, newIds, (creationId) => context.createdIds.get(creationId));
  moveWriteFailures(outcome, newIds, await draft.write());
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

const moveFailure = (
  succeeded: Map<string, unknown> | Set<string>,
  name: string,
  failed: Map<string, SetError>,
  failure: SetError | undefined,
): void => {
  if (failure && succeeded.delete(name)) failed.set(name, failure);
};
