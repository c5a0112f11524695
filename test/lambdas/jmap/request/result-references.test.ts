import { unadvertisedLimits } from '../../../../contract/jmap/core.ts';
import { jmapDeployment, type Call, type JmapDeployment, type Json } from '../jmap-deployment.ts';

let deployment: JmapDeployment;
beforeAll(async () => {
  deployment = await jmapDeployment();
});

/** The value at `path` in the response of Core/echo. */
const resolveReference = async (source: Json, path: string, overrides: Partial<{ resultOf: string; name: string }> = {}): Promise<Json> => {
  const calls: Call[] = [
    ['Core/echo', source, 'first'],
    ['Core/echo', { '#value': { resultOf: 'first', name: 'Core/echo', path, ...overrides } }, 'second'],
  ];
  return (await deployment.perform(calls))[1]![1];
};

describe('result references', () => {
  // @requirement 8620 §3.7 wildcard
  test.each<[string, Json, string, unknown]>([
    ['a value', { state: 's1' }, '/state', 's1'],
    ['a list', { ids: ['a', 'b'] }, '/ids', ['a', 'b']],
    // @pitfall reference index
    ['a property of one element', { list: [{ id: 'x' }, { id: 'y' }] }, '/list/1/id', 'y'],
    // @pitfall reference wildcard
    ['a property of each element', { list: [{ id: 'x' }, { id: 'y' }] }, '/list/*/id', ['x', 'y']],
    // @pitfall reference wildcard
    ['lists in each element, joined', { list: [{ emailIds: ['a', 'b'] }, { emailIds: ['c'] }] }, '/list/*/emailIds', ['a', 'b', 'c']],
    ['lists two levels down, joined', { list: [{ a: [{ b: [1] }, { b: [2, 3] }] }, { a: [] }] }, '/list/*/a/*/b', [1, 2, 3]],
    // @pitfall reference wildcard-empty
    ['nothing in an empty list', { list: [] }, '/list/*/id', []],
    ['a name with ~ and /', { 'a/b~c': 1 }, '/a~1b~0c', 1],
    ['an empty name', { '': 2 }, '/', 2],
    ['everything', { all: 1 }, '', { all: 1 }],
    ['null', { value: null }, '/value', null],
    ['a property named *', { '*': 3 }, '/*', 3],
  ])('resolve to %s', async (_what, source, path, value) => {
    expect(await resolveReference(source, path)).toEqual({ value });
  });

  // @requirement 8620 §3.7 unresolved
  // @requirement 8620 §3.7 same-name
  test.each<[string, string, Json?]>([
    ['an unknown name', '/nope'],
    ['an index past the end', '/list/5'],
    ['an index with a leading zero', '/list/00'],
    ['the element after the last', '/list/-'],
    ['a path through a string', '/text/length'],
    ['an inherited property', '/constructor'],
    ['a path without a leading slash', 'list'],
    ['a bad escape', '/li~st'],
    ['another method’s name', '/list', { name: 'Email/get' }],
    ['an unknown call id', '/list', { resultOf: 'later' }],
    ['the call itself', '/value', { resultOf: 'second' }],
    ['a name missing from an element', '/list/*/nope'],
  ])('%s fails with invalidResultReference', async (_what, path, overrides = {}) => {
    expect(await resolveReference({ list: [{ id: 1 }], text: 'abc' }, path, overrides)).toMatchObject({ type: 'invalidResultReference' });
  });

  test.each<[string, unknown]>([
    ['a string', 'x'],
    ['null', null],
    ['a list', []],
    ['a path that is not a string', { resultOf: 'first', name: 'Core/echo', path: 1 }],
  ])('%s as a reference fails with invalidResultReference', async (_what, value) => {
    expect(
      await deployment.perform([
        ['Core/echo', {}, 'first'],
        ['Core/echo', { '#value': value }, 'second'],
      ]),
    ).toMatchObject([
      ['Core/echo', {}, 'first'],
      ['error', { type: 'invalidResultReference' }, 'second'],
    ]);
  });

  // @pitfall attack long-reference
  test('with a path of more than maxPathTokens fail with invalidResultReference', async () => {
    const { maxPathTokens } = unadvertisedLimits;
    const nested = (levels: number): Json => (levels === 0 ? {} : { a: nested(levels - 1) });
    const path = (tokens: number) => '/a'.repeat(tokens);
    expect(await resolveReference(nested(maxPathTokens), path(maxPathTokens))).toEqual({ value: {} });
    expect(await resolveReference(nested(maxPathTokens + 1), path(maxPathTokens + 1))).toMatchObject({ type: 'invalidResultReference' });
    expect(await resolveReference({ list: [] }, `/list${'/*'.repeat(200_000)}`)).toMatchObject({ type: 'invalidResultReference' });
  });

  test('with values of more than maxSizeReferences characters in one request fail with requestTooLarge', async () => {
    const { maxSizeReferences } = unadvertisedLimits;
    const reference = { resultOf: 'carrier', name: 'Core/echo', path: '/text' };
    const calls: Call[] = Array.from({ length: 4 }, (_, index) => ['Mailbox/query', { accountId: 'acc_alice', '#anchor': reference }, `${index}`]);
    const responses = await deployment.perform([['Core/echo', { text: 'x'.repeat(maxSizeReferences * 0.4) }, 'carrier'], ...calls]);
    expect(responses.slice(1).map(([, { type }]) => type as string)).toEqual(['invalidArguments', 'invalidArguments', 'requestTooLarge', 'requestTooLarge']);
  });

  test('that visit more elements than maxSizeReferences fail with requestTooLarge, also when they find none', async () => {
    const source = { list: Array.from({ length: 100_000 }, () => []) };
    const references = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`#${index}`, { resultOf: 'a', name: 'Core/echo', path: '/list/*' }]));
    const [, response] = await deployment.perform([
      ['Core/echo', source, 'a'],
      ['Core/echo', references, 'b'],
    ]);
    expect(response).toMatchObject(['error', { type: 'requestTooLarge' }, 'b']);
  });

  // @pitfall reference failed
  test('to a failed call fail with invalidResultReference for their own call only', async () => {
    const responses = await deployment.perform([
      ['Mailbox/get', { accountId: 'nope' }, 'a'],
      ['Mailbox/get', { accountId: 'acc_alice', '#ids': { resultOf: 'a', name: 'Mailbox/get', path: '/list/*/id' } }, 'b'],
      ['Core/echo', {}, 'c'],
    ]);
    expect(responses).toMatchObject([
      ['error', { type: 'accountNotFound' }, 'a'],
      ['error', { type: 'invalidResultReference' }, 'b'],
      ['Core/echo', {}, 'c'],
    ]);
  });

  // @requirement 8620 §3.7 both-forms
  // @pitfall reference both-forms
  test('fail with invalidArguments beside an argument of the same name', async () => {
    const [, response] = await deployment.perform([
      ['Core/echo', { x: 1 }, 'a'],
      ['Core/echo', { x: 2, '#x': { resultOf: 'a', name: 'Core/echo', path: '/x' } }, 'b'],
    ]);
    expect(response).toMatchObject(['error', { type: 'invalidArguments' }, 'b']);
  });

  // @requirement 8620 §3.7 resolve
  // @pitfall reference replaces
  test('are replaced by their values, under the name of the argument', async () => {
    expect(await resolveReference({ x: 1 }, '/x')).toEqual({ value: 1 });
  });

  test('chain the four calls that load a client’s first view', async () => {
    await deployment.deliver({ id: 'first' });
    await deployment.deliver({ id: 'reply', references: 'first', subject: 'Re: Subject of first' });
    const accountId = 'acc_alice';
    const responses = await deployment.perform([
      ['Email/query', { accountId, collapseThreads: true, limit: 10 }, 'query'],
      ['Email/get', { accountId, '#ids': { resultOf: 'query', name: 'Email/query', path: '/ids' }, properties: ['threadId'] }, 'threads'],
      ['Thread/get', { accountId, '#ids': { resultOf: 'threads', name: 'Email/get', path: '/list/*/threadId' } }, 'thread'],
      ['Email/get', { accountId, '#ids': { resultOf: 'thread', name: 'Thread/get', path: '/list/*/emailIds' }, properties: ['subject'] }, 'emails'],
    ]);
    expect(responses[0]![1]['ids']).toHaveLength(1);
    expect(responses[3]![1]['list'].map(({ subject }: { subject: string }) => subject)).toEqual(['Subject of first', 'Re: Subject of first']);
  });
});
