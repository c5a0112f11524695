import { recordTypes } from '../../../contract/jmap/index.ts';
import type { RecordType } from '../../../contract/jmap/record.ts';
import { storedTypes } from '../../../core/mail/stored-types.ts';
import { methods } from '../../../lambdas/jmap/methods.ts';

const types: readonly RecordType[] = Object.values(recordTypes);

describe('the registry of JMAP methods', () => {
  test('has every method that a record type states, and Core/echo', () => {
    expect(new Set(methods.keys())).toEqual(new Set(['Core/echo', ...types.flatMap(({ name, methods: verbs }) => verbs.map((verb) => `${name}/${verb}`))]));
  });

  test('names the capability of the record type for each of its methods', () => {
    const stated = types.flatMap(({ name, capability, methods: verbs }) => verbs.map((verb) => [`${name}/${verb}`, capability] as const));
    expect(stated.filter(([name, capability]) => methods.get(name)?.capability !== capability)).toEqual([]);
  });

  test('has records of an account only for types that the mail store stores', () => {
    const ofPrincipals: readonly string[] = [recordTypes.PushSubscription.name];
    expect(types.map(({ name }) => name).filter((name) => !storedTypes.has(name))).toEqual(ofPrincipals);
  });
});
