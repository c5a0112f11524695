import { capability, unadvertisedLimits } from '../../../../contract/jmap/core.ts';
import { pushSubscriptionLimits } from '../../../../contract/jmap/push-subscription.ts';
import { jmapDeployment, type Call, type JmapDeployment, type Json } from '../jmap-deployment.ts';

const { maxFilterNodes, maxFilterNodesInRequest, maxSortKeys, maxPropertiesInGet, maxPathTokens, maxPathsInPatch, maxMailboxes } = unadvertisedLimits;

let deployment: JmapDeployment;
let emailId: string;
beforeAll(async () => {
  deployment = await jmapDeployment();
  emailId = await deployment.deliver({ id: 'one', raw: 'Subject: =?UTF-8?Q?caf=C3=A9?=\nX-Test: one\nX-Test: two\n\nbody\n' });
});

const repeat = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

describe.each(['Email/query', 'Mailbox/query', 'Email/queryChanges'])('a filter of %s', (method) => {
  const result = async (filter: Json) => {
    const answer = await deployment.call(method, { filter, ...(method === 'Email/queryChanges' && { sinceQueryState: 's' }) });
    return (answer['type'] ?? 'ids') as string;
  };
  const accepted = method === 'Email/queryChanges' ? 'cannotCalculateChanges' : 'ids';
  const operatorNode = 1;

  test.each<[string, (nodes: number) => Json]>([
    ['empty conditions', (nodes) => ({ operator: 'OR', conditions: repeat(nodes - operatorNode, () => ({})) })],
    ['operators', (nodes) => ({ operator: 'OR', conditions: repeat(nodes - operatorNode, () => ({ operator: 'AND', conditions: [] })) })],
  ])('has at most maxFilterNodes: %s', async (_what, filter) => {
    expect(await result(filter(maxFilterNodes))).toBe(accepted);
    expect(await result(filter(maxFilterNodes + 1))).toBe('unsupportedFilter');
  });
});

describe('filters', () => {
  test('count each property of a condition, and each element of its lists', async () => {
    const filter = (ids: number) => ({ minSize: 1, inMailboxOtherThan: repeat(ids, (index) => `F${index}`) });
    const propertyNodes = 2;
    expect(await deployment.call('Email/query', { filter: filter(maxFilterNodes - propertyNodes) })).toMatchObject({ ids: [emailId] });
    expect(await deployment.call('Email/query', { filter: filter(maxFilterNodes - propertyNodes + 1) })).toMatchObject({ type: 'unsupportedFilter' });
  });

  test('of a request have at most maxFilterNodesInRequest nodes together', async () => {
    const filter = { operator: 'OR', conditions: repeat(maxFilterNodes - 1, () => ({})) };
    const calls: Call[] = repeat(maxFilterNodesInRequest / maxFilterNodes + 1, (index) => ['Email/query', { accountId: 'acc_alice', filter }, `${index}`]);
    const responses = await deployment.perform([...calls, ['Email/query', { accountId: 'acc_alice' }, 'without']]);
    expect(responses.map(([, { type }]) => type as string)).toEqual([...repeat(calls.length - 1, () => undefined), 'unsupportedFilter', undefined]);
  });

  // @pitfall attack filter-bomb
  test('that a result reference repeats in many calls are refused', async () => {
    const value = { operator: 'OR', conditions: repeat(150_000, () => ({ minSize: 1 })) };
    const reference = { resultOf: 'carrier', name: 'Core/echo', path: '/value' };
    const [, ...responses] = await deployment.perform([
      ['Core/echo', { value }, 'carrier'],
      ...repeat<Call>(31, (index) => ['Email/query', { accountId: 'acc_alice', '#filter': reference }, `${index}`]),
    ]);
    expect(new Set(responses.map(([name, { type }]) => `${name} ${type as string}`))).toEqual(new Set(['error unsupportedFilter', 'error requestTooLarge']));
  });
});

describe('a sort', () => {
  const sort = (count: number) => repeat(count, (index) => ({ property: ['size', 'receivedAt', 'sentAt'][index % 3], isAscending: index % 2 === 0 }));

  test('has at most maxSortKeys comparators, repeated ones included', async () => {
    expect(await deployment.call('Email/query', { sort: sort(maxSortKeys) })).toMatchObject({ ids: [emailId] });
    expect(await deployment.call('Email/query', { sort: sort(maxSortKeys + 1) })).toMatchObject({ type: 'unsupportedSort' });
  });
});

describe('properties of a /get', () => {
  const headers = (count: number) => repeat(count, (index) => `header:X-${index}`);

  // @pitfall attack many-header-properties
  test.each(['properties', 'bodyProperties'])('%s has at most maxPropertiesInGet names', async (argument) => {
    const get = (count: number) => deployment.call('Email/get', { ids: [emailId], properties: ['textBody'], [argument]: headers(count) });
    expect(await get(maxPropertiesInGet)).toMatchObject({ list: [{ id: emailId }] });
    expect(await get(maxPropertiesInGet + 1)).toMatchObject({ type: 'invalidArguments', description: expect.stringContaining('maxPropertiesInGet') as string });
  });

  test('header properties that differ in case only have the same value', async () => {
    const properties = ['header:subject:asText', 'header:SUBJECT:asText', 'header:x-test:all', 'header:X-TEST', 'header:subject'];
    const {
      list: [{ id: _id, ...values }],
    } = await deployment.call('Email/get', { ids: [emailId], properties });
    expect(Object.values(values as Json)).toEqual(['café', 'café', [' one', ' two'], ' two', ' =?UTF-8?Q?caf=C3=A9?=']);
  });
});

describe('a patch', () => {
  const errorOf = async (patch: Json): Promise<Json> => (await deployment.call('Email/set', { update: { [emailId]: patch } }))['notUpdated'][emailId] as Json;

  test('has at most maxPathsInPatch paths', async () => {
    const patch = (count: number) => Object.fromEntries(repeat(count, (index) => [`keywords/k${index}`, null]));
    expect(await deployment.call('Email/set', { update: { [emailId]: patch(maxPathsInPatch) } })).toMatchObject({ updated: { [emailId]: null } });
    expect(await errorOf(patch(maxPathsInPatch + 1))).toMatchObject({ type: 'invalidPatch' });
  });

  test('has paths of at most maxPathTokens tokens', async () => {
    expect(await errorOf({ [`from${'/a'.repeat(maxPathTokens)}`]: 1, subject: 'x' })).toMatchObject({ type: 'invalidPatch' });
    expect(await errorOf({ [`from${'/a'.repeat(500_000)}`]: 1, subject: 'x' })).toMatchObject({ type: 'invalidPatch' });
  });

  test('with many paths into one property sets each of them', async () => {
    const id = await deployment.deliver({ keywords: ['old'] });
    const patch = { ...Object.fromEntries(repeat(90, (index) => [`keywords/k${index}`, true])), 'keywords/old': null };
    expect(await deployment.call('Email/set', { update: { [id]: patch } })).toMatchObject({ updated: { [id]: null } });
    const {
      list: [{ keywords }],
    } = await deployment.call('Email/get', { ids: [id], properties: ['keywords'] });
    expect(Object.keys(keywords as Json).toSorted()).toEqual(repeat(90, (index) => `k${index}`).toSorted());
  });
});

describe('a /set', () => {
  test('refuses mailboxes beyond maxMailboxes with overQuota, and creates the others', async () => {
    const own = await jmapDeployment();
    const existing = (await own.call('Mailbox/get', { ids: null, properties: [] }))['list'] as Json[];
    const create = (count: number, prefix: string) =>
      own.call('Mailbox/set', { create: Object.fromEntries(repeat(count, (index) => [`c${index}`, { name: `${prefix}${index}` }])) });
    const batch = 500;
    for (let count = existing.length; count < maxMailboxes - batch; count += batch) await create(batch, `${count}-`);
    const room = (maxMailboxes - existing.length) % batch;
    const { created, notCreated } = await create(room + 2, 'last');
    expect(Object.keys(created as Json)).toHaveLength(room);
    expect(Object.values(notCreated as Json)).toEqual(repeat(2, () => expect.objectContaining({ type: 'overQuota' }) as Json));
  });

  test('renames a chain of mailboxes in any order, each to the name of the next', async () => {
    const { created } = await deployment.call('Mailbox/set', { create: Object.fromEntries(repeat(30, (index) => [`c${index}`, { name: `chain ${index}` }])) });
    const ids = repeat(30, (index) => created[`c${index}`].id as string);
    const rename = (shift: number) =>
      deployment.call('Mailbox/set', { update: Object.fromEntries(ids.map((id, index) => [id, { name: `chain ${index + shift}` }])) });
    expect(await rename(1)).toMatchObject({ notUpdated: null });
    expect(await rename(0)).toMatchObject({ notUpdated: null });
  });

  test('creates at most maxCreations push subscriptions, and refuses the others with rateLimit', async () => {
    const { maxCreations } = pushSubscriptionLimits;
    const properties = { deviceClientId: 'd', url: 'https://push.example.net/' };
    const create = Object.fromEntries(repeat(maxCreations + 5, (index) => [`c${index}`, properties]));
    const [response] = await deployment.perform([['PushSubscription/set', { create }, 'c']], { using: [capability.core] });
    expect(Object.keys(response![1]['created'] as Json)).toHaveLength(maxCreations);
    expect(Object.values(response![1]['notCreated'] as Json)).toEqual(repeat(5, () => expect.objectContaining({ type: 'rateLimit' }) as Json));
  });
});
