import { sendCall, sendEarly, type Call } from '../../../console/api/send-call.ts';

const call: Call = ['status', 'GetStatus', {}];
const token = async () => 'renewed';

/** Answers the calls one after another. @returns the tokens with which they were sent. */
const answerWith = (...answers: readonly (Response | Error)[]): string[] => {
  const tokens: string[] = [];
  const waiting = answers.values();
  globalThis.fetch = async (_path, init) => {
    tokens.push(new Headers(init?.headers).get('authorization') ?? '');
    const answer = waiting.next().value;
    if (answer instanceof Response) return answer;
    throw answer;
  };
  return tokens;
};

const { fetch: realFetch } = globalThis;
afterEach(() => {
  globalThis.fetch = realFetch;
});

test('a call that was sent early is not sent again, but the next one is', async () => {
  const [early, later] = [Response.json({ early: true }), Response.json({ early: false })];
  const tokens = answerWith(early, later);
  sendEarly([call], 'stored');
  expect([await sendCall(call, token), await sendCall(call, token)]).toEqual([early, later]);
  expect(tokens).toEqual(['Bearer stored', 'Bearer renewed']);
});

test.each([
  ['was refused', new Response('{}', { status: 401 })],
  ['had no answer', new Error('no connection')],
])('an early call that %s is sent again', async (_, failure) => {
  const answer = Response.json({});
  const tokens = answerWith(failure, answer);
  sendEarly([call], 'stored');
  expect(await sendCall(call, token)).toBe(answer);
  expect(tokens).toEqual(['Bearer stored', 'Bearer renewed']);
});

test('an early answer is for the same request only', async () => {
  const [early, other] = [Response.json({}), Response.json({})];
  answerWith(early, other);
  sendEarly([call], 'stored');
  expect(await sendCall(['status', 'GetCaller', {}], token)).toBe(other);
  expect(await sendCall(call, token)).toBe(early);
});
