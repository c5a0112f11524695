import { capability, webSocketSubscriptionCapability } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { recordTypes } from '../../../contract/jmap/record-types.ts';
import { dependenceOf, verbArguments, type CustomMethod, type RecordType, type Verb } from '../../../contract/jmap/record.ts';
import { storedTypes } from '../../../core/mail/mail-store/stored-types.ts';
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

  test('are of record types that contract/jmap/record-types.ts lists', () => {
    expect(new Set(recordTypes)).toEqual(new Set(types));
  });

  test('contain all methods that contract/jmap states', async () => {
    const names = (await statedMethods()).map(({ name }) => name);
    expect(new Set(methods.keys())).toEqual(new Set(names));
    expect(names).toContain('Core/echo');
  });

  test('have the capability of their record type', () => {
    const wrong = types.flatMap((type) => verbsOf(type).filter((verb) => methods.get(`${type.name}/${verb}`)?.capability !== type.capability));
    expect(wrong).toEqual([]);
  });

  test('have the same additional arguments in /query and /queryChanges', () => {
    for (const { name, arguments: additional } of types) expect([name, additional?.queryChanges]).toEqual([name, additional?.query]);
  });

  test('have filter conditions and sorts that depend on properties of their type', () => {
    const unknown = types.flatMap(({ name: typeName, properties, filters = {}, sorts = {} }) =>
      [...Object.entries(filters), ...Object.entries(sorts)].flatMap(([name, each]) =>
        dependenceOf(name, each)
          .properties.filter((property) => !Object.hasOwn(properties, property))
          .map((property) => [typeName, property]),
      ),
    );
    expect(unknown).toEqual([]);
  });

  test('of records in an account have a stored type; those of records in the directory, and of a principal, have none', () => {
    for (const { name, owner } of types) expect([name, storedTypes.has(name)]).toEqual([name, owner !== 'principal' && name !== 'Forwarding']);
  });
});

/** Valid arguments of a custom method. */
const customArguments = ({ arguments: described }: CustomMethod): JsonObject => {
  if (described === 'any') return { hello: true };
  const values: JsonObject = { accountId: 'acc_alice', fromAccountId: 'acc_bob', ids: [], create: {}, emails: {}, blobIds: [], emailIds: [], typeNames: [] };
  return Object.fromEntries(
    Object.keys(described)
      .filter((name) => values[name] !== undefined)
      .map((name) => [name, values[name]]),
  );
};

/** Valid arguments of each verb, in an existing account. */
const argumentsOf = (type: RecordType, verb: Verb, states: ReadonlyMap<string, string>): JsonObject => {
  const state = states.get(type.name);
  const values: JsonObject = { accountId: 'acc_alice', fromAccountId: 'acc_bob', sinceState: state, sinceQueryState: state, ids: [], create: {} };
  return Object.fromEntries(
    Object.keys(verbArguments(type, verb))
      .filter((name) => values[name] !== undefined)
      .map((name) => [name, values[name]]),
  );
};

describe('capabilities of the session', () => {
  // @pitfall client advertised-methods
  test('are those of the methods and of push, and each method can be called', async () => {
    const types = await statedRecordTypes();
    const deployment = await jmapDeployment();
    await deployment.addMember('alice', 'acc_bob', 'READ', false);
    const { capabilities } = JSON.parse((await deployment.http('GET', '/.well-known/jmap')).body!) as { capabilities: JsonObject };
    const withoutMethods = [capability.webSocket, webSocketSubscriptionCapability(settings.mailDomain)];
    const incomplete = types.filter((type) => type.methods.length === 0).map((type) => type.capability as string);
    expect(new Set(Object.keys(capabilities))).toEqual(
      new Set([...[...methods.values()].map((method) => method.capability).filter((uri) => !incomplete.includes(uri)), ...withoutMethods]),
    );

    const stored = types.filter(({ name, methods: all }) => storedTypes.has(name) && all.length > 0);
    const gets = await deployment.request({
      using: [...new Set(stored.map((type) => type.capability))],
      methodCalls: stored.map(({ name }) => [`${name}/get`, { accountId: 'acc_alice', ids: [] }, name]),
    });
    const states = new Map((gets.body['methodResponses'] as [string, { state: string }, string][]).map(([, { state }, name]) => [name, state]));
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

  test('have none of which a record type lacks a method', async () => {
    const withoutQuery = new Map([...methods].filter(([name]) => name !== 'Quota/query'));
    const deployment = await jmapDeployment({ methods: withoutQuery });
    const { capabilities, accounts } = JSON.parse((await deployment.http('GET', '/.well-known/jmap')).body!) as {
      capabilities: JsonObject;
      accounts: { acc_alice: { accountCapabilities: JsonObject } };
    };
    expect(Object.keys(capabilities)).toContain(capability.mail);
    expect(Object.keys(capabilities)).not.toContain(capability.quota);
    expect(Object.keys(accounts.acc_alice.accountCapabilities)).not.toContain(capability.quota);
  });
});
