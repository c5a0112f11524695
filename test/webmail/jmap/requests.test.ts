import { setImmediate } from 'node:timers/promises';
import { createRequests, MethodError, RequestRefused, ResponseLost, type RequestDependencies } from '../../../webmail/jmap/requests.ts';
import type { Session } from '../../../webmail/jmap/types.ts';

type Posted = { readonly token: string; readonly calls: readonly (readonly [string, Record<string, unknown>, string])[] };

/** A server that answers each call by its name, unless a test gives another answer to a request. */
const world = (answers: (Response | Error | undefined)[] = [], maxCallsInRequest = 4) => {
  const posted: Posted[] = [];
  const waited: number[] = [];
  const connections: string[] = [];
  let tokens = 0;
  const dependencies: RequestDependencies = {
    session: () => ({ apiUrl: 'https://jmap.example.test/jmap', capabilities: { 'urn:ietf:params:jmap:core': { maxCallsInRequest } } }) as unknown as Session,
    accessToken: async (refused) => (refused === undefined ? 'first' : `next ${++tokens}`),
    onConnection: (connection) => connections.push(connection),
    wait: async (milliseconds) => void waited.push(milliseconds),
    fetch: async (_, { body, headers, signal }) => {
      signal?.throwIfAborted();
      const calls = (JSON.parse(body) as { methodCalls: Posted['calls'] }).methodCalls;
      posted.push({ token: new Headers(headers).get('authorization')!.slice(7), calls });
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      const responses = calls.map(([name, args, id]) =>
        name === 'Fails/get' ? ['error', { type: 'serverFail', description: 'no' }, id] : [name, { name, args }, id],
      );
      return answer ?? new Response(JSON.stringify({ methodResponses: responses }));
    },
  };
  return { posted, waited, connections, requests: createRequests(dependencies) };
};

const problem = (status: number, detail = 'why', headers = {}) => new Response(JSON.stringify({ detail }), { status, headers });

describe('method calls', () => {
  test('of one tick are one request, and keep their order', async () => {
    const { posted, requests } = world();
    await Promise.all(['A/get', 'B/get'].map((name) => requests.call(name, {}).result));
    expect(posted.map(({ calls }) => calls.map(([name]) => name))).toEqual([['A/get', 'B/get']]);
  });

  test('are divided by the limit of the session, and those that refer to each other stay together', async () => {
    const { posted, requests } = world([], 3);
    const plain = ['A/get', 'B/get'].map((name) => requests.call(name, {}).result);
    const query = requests.call('C/query', {});
    const get = requests.call('C/get', { '#ids': query.ref('/ids') });
    await Promise.all([...plain, query.result, get.result]);
    expect(posted.map(({ calls }) => calls.map(([name]) => name))).toEqual([
      ['A/get', 'B/get'],
      ['C/query', 'C/get'],
    ]);
    expect(posted[1]!.calls[1]![1]).toEqual({ '#ids': { resultOf: posted[1]!.calls[0]![2], name: 'C/query', path: '/ids' } });
  });

  test('fail one by one', async () => {
    const { requests } = world();
    const [failed, good] = [requests.call('Fails/get', {}), requests.call('A/get', {})];
    await expect(failed.result).rejects.toThrow(MethodError);
    await expect(good.result).resolves.toMatchObject({ name: 'A/get' });
  });

  test('are sent once more with another token after 401, and no third time', async () => {
    const { posted, requests } = world([problem(401), problem(401)]);
    await expect(requests.call('A/get', {}).result).rejects.toThrow(RequestRefused);
    expect(posted.map(({ token }) => token)).toEqual(['first', 'next 1']);
  });

  test.each([
    [429, { 'retry-after': '7' }, 7000],
    [503, {}, 1000],
  ])('wait after %d, as the server says, and are sent again', async (status, headers, milliseconds) => {
    const { waited, connections, requests } = world([problem(status, 'busy', headers)]);
    await requests.call('A/set', {}).result;
    expect([waited, connections]).toEqual([[milliseconds], ['waiting', 'working']]);
  });

  test('that only read are sent again when the network fails; a change is not, because it may have been made', async () => {
    const reading = world([new TypeError('fetch failed'), problem(504)]);
    await reading.requests.call('A/get', {}).result;
    expect(reading.waited).toEqual([1000, 2000]);
    for (const answer of [new TypeError('fetch failed'), problem(504)]) {
      await expect(world([answer]).requests.call('A/set', {}).result).rejects.toThrow(ResponseLost);
    }
  });

  test('say in the server’s words why a request was refused', async () => {
    await expect(world([problem(400, 'not like this')]).requests.call('A/get', {}).result).rejects.toThrow('not like this');
  });

  test('that are cancelled before the request leaves are not sent', async () => {
    const { posted, requests } = world();
    const abort = new AbortController();
    const { result } = requests.call('A/get', {}, { signal: abort.signal });
    abort.abort(new Error('navigated'));
    await expect(result).rejects.toThrow('navigated');
    await setImmediate();
    expect(posted).toEqual([]);
  });
});
