import { verbs, type RecordType, type Verb } from '../../../contract/jmap/record.ts';
import { decodeArguments } from '../protocol/decode-arguments.ts';
import { MethodError } from '../protocol/errors.ts';
import type { Method } from '../protocol/method.ts';
import type { BehaviourOf, VerbAnswer } from './behaviour.ts';
import { changes } from './changes.ts';
import { get } from './get.ts';
import { query } from './query.ts';
import { queryChanges } from './query-changes.ts';
import { set } from './set.ts';

/** Each verb makes, of a type and its behaviour, the answer to that type's method. */
const implementations = { get, changes, query, queryChanges, set } as { readonly [V in Verb]: (type: RecordType, behaviour: unknown) => VerbAnswer<never> };

/**
 * The methods of a record type: what it states as data, and its behaviour where data can't say it. The way of every call:
 * scope → arguments → account → read-only → verb.
 */
export const methodsOf = <T extends RecordType>(type: T, behaviour: BehaviourOf<T>): readonly (readonly [name: string, method: Method])[] =>
  type.methods.map((verb: Verb) => {
    const stated = { ...verbs[verb].arguments, ...type.arguments?.[verb] };
    const answer = implementations[verb](type, behaviour[verb as keyof typeof behaviour]);
    const run: Method['run'] = async (given, context) => {
      context.requires(verbs[verb].permission);
      const args = decodeArguments(stated, given);
      const account = await context.open(args.accountId);
      if (verbs[verb].permission !== 'MAIL_READ' && !account.mayWrite) throw new MethodError('accountReadOnly', 'You may only read this account.');
      return answer(args as never, account, context);
    };
    return [`${type.name}/${verb}`, { capability: type.capability, run }];
  });
