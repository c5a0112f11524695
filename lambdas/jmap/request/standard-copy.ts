import { coreLimits } from '../../../contract/jmap/core.ts';
import { isId, isOfType, type JsonObject } from '../../../contract/jmap/data-type.ts';
import type { RecordType, VerbArguments } from '../../../contract/jmap/record.ts';
import { attemptEach, checkState } from './account-commit.ts';
import type { CopyBehaviour, RequestedCopy } from './behaviour.ts';
import { createRecords } from './create-records.ts';
import { MethodError, SetError } from './jmap-errors.ts';
import type { MethodHandler } from './method.ts';
import { normalize, type ResolveId } from './patch-object.ts';
import type { OpenAccount, RequestContext } from './request-context.ts';

type Args = VerbArguments<'copy'>;

/**
 * Opens the account `fromAccountId`, which has the originals.
 * @throws MethodError invalidArguments when it is the same account as `accountId`; fromAccountNotFound.
 */
export const openFromAccount = async (
  { fromAccountId, accountId }: Pick<Args, 'fromAccountId' | 'accountId'>,
  context: RequestContext,
): Promise<OpenAccount> => {
  if (fromAccountId === accountId) throw new MethodError('invalidArguments', '"fromAccountId" and "accountId" must differ.');
  try {
    return await context.openAccount(fromAccountId);
  } catch (failure) {
    if (!(failure instanceof MethodError) || failure.type !== 'accountNotFound') throw failure;
    throw new MethodError('fromAccountNotFound', failure.description);
  }
};

/**
 * Decodes the object of one copy.
 * @throws SetError invalidProperties with the names of all properties that a copy cannot set, or that have a value of
 * another type.
 */
const decodeCopy = (type: RecordType, { id, ...given }: JsonObject, resolveId: ResolveId): RequestedCopy => {
  const isSettable = (name: string) => Object.hasOwn(type.properties, name) && (type.setByCopy?.includes(name) ?? !type.properties[name]!.serverSet);
  const original = normalize('Id', id, resolveId);
  const invalid: string[] = [];
  const changes: [string, unknown][] = [];
  for (const [name, value] of Object.entries(given)) {
    const normalized = isSettable(name) ? normalize(type.properties[name]!.type, value, resolveId) : undefined;
    if (normalized === undefined || !isOfType(type.properties[name]!.type, normalized)) invalid.push(name);
    changes.push([name, normalized]);
  }
  if (!isId(original) || invalid.length > 0) {
    throw new SetError(
      'invalidProperties',
      'A copy cannot set these properties, or they must have a value of another type.',
      isId(original) ? invalid : ['id', ...invalid],
    );
  }
  return { id: original, changes: Object.fromEntries(changes) };
};

/** The verb /copy (RFC 8620 §5.4). `onSuccessDestroyOriginal` adds the response of a /set. */
export const copy =
  (type: RecordType, behaviour: CopyBehaviour): MethodHandler<Args> =>
  async (args, account, context) => {
    if (Object.keys(args.create).length > coreLimits.maxObjectsInSet) {
      throw new MethodError('requestTooLarge', `A call may copy at most ${coreLimits.maxObjectsInSet} records (maxObjectsInSet).`);
    }
    const from = await openFromAccount(args, context);
    checkState('ifFromInState', args.ifFromInState, from.view.state(type.name));
    checkState('ifInState', args.ifInState, account.view.state(type.name));
    const failed = new Map<string, SetError>();
    const copies = attemptEach(Object.entries(args.create), (given) => decodeCopy(type, given, (creationId) => context.createdIds.get(creationId)), failed);
    const prepared = await behaviour.prepareCopies(copies, from, account, context);
    const notCreated = new Map([...failed, ...prepared.notCreated]);
    const response = await createRecords(type, { ...prepared, notCreated }, args.ifInState, account, context);
    if (args.onSuccessDestroyOriginal && response.created) {
      const destroy = [...new Set(Object.keys(response.created).map((creationId) => copies.get(creationId)!.id))];
      const set = { accountId: args.fromAccountId, ifInState: args.destroyFromIfInState, destroy };
      context.implicitCalls.push({ name: `${type.name}/set`, args: set });
    }
    return { fromAccountId: args.fromAccountId, ...response };
  };
