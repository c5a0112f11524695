import { isDeepStrictEqual } from 'node:util';
import { coreLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { RecordType, VerbArguments } from '../../../contract/jmap/record.ts';
import { MethodError, SetError } from '../protocol/errors.ts';
import type { OpenAccount, RequestContext } from '../request-context.ts';
import type { Draft, SetBehaviour, VerbAnswer } from './behaviour.ts';
import { applyPatch, cleared, newProperties, type ResolveId } from './patch-object.ts';

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
const inAnyOrder = <Name>(names: Iterable<Name>, attempt: (name: Name) => void): Map<Name, SetError> => {
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
 * What a client can't know of a record from what it said: values that were brought to another form, on create also what it left out. Whoever says null
 * asks for the default, and is told of anything else.
 * @returns null when there is nothing to tell (RFC 8620 §5.3).
 */
export const notAsGiven = (type: RecordType, given: JsonObject, current: JsonObject, isNew: boolean): JsonObject | null => {
  const asked = (name: string) => given[name] === null ? cleared(type.properties[name]!) : given[name];
  const untold = Object.entries(current).filter(([name, value]) => Object.hasOwn(given, name) ? !isDeepStrictEqual(asked(name), value) : isNew);
  return untold.length === 0 ? null : Object.fromEntries(untold);
};

/** Carries out creates, updates and destroys on a draft. */
const carryOut = (type: RecordType, args: Args, draft: Draft, newIds: ReadonlyMap<string, string>, known: ResolveId, createRefused: string | undefined): Outcome => {
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

  const notCreated = inAnyOrder(newIds.keys(), (creationId) => {
    if (createRefused !== undefined) throw new SetError('forbidden', createRefused);
    const given = args.create![creationId]!;
    const id = newIds.get(creationId)!;
    draft.create(id, newProperties(type, given, resolveId));
    created.set(creationId, notAsGiven(type, given, draft.current(id)!, true) ?? {});
  });
  const toDestroy = new Set((args.destroy ?? []).map(idOf));
  const notUpdated = inAnyOrder(Object.keys(args.update ?? {}), (given) => {
    const id = idOf(given);
    const current = existing(id);
    if (toDestroy.has(id)) throw new SetError('willDestroy', 'The same call destroys it.');
    draft.update(id, applyPatch(type, current, args.update![given]!, resolveId));
    updated.set(id, notAsGiven(type, args.update![given]!, draft.current(id)!, false));
  });
  const notDestroyed = inAnyOrder(toDestroy, (id) => {
    existing(id);
    draft.destroy(id);
    destroyed.add(id);
  });
  return { created, updated, destroyed, notCreated, notUpdated, notDestroyed };
};

/** @throws MethodError requestTooLarge (RFC 8620 §5.3). */
export const refuseTooMany = ({ create, update, destroy }: Pick<Args, 'create' | 'update' | 'destroy'>) => {
  const records = Object.keys(create ?? {}).length + Object.keys(update ?? {}).length + (destroy?.length ?? 0);
  if (records > coreLimits.maxObjectsInSet) throw new MethodError('requestTooLarge', `maxObjectsInSet: at most ${coreLimits.maxObjectsInSet} records at a time.`);
};

/** The properties that updates name, by the id they will apply to. */
const mentionedIn = (update: Args['update'], idOf: (given: string) => string): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(Object.entries(update ?? {}).map(([given, patch]) => [idOf(given), new Set(Object.keys(patch).map((path) => path.split('/')[0]!))]));

export const orNull = <Value>(map: ReadonlyMap<string, Value>) => map.size === 0 ? null : Object.fromEntries(map);

/** RFC 8620 §5.3 */
export const set = <A extends Args>(type: RecordType, behaviour: SetBehaviour<A>): VerbAnswer<A> => async (args, account, context) => {
  refuseTooMany(args);
  const known: ResolveId = (creationId) => context.createdIds.get(creationId);
  const newIds = new Map(Object.keys(args.create ?? {}).map((creationId) => [creationId, context.tools.newId()]));
  const mentioned = mentionedIn(args.update, (given) => given.startsWith('#') ? known(given.slice(1)) ?? given : given);
  const begin = await behaviour.prepare(mentioned, args, account, context);

  let planned: { readonly oldState: string; readonly sequence: number; readonly outcome: Outcome } | undefined;
  await commit(account, context, (view) => {
    const oldState = view.state(type.name);
    if (args.ifInState !== null && args.ifInState !== oldState) throw new MethodError('stateMismatch', 'The state is another one by now.');
    const draft = begin(view);
    planned = { oldState, sequence: view.sequence, outcome: carryOut(type, args, draft, newIds, known, behaviour.createRefused) };
    return draft.commit();
  });

  const { oldState, sequence, outcome } = planned!;
  for (const creationId of outcome.created.keys()) context.createdIds.set(creationId, newIds.get(creationId)!);
  return {
    accountId: account.accountId,
    oldState: await isAllOurs(type, account, context, { oldState, sequence, outcome }) ? oldState : null,
    newState: account.view.state(type.name),
    created: orNull(outcome.created),
    updated: orNull(outcome.updated),
    destroyed: outcome.destroyed.size === 0 ? null : [...outcome.destroyed],
    notCreated: orNull(outcome.notCreated),
    notUpdated: orNull(outcome.notUpdated),
    notDestroyed: orNull(outcome.notDestroyed),
  };
};

/**
 * Whether nothing but this call lies between the two states. A call too large for one commit is several, and somebody else's may have come
 * between them: then there is no oldState that a client could go on from without asking /changes.
 */
const isAllOurs = async (type: RecordType, { view }: OpenAccount, { tools: { store } }: RequestContext, planned: { oldState: string; sequence: number; outcome: Outcome }): Promise<boolean> => {
  if (view.sequence <= planned.sequence + 1) return true;
  const { created, updated, destroyed } = planned.outcome;
  const ours = new Set([...updated.keys(), ...destroyed, ...[...created.values()].map(({ id }) => id as string)]);
  const changes = await store.changes(view, type.name, planned.oldState);
  return changes !== undefined && [...changes.created, ...changes.updated, ...changes.destroyed].every((id) => ours.has(id));
};

/** Commits and moves the account's view on, also when the commit failed: the old view may not hold any more. */
const commit = async (account: OpenAccount, { tools: { store } }: RequestContext, plan: Parameters<typeof store.commit>[1]): Promise<void> => {
  try {
    account.view = await store.commit(account.view, plan);
  } catch (failure) {
    account.view = await store.open(account.accountId) ?? account.view;
    throw failure;
  }
};
