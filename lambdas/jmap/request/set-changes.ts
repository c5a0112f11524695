import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { RecordType, VerbArguments } from '../../../contract/jmap/record.ts';
import { setErrorOf } from './account-commit.ts';
import type { ChangeSet } from './behaviour.ts';
import { SetError } from './jmap-errors.ts';
import { applyPatch, newProperties, resolveCreationId, valueWhenCleared, type ResolveId } from './patch-object.ts';

type Args = Pick<VerbArguments<'set'>, 'create' | 'update' | 'destroy'>;

/** The outcome for each record, as in the /set response (RFC 8620 §5.3). */
export type Outcome = {
  readonly created: Map<string, JsonObject>;
  readonly updated: Map<string, JsonObject | null>;
  readonly destroyed: Set<string>;
  readonly notCreated: Map<string, SetError>;
  readonly notUpdated: Map<string, SetError>;
  readonly notDestroyed: Map<string, SetError>;
};

/** The change of one record. */
type Change = {
  /** Attempts the change. @throws SetError; then the change set is unchanged. */
  attempt(): void;
  /** Removes the record from the outcome, after the change set was reset. */
  forget(): void;
  /** Adds the record to the failures in the outcome. */
  fail(error: SetError): void;
};

/** Maximum passes over the changes of a /set, alternately forwards and backwards. */
const maxPasses = 16;

/**
 * Attempts each change. Failed changes are attempted again while other changes succeed, because the changes of a /set
 * have no order (RFC 8620 §5.3): a child may precede its new parent.
 * @returns the errors of the failed changes.
 */
const tryInAnyOrder = (changes: readonly Change[]): Map<Change, SetError> => {
  let failed = new Map<Change, SetError>();
  let remaining = changes;
  for (let pass = 0, previousCount = Infinity; remaining.length < previousCount && pass < maxPasses; pass += 1) {
    previousCount = remaining.length;
    failed = new Map();
    for (const change of remaining) {
      try {
        change.attempt();
      } catch (failure) {
        failed.set(change, setErrorOf(failure));
      }
    }
    remaining = [...failed.keys()].toReversed();
  }
  return failed;
};

/**
 * Makes changes together that would fail one by one, such as two Mailboxes that swap their names. A change that is
 * impossible even so is left out.
 * @returns the errors of the failed changes.
 */
const tryTogether = (changeSet: ChangeSet, failed: Map<Change, SetError>): Map<Change, SetError> => {
  const errors = new Map(failed);
  let remaining = [...failed.keys()];
  for (let pass = 0; changeSet.together && remaining.length > 1 && pass < maxPasses; pass += 1) {
    const failures = changeSet.together(remaining.map((change) => () => change.attempt()));
    if (failures.size === 0) {
      for (const change of remaining) errors.delete(change);
      return errors;
    }
    for (const change of remaining) change.forget();
    for (const [index, failure] of failures) errors.set(remaining[index]!, setErrorOf(failure));
    remaining = remaining.filter((_, index) => !failures.has(index));
  }
  return errors;
};

/**
 * The properties whose stored values differ from those of the client (RFC 8620 §5.3): normalized values and, after a
 * create, omitted properties. Null in a request means the default. Write-only properties that the client sent are
 * omitted.
 * @returns null when there are none.
 */
const changedByServer = (type: RecordType, given: JsonObject, current: JsonObject, isNew: boolean): JsonObject | null => {
  const requested = (name: string) => (given[name] === null ? valueWhenCleared(type.properties[name]) : given[name]);
  const different = Object.entries(current).filter(([name, value]) =>
    Object.hasOwn(given, name) ? !type.properties[name]?.writeOnly && !isDeepStrictEqual(requested(name), value) : isNew,
  );
  return different.length === 0 ? null : Object.fromEntries(different);
};

/**
 * Checks that records may be created and destroyed. @throws SetError singleton for a type of which every account has
 * exactly one record.
 */
const checkNumberMayChange = ({ name, isSingleton }: RecordType): void => {
  if (isSingleton) throw new SetError('singleton', `An account has exactly one ${name}: it can only be updated.`);
};

/**
 * Applies the creates, updates and destroys of a /set to a change set.
 * @param newIds the ids of the new records, by creation id.
 * @param resolveEarlierId resolves creation ids of earlier calls of the request.
 */
export const applyChanges = (type: RecordType, args: Args, changeSet: ChangeSet, newIds: ReadonlyMap<string, string>, resolveEarlierId: ResolveId): Outcome => {
  const outcome: Outcome = {
    created: new Map(),
    updated: new Map(),
    destroyed: new Set(),
    notCreated: new Map(),
    notUpdated: new Map(),
    notDestroyed: new Map(),
  };
  const { created, updated, destroyed, notCreated, notUpdated, notDestroyed } = outcome;
  const resolveId: ResolveId = (creationId) => (created.has(creationId) ? newIds.get(creationId) : resolveEarlierId(creationId));
  const idOf = (given: string) => resolveCreationId(given, resolveId);
  const getCurrent = (id: string) => {
    const current = changeSet.current(id);
    if (!current) throw new SetError('notFound', `The ${type.name} does not exist.`);
    return current;
  };
  const toDestroy = new Set(args.destroy);
  const createdToDestroy = [...toDestroy].filter((given) => given.startsWith('#'));
  const willDestroy = (id: string) => toDestroy.has(id) || createdToDestroy.some((given) => idOf(given) === id);

  const create = (creationId: string): Change => ({
    attempt() {
      checkNumberMayChange(type);
      const given = args.create![creationId]!;
      const id = newIds.get(creationId)!;
      changeSet.create(id, newProperties(type, given, resolveId));
      created.set(creationId, changedByServer(type, given, changeSet.current(id)!, true) ?? {});
    },
    forget: () => void created.delete(creationId),
    fail: (error) => void notCreated.set(creationId, error),
  });
  const update = (given: string): Change => ({
    attempt() {
      const id = idOf(given);
      if (destroyed.has(id) || (getCurrent(id) && willDestroy(id))) {
        throw new SetError('willDestroy', 'The same call destroys this record.');
      }
      changeSet.update(id, applyPatch(type, getCurrent(id), args.update![given]!, resolveId));
      updated.set(id, changedByServer(type, args.update![given]!, changeSet.current(id)!, false));
    },
    forget: () => void updated.delete(idOf(given)),
    fail: (error) => void notUpdated.set(given, error),
  });
  const destroy = (given: string): Change => ({
    attempt() {
      const id = idOf(given);
      if (destroyed.has(id)) return;
      getCurrent(id);
      checkNumberMayChange(type);
      changeSet.destroy(id);
      destroyed.add(id);
    },
    forget: () => void destroyed.delete(idOf(given)),
    fail: (error) => void notDestroyed.set(idOf(given), error),
  });

  const changes = [...[...newIds.keys()].map(create), ...Object.keys(args.update ?? {}).map(update), ...[...toDestroy].map(destroy)];
  for (const [change, error] of tryTogether(changeSet, tryInAnyOrder(changes))) change.fail(error);
  return outcome;
};
