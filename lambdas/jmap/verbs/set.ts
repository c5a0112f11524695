import { isDeepStrictEqual } from 'node:util';
import { coreLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { RecordType, VerbArguments } from '../../../contract/jmap/record.ts';
import { MethodError, SetError } from '../protocol/errors.ts';
import type { OpenAccount, RequestContext } from '../request-context.ts';
import type { MethodHandler } from '../protocol/method.ts';
import type { Draft, PrincipalSetBehaviour, SetBehaviour } from './behaviour.ts';
import { applyPatch, newProperties, valueWhenCleared, type ResolveId } from './patch-object.ts';

type Args = VerbArguments<'set'>;

/** What became of each record, in the maps of RFC 8620 §5.3. */
type Outcome = {
  readonly created: Map<string, JsonObject>;
  readonly updated: Map<string, JsonObject | null>;
  readonly destroyed: Set<string>;
  readonly notCreated: Map<string, SetError>;
  readonly notUpdated: Map<string, SetError>;
  readonly notDestroyed: Map<string, SetError>;
};

/**
 * Tries each; what fails is tried again as long as others succeed, so that a child may be named before the parent that it is created under,
 * or a parent destroyed before its child (RFC 8620 §5.3: one call, no order).
 */
const tryInAnyOrder = <Name>(names: Iterable<Name>, attempt: (name: Name) => void): Map<Name, SetError> => {
  let failed = new Map<Name, SetError>();
  for (let waiting = [...names], before = Infinity; waiting.length > 0 && waiting.length < before; waiting = [...failed.keys()]) {
    before = waiting.length;
    failed = new Map();
    for (const name of waiting) {
      try {
        attempt(name);
      } catch (failure) {
        if (!(failure instanceof SetError)) throw failure;
        failed.set(name, failure);
      }
    }
  }
  return failed;
};

/**
 * What a client can't know of a record from what it sent: values that were normalized, and on create the properties that it left out. Null asks for the
 * default; any other value is returned. Write-only values that were sent are never returned.
 * @returns null when there is nothing to return (RFC 8620 §5.3).
 */
const changedByServer = (type: RecordType, given: JsonObject, current: JsonObject, isNew: boolean): JsonObject | null => {
  const requested = (name: string) => (given[name] === null ? valueWhenCleared(type.properties[name]!) : given[name]);
  const different = Object.entries(current).filter(([name, value]) => (Object.hasOwn(given, name)
    ? !type.properties[name]?.writeOnly && !isDeepStrictEqual(requested(name), value)
    : isNew));
  return different.length === 0 ? null : Object.fromEntries(different);
};

/** Carries out creates, updates and destroys on a draft. */
const applyToDraft = (type: RecordType, args: Args, draft: Draft, newIds: ReadonlyMap<string, string>, known: ResolveId, createRefused: string | undefined): Outcome => {
  const created = new Map<string, JsonObject>();
  const updated = new Map<string, JsonObject | null>();
  const destroyed = new Set<string>();
  const resolveId: ResolveId = (creationId) => created.has(creationId) ? newIds.get(creationId) : known(creationId);
  const idOf = (given: string) => given.startsWith('#') ? resolveId(given.slice(1)) ?? given : given;
  const existing = (id: string) => {
    const current = draft.current(id);
    if (!current) throw new SetError('notFound', `There is no such ${type.name}.`);
    return current;
  };

  const notCreated = tryInAnyOrder(newIds.keys(), (creationId) => {
    if (createRefused !== undefined) throw new SetError('forbidden', createRefused);
    const given = args.create![creationId]!;
    const id = newIds.get(creationId)!;
    draft.create(id, newProperties(type, given, resolveId));
    created.set(creationId, changedByServer(type, given, draft.current(id)!, true) ?? {});
  });
  const toDestroy = new Set((args.destroy ?? []).map(idOf));
  const notUpdated = tryInAnyOrder(Object.keys(args.update ?? {}), (given) => {
    const id = idOf(given);
    const current = existing(id);
    if (toDestroy.has(id)) throw new SetError('willDestroy', 'The same call destroys it.');
    draft.update(id, applyPatch(type, current, args.update![given]!, resolveId));
    updated.set(id, changedByServer(type, args.update![given]!, draft.current(id)!, false));
  });
  const notDestroyed = tryInAnyOrder(toDestroy, (id) => {
    existing(id);
    draft.destroy(id);
    destroyed.add(id);
  });
  return { created, updated, destroyed, notCreated, notUpdated, notDestroyed };
};

/** @throws MethodError requestTooLarge (RFC 8620 §5.3). */
const checkObjectCount = ({ create, update, destroy }: Pick<Args, 'create' | 'update' | 'destroy'>) => {
  const records = Object.keys(create ?? {}).length + Object.keys(update ?? {}).length + (destroy?.length ?? 0);
  if (records > coreLimits.maxObjectsInSet) throw new MethodError('requestTooLarge', `maxObjectsInSet: at most ${coreLimits.maxObjectsInSet} records at a time.`);
};

/** The properties that updates name, by the id they will apply to. */
const updatedPropertyNames = (update: Args['update'], idOf: (given: string) => string): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(Object.entries(update ?? {}).map(([given, patch]) => [idOf(given), new Set(Object.keys(patch).map((path) => path.split('/')[0]!))]));

const toObjectOrNull = <Value>(map: ReadonlyMap<string, Value>) => map.size === 0 ? null : Object.fromEntries(map);

const outcomeResponse = ({ created, updated, destroyed, notCreated, notUpdated, notDestroyed }: Outcome): JsonObject => ({
  created: toObjectOrNull(created),
  updated: toObjectOrNull(updated),
  destroyed: destroyed.size === 0 ? null : [...destroyed],
  notCreated: toObjectOrNull(notCreated),
  notUpdated: toObjectOrNull(notUpdated),
  notDestroyed: toObjectOrNull(notDestroyed),
});

/** New ids by creation id. */
const newIdsFor = ({ create }: Args, { tools }: RequestContext): ReadonlyMap<string, string> =>
  new Map(Object.keys(create ?? {}).map((creationId) => [creationId, tools.newId()]));

const rememberCreatedIds = ({ created }: Outcome, newIds: ReadonlyMap<string, string>, { createdIds }: RequestContext): void => {
  for (const creationId of created.keys()) createdIds.set(creationId, newIds.get(creationId)!);
};

/** RFC 8620 §5.3 */
export const set = <A extends Args>(type: RecordType, behaviour: SetBehaviour<A> | PrincipalSetBehaviour): MethodHandler<A> => async (args, account, context) => {
  checkObjectCount(args);
  return 'beginDraft' in behaviour ? setOfPrincipal(type, behaviour, args, context) : setInAccount(type, behaviour, args, account, context);
};

const setInAccount = async <A extends Args>(type: RecordType, behaviour: SetBehaviour<A>, args: A, account: OpenAccount, context: RequestContext): Promise<JsonObject> => {
  const known: ResolveId = (creationId) => context.createdIds.get(creationId);
  const newIds = newIdsFor(args, context);
  const mentioned = updatedPropertyNames(args.update, (given) => given.startsWith('#') ? known(given.slice(1)) ?? given : given);
  const begin = await behaviour.prepareDraft(mentioned, args, account, context);

  let planned: PlannedCommit | undefined;
  await commit(account, context, (view) => {
    const oldState = view.state(type.name);
    if (args.ifInState !== null && args.ifInState !== oldState) throw new MethodError('stateMismatch', 'The state is no longer the one in "ifInState".');
    const draft = begin(view);
    planned = { oldState, sequence: view.sequence, outcome: applyToDraft(type, args, draft, newIds, known, behaviour.createForbidden) };
    return draft.commit();
  });

  const { oldState, outcome } = planned!;
  rememberCreatedIds(outcome, newIds, context);
  return {
    accountId: account.accountId,
    oldState: await isOnlyOwnChange(type, account, context, planned!) ? oldState : null,
    newState: account.view.state(type.name),
    ...outcomeResponse(outcome),
  };
};

/** Records of a principal are in no account: the response has no account and no state (RFC 8620 §7.2.2). */
const setOfPrincipal = async (type: RecordType, behaviour: PrincipalSetBehaviour, args: Args, context: RequestContext): Promise<JsonObject> => {
  const draft = await behaviour.beginDraft(context);
  const newIds = newIdsFor(args, context);
  const outcome = applyToDraft(type, args, draft, newIds, (creationId) => context.createdIds.get(creationId), undefined);
  const failed = moveWriteFailures(outcome, newIds, await draft.write());
  rememberCreatedIds(failed, newIds, context);
  return outcomeResponse(failed);
};

/** The outcome without the changes that could not be written. */
const moveWriteFailures = (outcome: Outcome, newIds: ReadonlyMap<string, string>, failures: ReadonlyMap<string, SetError>): Outcome => {
  const { created, updated, destroyed, notCreated, notUpdated, notDestroyed } = outcome;
  for (const creationId of created.keys()) moveFailure(created, creationId, notCreated, failures.get(newIds.get(creationId)!));
  for (const id of updated.keys()) moveFailure(updated, id, notUpdated, failures.get(id));
  for (const id of destroyed) moveFailure(destroyed, id, notDestroyed, failures.get(id));
  return outcome;
};

const moveFailure = (succeeded: Map<string, unknown> | Set<string>, name: string, failed: Map<string, SetError>, failure: SetError | undefined): void => {
  if (failure && succeeded.delete(name)) failed.set(name, failure);
};

type PlannedCommit = { readonly oldState: string; readonly sequence: number; readonly outcome: Outcome };

/**
 * Whether this call alone lies between the two states. A call that is too large for one commit is written as several, and another client's commit may be
 * between them: then no oldState would let the client continue without /changes.
 */
const isOnlyOwnChange = async (type: RecordType, { view }: OpenAccount, { tools: { store } }: RequestContext, { oldState, sequence, outcome }: PlannedCommit): Promise<boolean> => {
  if (view.sequence <= sequence + 1) return true;
  const { created, updated, destroyed } = outcome;
  const ours = new Set([...updated.keys(), ...destroyed, ...[...created.values()].map(({ id }) => id as string)]);
  const changes = await store.changes(view, type.name, oldState);
  return changes !== undefined && [...changes.created, ...changes.updated, ...changes.destroyed].every((id) => ours.has(id));
};

/** Commits and moves the account's view on, also when the commit failed: the old view may no longer be valid. */
const commit = async (account: OpenAccount, { tools: { store } }: RequestContext, plan: Parameters<typeof store.commit>[1]): Promise<void> => {
  try {
    account.view = await store.commit(account.view, plan);
  } catch (failure) {
    account.view = await store.open(account.accountId) ?? account.view;
    throw failure;
  }
};
