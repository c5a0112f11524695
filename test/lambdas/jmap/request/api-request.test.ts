import { capability, coreLimits, unadvertisedLimits } from '../../../../contract/jmap/core.ts';
import { jmapDeployment, mailAndCore, type Call, type JmapDeployment, type Json } from '../jmap-deployment.ts';

let deployment: JmapDeployment;
beforeAll(async () => {
  deployment = await jmapDeployment();
});
const post = async (body: string | Buffer, headers: Record<string, string> = {}) => {
  const response = await deployment.http('POST', '/jmap', { body, headers });
  return { status: response.statusCode, type: response.headers?.['content-type'], body: JSON.parse(response.body!) as Json };
};
const problem = (name: string) => ({ status: 400, type: 'application/problem+json', body: { type: `urn:ietf:params:jmap:error:${name}`, status: 400 } });

// @requirement 8620 §3.3 unknown-properties
test('an API request may have unknown properties', async () => {
  const { status, body } = await deployment.request({ using: ['urn:ietf:params:jmap:core'], methodCalls: [['Core/echo', {}, 'c']], later: 1 });
  expect([status, body['methodResponses']]).toEqual([200, [['Core/echo', {}, 'c']]]);
});

describe('an invalid API request', () => {
  // @requirement 8620 §1.5 i-json
  // @requirement 8620 §3.6.1 not-json
  // @requirement 8620 §3.6.1 problem-details
  // @pitfall error not-json
  test.each([
    ['an empty body', ''],
    ['invalid JSON', '{"using":'],
    ['two JSON values', '{} {}'],
  ])('%s is notJSON, with status 400', async (_what, body) => {
    expect(await post(body)).toMatchObject(problem('notJSON'));
  });

  test('invalid UTF-8 is notJSON', async () => {
    expect(await post(Buffer.concat([Buffer.from('{"using":["'), Buffer.from([0xff, 0xfe]), Buffer.from('"],"methodCalls":[]}')]))).toMatchObject(
      problem('notJSON'),
    );
  });

  test.each([
    ['at the top', '{"using":[],"methodCalls":[],"using":[]}'],
    ['in arguments', '{"using":[],"methodCalls":[["Core/echo",{"a":[{"b":1}, 2],"c":{"a":1}, "a" : 3},"c"]]}'],
    ['that is written with escapes', '{"using":[],"methodCalls":[["Core/echo",{"é\\"":1,"\\u00e9\\"":2},"c"]]}'],
  ])('a name %s that an object has twice is notJSON (RFC 7493 §2.3)', async (_where, body) => {
    expect(await post(body)).toMatchObject(problem('notJSON'));
  });

  test('the same name in several objects, and as a value, is accepted', async () => {
    const args = '{"a":{"a":{}},"b":["a","a",{"a":1},{"a":1}],"c":"a","\\"a":["\\"a"]}';
    expect(await post(`{"using":["${capability.core}"],"methodCalls":[["Core/echo",${args},"c"]]}`)).toMatchObject({
      status: 200,
      body: { methodResponses: [['Core/echo', JSON.parse(args), 'c']] },
    });
  });

  // @requirement 8620 §3.1 media-type
  // @pitfall error content-type
  test.each(['text/plain', 'application/x-www-form-urlencoded', ''])('content type "%s" is notJSON, with status 400', async (type) => {
    expect(await post('{"using":[],"methodCalls":[]}', { 'content-type': type })).toMatchObject(problem('notJSON'));
  });

  test('a content type with a charset and a base64 body are accepted', async () => {
    expect((await post(Buffer.from('{"using":[],"methodCalls":[]}'), { 'content-type': 'Application/JSON; charset=utf-8' })).status).toBe(200);
  });

  // @pitfall error not-request
  // @requirement 8620 §3.6.1 not-request
  test.each([
    ['a list', []],
    ['null', null],
    ['no using', { methodCalls: [] }],
    ['no methodCalls', { using: [] }],
    ['using of numbers', { using: [1], methodCalls: [] }],
    ['a call of two', { using: [], methodCalls: [['Core/echo', {}]] }],
    ['a call of four', { using: [], methodCalls: [['Core/echo', {}, 'c', 1]] }],
    ['arguments that are a list', { using: [], methodCalls: [['Core/echo', [], 'c']] }],
    ['a call id that is a number', { using: [], methodCalls: [['Core/echo', {}, 1]] }],
    ['createdIds of numbers', { using: [], methodCalls: [], createdIds: { a: 1 } }],
  ])('%s is notRequest, with status 400', async (_what, body) => {
    expect(await post(JSON.stringify(body))).toMatchObject(problem('notRequest'));
  });

  // @requirement 8620 §3.6.1 unknown-capability
  // @pitfall error unknown-capability
  test('an unknown capability is unknownCapability', async () => {
    expect(await post(JSON.stringify({ using: [capability.core, 'https://example.com/unknown'], methodCalls: [] }))).toMatchObject(
      problem('unknownCapability'),
    );
  });
});

describe('limits of an API request', () => {
  const echoes = (count: number): Call[] => Array.from({ length: count }, (_, index) => ['Core/echo', {}, `c${index}`]);

  test('maxCallsInRequest calls are performed', async () => {
    expect(await deployment.perform(echoes(coreLimits.maxCallsInRequest))).toHaveLength(coreLimits.maxCallsInRequest);
  });

  // @requirement 8620 §3.6.1 limit
  // @pitfall error limit-name
  test('one more call is refused with the limit’s name', async () => {
    expect(await post(JSON.stringify({ using: mailAndCore, methodCalls: echoes(coreLimits.maxCallsInRequest + 1) }))).toMatchObject({
      status: 400,
      body: { type: 'urn:ietf:params:jmap:error:limit', limit: 'maxCallsInRequest' },
    });
  });

  // @pitfall error limit-name
  test('a request larger than maxSizeRequest is refused with the limit’s name', async () => {
    expect(await post(' '.repeat(coreLimits.maxSizeRequest + 1))).toMatchObject({
      status: 400,
      body: { type: 'urn:ietf:params:jmap:error:limit', limit: 'maxSizeRequest' },
    });
  });

  // @requirement 8620 §5.1 get-too-large
  test('more ids than maxObjectsInGet are requestTooLarge', async () => {
    const ids = Array.from({ length: coreLimits.maxObjectsInGet + 1 }, (_, index) => `M${index}`);
    expect(await deployment.call('Email/get', { ids })).toMatchObject({
      type: 'requestTooLarge',
      description: expect.stringContaining('maxObjectsInGet') as string,
    });
    expect(await deployment.call('Email/get', { ids: ids.slice(1), properties: ['id'] })).toMatchObject({ list: [] });
  });

  // @requirement 8620 §5.3 set-too-large
  test('more records than maxObjectsInSet are requestTooLarge, counted over create, update and destroy', async () => {
    const half = Array.from({ length: coreLimits.maxObjectsInSet / 2 + 1 }, (_, index) => `M${index}`);
    expect(await deployment.call('Email/set', { destroy: half, update: Object.fromEntries(half.map((id) => [`U${id}`, {}])) })).toMatchObject({
      type: 'requestTooLarge',
    });
  });

  test('a response that is too large is requestTooLarge for its call only', async () => {
    const half = 'x'.repeat(2_400_000);
    const [first, second, third] = await deployment.perform([
      ['Core/echo', { half }, 'a'],
      ['Core/echo', { '#twice': { resultOf: 'a', name: 'Core/echo', path: '' }, '#again': { resultOf: 'a', name: 'Core/echo', path: '' } }, 'b'],
      ['Core/echo', {}, 'c'],
    ]);
    expect(first![0]).toBe('Core/echo');
    expect(second).toMatchObject(['error', { type: 'requestTooLarge' }, 'b']);
    expect(third).toEqual(['Core/echo', {}, 'c']);
  });

  test('/query and /changes return as many ids as still fit into the response', async () => {
    const own = await jmapDeployment();
    for (let i = 0; i < 12; i += 1) await own.deliver();
    const accountId = 'acc_alice';
    const responses = await own.perform([
      ['Core/echo', { text: 'x'.repeat(2_988_800) }, 'a'],
      ['Core/echo', { '#text': { resultOf: 'a', name: 'Core/echo', path: '/text' } }, 'b'],
      ['Email/query', { accountId, limit: 12 }, 'c'],
      ['Email/changes', { accountId, sinceState: 'Email-0' }, 'd'],
      ['Email/get', { accountId }, 'e'],
    ]);
    const [query, changes] = [responses[2]![1], responses[3]![1]];
    expect(query).toMatchObject({ limit: query['ids'].length });
    expect(query['ids'].length).toBeLessThan(12);
    expect(changes).toMatchObject({ hasMoreChanges: true });
    expect(changes['created'].length).toBeGreaterThan(0);
    expect(responses[4]).toMatchObject(['error', { type: 'requestTooLarge' }, 'e']);
  });

  test('a /set whose response would not fit fails with requestTooLarge and changes nothing', async () => {
    const own = await jmapDeployment();
    const accountId = 'acc_alice';
    const id = await own.deliver();
    const { state } = await own.call('Email/get', { ids: [] });
    const keywords = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`K${i}${'X'.repeat(240)}`, true]));
    const responses = await own.perform([
      ['Core/echo', { text: 'x'.repeat(2_982_000) }, 'a'],
      ['Core/echo', { '#text': { resultOf: 'a', name: 'Core/echo', path: '/text' } }, 'b'],
      ['Email/set', { accountId, update: { [id]: { keywords } } }, 'c'],
      ['Email/set', { accountId, update: { [id]: { 'keywords/$seen': true } } }, 'd'],
    ]);
    expect(responses[2]).toMatchObject(['error', { type: 'requestTooLarge' }, 'c']);
    expect(responses[3]).toMatchObject(['Email/set', { oldState: state, updated: { [id]: null } }, 'd']);
    expect((await own.call('Email/get', { ids: [id], properties: ['keywords'] }))['list']).toEqual([{ id, keywords: { $seen: true } }]);
  });

  test('a request that is nested deeper than maxDepthRequest is refused with the limit’s name, before it is parsed', async () => {
    const nested = (levels: number) => `{"using":["${capability.core}"],"methodCalls":[["Core/echo",{"deep":${'['.repeat(levels)}${']'.repeat(levels)}},"a"]]}`;
    const levelsAround = 4;
    expect(await post(nested(unadvertisedLimits.maxDepthRequest - levelsAround))).toMatchObject({ status: 200 });
    for (const levels of [unadvertisedLimits.maxDepthRequest - levelsAround + 1, 2_000_000]) {
      expect(await post(nested(levels))).toMatchObject({ status: 400, body: { type: 'urn:ietf:params:jmap:error:limit', limit: 'maxDepthRequest' } });
    }
  });

  test('brackets in strings do not count as levels of a request', async () => {
    const text = `${'['.repeat(1000)}\\"{{`;
    expect(await post(`{"using":["${capability.core}"],"methodCalls":[["Core/echo",{"text":"${text}"},"a"]]}`)).toMatchObject({ status: 200 });
  });

  test('references that multiply their value repeatedly fail with requestTooLarge', async () => {
    const reference = (resultOf: string) => ({ resultOf, name: 'Core/echo', path: '' });
    const calls: Call[] = Array.from({ length: 30 }, (_, level) => [
      'Core/echo',
      level === 0 ? { text: 'x'.repeat(100) } : Object.fromEntries(Array.from({ length: 10 }, (_name, copy) => [`#copy${copy}`, reference(`c${level - 1}`)])),
      `c${level}`,
    ]);
    const responses = await deployment.perform(calls);
    expect(responses.some(([name, args]) => name === 'error' && args['type'] === 'requestTooLarge')).toBe(true);
  });
});

describe('method calls', () => {
  // @requirement 8620 §4 echo
  test('Core/echo returns its arguments', async () => {
    const args = { hello: true, nested: [1, null, { ü: '𝒳' }] };
    expect(await deployment.perform([['Core/echo', args, 'c']])).toEqual([['Core/echo', args, 'c']]);
  });

  // @requirement 8620 §3.3 ordered-calls
  // @requirement 8620 §3.4 ordered-responses
  test('are performed in order, and responses have their call ids', async () => {
    const responses = await deployment.perform([
      ['Core/echo', { n: 1 }, 'b'],
      ['Nope/get', {}, 'a'],
      ['Core/echo', { n: 2 }, 'b'],
    ]);
    expect(responses.map(([name, , id]) => [name, id])).toEqual([
      ['Core/echo', 'b'],
      ['error', 'a'],
      ['Core/echo', 'b'],
    ]);
  });

  test.each(['Fake/get', 'Email/nope', 'Thread/queryChanges', 'constructor', '__proto__', 'email/get'])('%s is unknownMethod', async (name) => {
    expect(await deployment.perform([[name, {}, 'c']])).toMatchObject([['error', { type: 'unknownMethod' }, 'c']]);
  });

  // @pitfall error empty-using
  test('of a request with an empty using are unknownMethod, with status 200', async () => {
    const responses = await deployment.perform(
      [
        ['Core/echo', {}, 'a'],
        ['Mailbox/get', { accountId: 'acc_alice' }, 'b'],
      ],
      { using: [] },
    );
    expect(responses.map(([name, { type }]) => [name, type])).toEqual([
      ['error', 'unknownMethod'],
      ['error', 'unknownMethod'],
    ]);
  });

  // @requirement 8620 §3.6.2 unknown-method
  // @pitfall error unused-capability
  test('of a capability that using does not name are unknownMethod', async () => {
    const responses = await deployment.perform(
      [
        ['Core/echo', {}, 'a'],
        ['Mailbox/get', { accountId: 'acc_alice' }, 'b'],
      ],
      { using: [capability.core] },
    );
    expect(responses.map(([name]) => name)).toEqual(['Core/echo', 'error']);
  });

  test('of the mail capability do not need the core capability in using', async () => {
    expect(await deployment.perform([['Mailbox/get', { accountId: 'acc_alice' }, 'b']], { using: [capability.mail] })).toMatchObject([
      ['Mailbox/get', {}, 'b'],
    ]);
  });

  // @requirement 8620 §3.6.2 invalid-arguments
  test.each([
    ['an unknown argument', { idz: [] }],
    ['ids that are a string', { ids: 'x' }],
    ['invalid Ids', { ids: ['has space'] }],
    ['properties of numbers', { properties: [1] }],
    ['an unknown property', { properties: ['nope'] }],
    ['the property constructor', { properties: ['constructor'] }],
  ])('with %s fail with invalidArguments', async (_what, args) => {
    expect(await deployment.call('Mailbox/get', args)).toMatchObject({ type: 'invalidArguments', description: expect.any(String) as string });
  });

  // @requirement 8620 §3.6.2 error-in-place
  // @requirement 8620 §3.6.2 next-call-runs
  test('an unexpected error is serverFail for its call only, and only the log has its cause', async () => {
    const broken = await jmapDeployment();
    await broken.deliver({ id: 'one' });
    broken.store.emailContents = () => Promise.reject(new Error('table “mail-secret” is on fire'));
    const responses = await broken.perform([
      ['Email/get', { accountId: 'acc_alice', ids: null }, 'a'],
      ['Mailbox/get', { accountId: 'acc_alice' }, 'b'],
    ]);
    expect(responses.map(([name]) => name)).toEqual(['error', 'Mailbox/get']);
    expect(responses[0]![1]).toMatchObject({ type: 'serverFail' });
    expect(JSON.stringify(responses)).not.toContain('mail-secret');
    expect(broken.logged).toEqual([['a method failed', { method: 'Email/get', error_name: 'Error', error_at: expect.any(Array) as string[] }]]);
  });

  test('a throttled table is serverUnavailable', async () => {
    const busy = await jmapDeployment();
    busy.store.open = () => Promise.reject(Object.assign(new Error('slow down'), { name: 'ThrottlingException' }));
    expect(await busy.call('Mailbox/get')).toMatchObject({ type: 'serverUnavailable' });
  });

  test('an account that can not be read fails the calls on it only', async () => {
    const broken = await jmapDeployment();
    broken.store.open = () => Promise.reject(new Error('no table'));
    const responses = await broken.perform([
      ['Mailbox/get', { accountId: 'acc_alice' }, 'a'],
      ['Core/echo', {}, 'b'],
    ]);
    expect(responses).toMatchObject([
      ['error', { type: 'serverFail' }, 'a'],
      ['Core/echo', {}, 'b'],
    ]);
  });
});

describe('createdIds', () => {
  // @requirement 8620 §3.3 created-ids
  test('are returned only when the client sent some, with the ids of created records', async () => {
    const create = { accountId: 'acc_alice', create: { box: { name: 'Created ids' } } };
    const { body } = await deployment.request({ using: mailAndCore, methodCalls: [['Mailbox/set', create, 'c']], createdIds: { old: 'Fold' } });
    const id = body['methodResponses'][0][1].created.box.id as string;
    expect(body['createdIds']).toEqual({ old: 'Fold', box: id });
    expect((await deployment.request({ using: mailAndCore, methodCalls: [] })).body).not.toHaveProperty('createdIds');
  });

  // @requirement 8620 §5.3 set-creation-id-reused
  test('name the record that was created last with a creation id', async () => {
    const own = await jmapDeployment();
    const accountId = 'acc_alice';
    const { body } = await own.request({
      using: mailAndCore,
      createdIds: { box: 'Fold' },
      methodCalls: [
        ['Mailbox/set', { accountId, create: { box: { name: 'One' } } }, 'a'],
        ['Mailbox/set', { accountId, create: { box: { name: 'Two' } } }, 'b'],
        ['Mailbox/set', { accountId, create: { child: { name: 'Child', parentId: '#box' } } }, 'c'],
        ['Mailbox/set', { accountId, create: { box: { name: '' } } }, 'd'],
        ['Mailbox/set', { accountId, update: { '#box': { name: 'Three' } }, destroy: ['#child'] }, 'e'],
      ],
    });
    const answers = (body['methodResponses'] as [string, Json][]).map(([, args]) => args);
    const two = answers[1]!['created'].box.id as string;
    expect(answers[4]).toMatchObject({ updated: { [two]: null }, destroyed: [answers[2]!['created'].child.id] });
    expect(body['createdIds']).toMatchObject({ box: two });
  });

  test('of an earlier request resolve to their records', async () => {
    const id = await deployment.deliver();
    const { archive } = await deployment.roles();
    const { body } = await deployment.request({
      using: mailAndCore,
      methodCalls: [['Email/set', { accountId: 'acc_alice', update: { [id]: { 'mailboxIds/#box': true } } }, 'c']],
      createdIds: { box: archive },
    });
    expect(body['methodResponses'][0][1].updated).toEqual({ [id]: null });
  });
});
