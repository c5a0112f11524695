import { coreLimits } from '../../../contract/jmap/core.ts';
import type { RecordType, VerbArguments } from '../../../contract/jmap/record.ts';
import { MethodError } from '../protocol/errors.ts';
import type { GetBehaviour, VerbAnswer } from './behaviour.ts';

/**
 * The properties to answer with: `id` always, all that come unasked when none are named (RFC 8620 §5.1).
 * @throws MethodError invalidArguments for a name that the type does not have.
 */
export const wanted = (type: RecordType, named: readonly string[] | null): ReadonlySet<string> => {
  if (named === null) return new Set(Object.keys(type.properties).filter((name) => !type.properties[name]!.onRequest));
  const isKnown = (name: string) => Object.hasOwn(type.properties, name) || (type.propertyPrefix !== undefined && name.startsWith(type.propertyPrefix));
  const unknown = named.find((name) => !isKnown(name));
  if (unknown !== undefined) throw new MethodError('invalidArguments', `"properties" names ${JSON.stringify(unknown)}, which no ${type.name} has.`);
  return new Set(['id', ...named]);
};

/** @throws MethodError requestTooLarge (RFC 8620 §5.1). */
export const refuseTooManyToGet = (records: number): void => {
  if (records > coreLimits.maxObjectsInGet) throw new MethodError('requestTooLarge', `maxObjectsInGet: at most ${coreLimits.maxObjectsInGet} records at a time.`);
};

/** RFC 8620 §5.1 */
export const get = <Args extends VerbArguments<'get'>>(type: RecordType, behaviour: GetBehaviour<Args>): VerbAnswer<Args> => async (args, account, context) => {
  const properties = wanted(type, args.properties);
  behaviour.check?.(args, properties);
  const { view } = account;
  refuseTooManyToGet(args.ids?.length ?? behaviour.count(view));
  const ids = [...new Set(args.ids ?? behaviour.ids(view))];
  const list = await behaviour.read(ids.filter((id) => behaviour.has(view, id)), properties, args, account, context);
  const found = new Set(list.map((record) => record['id']));
  return {
    accountId: account.accountId,
    state: view.state(type.name),
    list,
    notFound: ids.filter((id) => !found.has(id)),
  };
};
