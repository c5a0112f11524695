import { capability, webSocketSubscriptionCapability } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { dependenceOf, verbArguments, type CustomMethod, type RecordType, type Verb } from '../../../contract/jmap/record.ts';
import { storedTypes } from '../../../core/mail/stored-types.ts';
import { methods } from '../../../lambdas/jmap/methods.ts';
import { statedCustomMethods, statedMethods, statedRecordTypes } from '../../support/stated-methods.ts';
import { jmapDeployment, settings } from './jmap-deployment.ts';

const verbsOf = ({ methods: all }: RecordType): readonly Verb[] => all.filter((method): method is Verb => typeof method === 'string');

describe('JMAP methods', () => {
  let types: readonly RecordType[];
  beforeAll(async () => {
    types = await statedRecordTypes();
    expect(types.length).toBeGreaterThanOrEqual(4);
  });

  test('contain all methods that contract/jmap states', async () => {
    const names = (await statedMethods()).map(({ name }) => name);
    expect(new Set(methods.keys())).toEqual(new Set(names));
    expect(names).toContain('Core/echo');
  });

  test('have the capability of their record type', () => {
    const wrong = types.flatMap(
      (type) => verbsOf(type).filter((verb) => methods.get(`${type.name}/${verb}`)?.capability !== type.capability),
    );
    expect(wrong).toEqual([]);
  });

  test('have the same additional arguments in /query and /queryChanges', () => {
    for (const { name, arguments: additional } of types) expect([name, additional?.queryChanges]).toEqual([name, additional?.query]);
  });

  test('have filter conditions and sorts that depend on properties of their type', () => {
    const unknown = types.flatMap(({ name: typeName, properties, filters = {}, sorts = {} }) =>
      [...Object.entries(filters), ...Object.entries(sorts)].flatMap(([name, each]) =>
        dependenceOf(name, each).properties.filter((property) => !Object.hasOwn(properties, property))
          .map((property) => [typeName, property])));
    expect(unknown).toEqual([]);
  });

  test('of records in an account have a stored type; those of a principal’s records have none', () => {
    for (const { name, owner } of types) expect([name, storedTypes.has(name)]).toEqual([name, owner !== 'principal']);
  });
});

/** Arguments that a method which is no verb accepts. */
const customArguments = ({ arguments: described }: CustomMethod): JsonObject => {
  if (described === 'any') return { hello: true };
  const values: JsonObject = {
    accountId: 'acc_alice', fromAccountId: 'acc_bob', ids: [], create: {}, emails: {}, blobIds: [], emailIds: [], typeNames: [],
  };
  return Object.fromEntries(Object.keys(described).filter((name) => values[name] !== undefined).map((name) => [name, values[name]]));
};

/** Arguments that each verb accepts, in an account that exists. */
const argumentsOf = (type: RecordType, verb: Verb, states: ReadonlyMap<string, string>): JsonObject => {
  const state = states.get(type.name);
  const values: JsonObject = {
    accountId: 'acc_alice', fromAccountId: 'acc_bob', sinceState: state, sinceQueryState: state, ids: [], create: {},
  };
  return Object.fromEntries(
    Object.keys(verbArguments(type, verb)).filter((name) => values[name] !== undefined).map((name) => [name, values[name]]),
  );
};

describe('capabilities of the session', () => {
  test('are those of the methods and of push, and each method can be called', async () => {
    const deployment = await jmapDeployment();
    await deployment.addMember('alice', 'acc_bob', 'READ', false);
    const { capabilities } = JSON.parse((await deployment.http('GET', '/.well-known/jmap')).body!) as { capabilities: JsonObject };
    const withoutMethods = [capability.webSocket, webSocketSubscriptionCapability(settings.mailDomain)];
    expect(new Set(Object.keys(capabilities))).toEqual(
      new Set([...[...methods.values()].map((method) => method.capability), ...withoutMethods]),
    );

    const types = await statedRecordTypes();
    const stored = types.filter(({ name }) => storedTypes.has(name));
    const gets = await deployment.request({
      using: Object.keys(capabilities), methodCalls: stored.map(({ name }) => [`${name}/get`, { accountId: 'acc_alice', ids: [] }, name]),
    });
    const states = new Map((gets.body['methodResponses'] as [string, {
      state: string;
    }, string][]).map(([, { state }, name]) => [name, state]));
    const custom = await statedCustomMethods();
    for (const [method, { capability: uri }] of methods) {
      const type = types.find(({ name }) => method.startsWith(`${name}/`));
      const own = custom.find(({ name }) => name === method);
      const given = own ? customArguments(own) : argumentsOf(type!, method.split('/')[1] as Verb, states);
      const { body } = await deployment.request({ using: [uri], methodCalls: [[method, given, 'c']] });
      const [[name, answer]] = body['methodResponses'] as [[string, JsonObject]];
      expect([method, name, answer['type']]).toEqual([method, method, undefined]);
    }
  });
});
