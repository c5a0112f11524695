import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateQueueCommand, DeleteQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { eventSourceRetry, eventSourceWait, eventSourceWaitPath } from '../../contract/jmap/push.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { adminMachineToken } from './access-tokens.ts';
import { deployed, describeWith } from './deployment.ts';
import { type HttpResponse, bearer, challengeOf, eventually, httpRequest } from './http-requests.ts';
import { jmapClient, type JmapClient } from './jmap-client.ts';
import { createUserWithAccount } from './user-with-account.ts';

const eventSourceUrl = (values: Record<string, string>): string =>
  `${deployed.jmapUrl}/eventsource?${new URLSearchParams({ types: '*', closeafter: 'no', ping: '0', ...values }).toString()}`;
const createMailbox = async (client: JmapClient): Promise<string> =>
  (await client.call(['Mailbox/set', { create: { new: { name: `Event ${randomUUID().slice(0, 8)}` } } }]))[0]!['newState'] as string;

describe('the event source refuses', () => {
  test('a request without a valid token, with the URL of the resource metadata', async () => {
    for (const answer of [await httpRequest(eventSourceUrl({})), await httpRequest(eventSourceUrl({ access_token: 'garbage' }))]) {
      expect([answer.status, challengeOf(answer)]).toEqual([401, expect.stringContaining('/.well-known/oauth-protected-resource')]);
    }
  });

  test('a token of the admin API', async () => {
    expect((await httpRequest(eventSourceUrl({}), { headers: bearer(await adminMachineToken()) })).status).toBe(403);
  });
});

describeWith('credentials')('a wait at the event source', () => {
  const sqs = new SQSClient(awsClientConfig(deployed));
  afterAll(() => sqs.destroy());

  test('receives from no queue that the request names', async () => {
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: `postrider-test-${randomUUID()}` }));
    try {
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'Only for its reader' }));
      const query = new URLSearchParams({ queue: QueueUrl!, QueueUrl: QueueUrl! }).toString();
      const wait = (queue: number): string => `${deployed.jmapUrl}${eventSourceWaitPath(queue)}?${query}`;
      expect((await httpRequest(`${deployed.jmapUrl}/eventsource/wait?${query}`)).status).toBe(404);
      expect((await httpRequest(wait(eventSourceWait.queues))).status).toBe(404);
      // The wait goes on after its client has left.
      await fetch(wait(0), { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
      const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5 }));
      expect(Messages?.map(({ Body }) => Body)).toEqual(['Only for its reader']);
    } finally {
      await sqs.send(new DeleteQueueCommand({ QueueUrl }));
    }
  });
});

describeWith('users')('the event source', () => {
  let client: JmapClient;
  let token: string;
  const idOf = ({ text }: HttpResponse): string => /^id: (.+)$/m.exec(text)![1]!;
  const stateChangeIn = ({ text }: HttpResponse): unknown => JSON.parse(/^event: state\ndata: (.+)$/m.exec(text)![1]!);
  beforeAll(async () => {
    // A person of its own: mail of other tests changes nothing here.
    const person = await createUserWithAccount(await adminMachineToken(), `events-${randomUUID().slice(0, 8)}`);
    token = (await person.signIn()).access_token;
    client = await jmapClient(token);
  });

  test('is at the session’s eventSourceUrl, sends the current states at once, and the changes since Last-Event-ID', async () => {
    const url = (client.session as unknown as { eventSourceUrl: string }).eventSourceUrl
      .replace('{types}', '*')
      .replace('{closeafter}', 'state')
      .replace('{ping}', '0');
    const first = await httpRequest(url, { headers: bearer(token) });
    expect([first.status, first.headers.get('content-type'), first.headers.get('cache-control')]).toEqual([
      200,
      expect.stringContaining('text/event-stream'),
      'no-store',
    ]);
    expect(first.text).toMatch(new RegExp(`^retry: ${eventSourceRetry * 1000}\\nid: .+\\nevent: state\\ndata: .+\\n\\n$`));
    expect(stateChangeIn(first)).toMatchObject({
      changed: { [client.accountId]: { Mailbox: (await client.call(['Mailbox/get', { ids: [] }]))[0]!['state'] } },
    });
    expect((await httpRequest(url, { headers: { ...bearer(token), 'last-event-id': idOf(first) } })).text).toBe(
      `retry: ${eventSourceRetry * 1000}\nid: ${idOf(first)}\n\n`,
    );
    const state = await createMailbox(client);
    const second = await httpRequest(url, { headers: { ...bearer(token), 'last-event-id': idOf(first) } });
    expect(stateChangeIn(second)).toEqual({ '@type': 'StateChange', changed: { [client.accountId]: { Mailbox: state } } });
    expect((await httpRequest(eventSourceUrl({ ping: '60' }), { headers: { ...bearer(token), 'last-event-id': idOf(second) } })).text).toContain(
      `event: ping\ndata: {"interval":${eventSourceRetry}}\n`,
    );
  });

  test('holds a client that returns immediately until something changes, and then sends only the changed state', async () => {
    const headers = { ...bearer(token), 'user-agent': `holding-test/${randomUUID()}` };
    const first = await fetch(eventSourceUrl({}), { headers });
    expect([first.status, (await first.text()).includes('event: state')]).toEqual([200, true]);
    const redirect = await fetch(eventSourceUrl({}), { headers, redirect: 'manual' });
    expect([redirect.status, redirect.headers.get('location')]).toEqual([307, expect.stringMatching(/\/eventsource\/wait\/\d+$/)]);
    const begun = Date.now();
    const held = fetch(eventSourceUrl({}), { headers });
    expect(await Promise.race([held, pause(2_000)])).toBeUndefined();
    const state = await createMailbox(client);
    const released = await held;
    expect(Date.now() - begun).toBeLessThan(eventSourceWait.seconds * 1000);
    expect([released.status, released.headers.get('content-type'), released.headers.get('cache-control')]).toEqual([
      200,
      expect.stringContaining('text/event-stream'),
      'no-store',
    ]);
    expect(await released.text()).not.toContain('\n\n');
    const told = await (await fetch(eventSourceUrl({}), { headers })).text();
    expect(JSON.parse(/^event: state\ndata: (.+)$/m.exec(told)![1]!)).toEqual({ '@type': 'StateChange', changed: { [client.accountId]: { Mailbox: state } } });
  });

  test('notifies a client that ignores retry of each of several changes in a row, beside another program with its token', async () => {
    const ended = new AbortController();
    const refused: number[] = [];
    const listen = async (states: string[], program: string): Promise<void> => {
      const headers = { ...bearer(token), 'user-agent': `${program}/${randomUUID()}` };
      while (!ended.signal.aborted) {
        const response = await fetch(eventSourceUrl({ types: 'Mailbox' }), { headers, signal: ended.signal });
        const body = await response.text();
        // A client that returns at once may be taken for a loop, and a busy server asks to come again.
        if (response.status === 429 || response.status === 503) await pause(1000 * Number(response.headers.get('retry-after') ?? 1));
        else if (response.status !== 200) refused.push(response.status);
        for (const [, state] of body.matchAll(/"Mailbox":"(Mailbox-\d+)"/g)) states.push(state!);
      }
    };
    const heard = { first: [] as string[], second: [] as string[] };
    const listening = Promise.allSettled(Object.entries(heard).map(([program, states]) => listen(states, program)));
    try {
      await pause(1_000);
      for (let change = 0; change < 5; change++) {
        const state = await createMailbox(client);
        await eventually(async () => expect([heard.first.includes(state), heard.second.includes(state)]).toEqual([true, true]));
      }
    } finally {
      ended.abort();
      await listening;
    }
    expect(refused).toEqual([]);
  });
});
