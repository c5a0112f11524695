import { verbArguments, verbs, type CustomMethod, type RecordType, type Verb, type VerbArguments } from '../../../contract/jmap/record.ts';
import type { BehaviourOf } from './behaviour.ts';
import { customMethod, runnableMethod, type MethodHandler, type NamedMethod } from './method.ts';
import { changes } from './standard-changes.ts';
import { copy } from './standard-copy.ts';
import { get } from './standard-get.ts';
import { queryChanges } from './standard-query-changes.ts';
import { query } from './standard-query.ts';
import { changesOnlyPerMember, set } from './standard-set.ts';

/** For each verb, the function that makes the handler from a record type and its behaviour. */
const implementations: { readonly [V in Verb]: (type: RecordType, behaviour: never) => MethodHandler<never> } = {
  get,
  changes,
  query,
  queryChanges,
  set,
  copy,
};

const verbMethod = (type: RecordType, verb: Verb, behaviour: never): NamedMethod => [
  `${type.name}/${verb}`,
  runnableMethod(
    {
      capability: type.capability,
      permission: type.permissions?.[verb] ?? verbs[verb].permission,
      arguments: verbArguments(type, verb),
      ...(verb === 'set' && { mayReaderCall: (args) => changesOnlyPerMember(type, args as VerbArguments<'set'>) }),
    },
    implementations[verb](type, behaviour),
  ),
];

/** All methods of a record type, from its contract and its behaviour. */
export const standardMethods = <T extends RecordType>(type: T, behaviour: BehaviourOf<T>): readonly NamedMethod[] => {
  // Each entry has the type that its method needs: BehaviourOf states it by the method's name.
  const behaviours = behaviour as { readonly [method: string]: never };
  return type.methods.map((method: Verb | CustomMethod) =>
    typeof method === 'string'
      ? verbMethod(type, method, behaviours[method === 'queryChanges' ? 'query' : method]!)
      : customMethod(method, behaviours[method.name]!),
  );
};
