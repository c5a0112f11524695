import { accountVerbArguments, principalArguments, verbs, type AccountMethod, type RecordType, type Verb } from '../../../contract/jmap/record.ts';
import type { BehaviourOf } from './behaviour.ts';
import { accountMethod, customMethod, principalMethod, type Method, type NamedMethod } from './method.ts';
import { changes } from './standard-changes.ts';
import { copy } from './standard-copy.ts';
import { get, getOfPrincipal } from './standard-get.ts';
import { queryChanges } from './standard-query-changes.ts';
import { query } from './standard-query.ts';
import { changesOnlyPerMember, set, setOfPrincipal } from './standard-set.ts';

const rights = ({ capability, permissions }: RecordType, verb: Verb) => ({ capability, permission: permissions?.[verb] ?? verbs[verb].permission });

/** The contract of a method whose records are in an account. */
const accountContract = <V extends Verb>(type: RecordType, verb: V) => ({ ...rights(type, verb), arguments: accountVerbArguments(type, verb) });

type MakeMethod = (type: RecordType, behaviour: never) => Method;

/** For each verb, the function that makes the method from a record type and its behaviour. */
const accountMethods: { readonly [V in Verb]: MakeMethod } = {
  get: (type, behaviour) => accountMethod(accountContract(type, 'get'), get(type, behaviour)),
  changes: (type, behaviour) => accountMethod(accountContract(type, 'changes'), changes(type, behaviour)),
  query: (type, behaviour) => accountMethod(accountContract(type, 'query'), query(type, behaviour)),
  queryChanges: (type, behaviour) => accountMethod(accountContract(type, 'queryChanges'), queryChanges(type, behaviour)),
  set: (type, behaviour) => accountMethod({ ...accountContract(type, 'set'), mayReaderCall: (args) => changesOnlyPerMember(type, args) }, set(type, behaviour)),
  copy: (type, behaviour) => accountMethod(accountContract(type, 'copy'), copy(type, behaviour)),
};

/** The verbs of records of a principal (RFC 8620 §7.2). */
const principalMethods: { readonly [verb: string]: MakeMethod } = {
  get: (type, behaviour) => principalMethod({ ...rights(type, 'get'), arguments: principalArguments.get }, getOfPrincipal(type, behaviour)),
  set: (type, behaviour) => principalMethod({ ...rights(type, 'set'), arguments: principalArguments.set }, setOfPrincipal(type, behaviour)),
};

const verbMethod = (type: RecordType, verb: Verb, behaviour: never): NamedMethod => {
  const make = type.owner === 'principal' ? principalMethods[verb]! : accountMethods[verb];
  return [`${type.name}/${verb}`, make(type, behaviour)];
};

/** All methods of a record type, from its contract and its behaviour. */
export const standardMethods = <T extends RecordType>(type: T, behaviour: BehaviourOf<T>): readonly NamedMethod[] => {
  // Each entry has the type that its method needs: BehaviourOf states it by the method's name.
  const behaviours = behaviour as { readonly [method: string]: never };
  return type.methods.map((method: Verb | AccountMethod) =>
    typeof method === 'string'
      ? verbMethod(type, method, behaviours[method === 'queryChanges' ? 'query' : method]!)
      : customMethod(method, behaviours[method.name]!),
  );
};
