import { randomUUID } from 'node:crypto';
import { eventSourceRetry } from '../../contract/jmap/push.ts';
import { deployed, describeWith } from './deployment.ts';
import { httpRequest, bearer, type HttpResponse } from './http-requests.ts';
import { jmapClient, type JmapClient } from './jmap-client.ts';
import { adminMachineToken, accessTokenOf } from './access-tokens.ts';

const eventSourceUrl = (values: Record<string, string>): string => `${deployed.jmapUrl}/eventsource?${new URLSearchParams({ types: '*', closeafter: 'no', ping: '0', ...values }).toString()}`;
const change = async (client: JmapClient): Promise<string> =>
  (await client.call(['Mailbox/set', { create: { new: { name: `Event ${randomUUID().slice(0, 8)}` } } }]))[0]!['newState'] as string;

describe('the event source is opened to nobody', () => {
  test('without a token, or with garbage, and says where to get one', async () => {
    for (const answer of [await httpRequest(eventSourceUrl({})), await httpRequest(eventSourceUrl({ access_token: 'garbage' }))]) {
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('/.well-known/oauth-protected-resource')]);
    }
  });

  test('with a token of the other API', async () => {
    expect((await httpRequest(eventSourceUrl({}), { headers: bearer(await adminMachineToken()) })).status).toBe(403);
  });
});

describeWith('people')('the event source', () => {
  let alice: JmapClient;
  let token: string;
  const idOf = ({ text }: HttpResponse): string => /^id: (.+)$/m.exec(text)![1]!;
  const changeIn = ({ text }: HttpResponse): unknown => JSON.parse(/^event: state\ndata: (.+)$/m.exec(text)![1]!);
  beforeAll(async () => {
    token = await accessTokenOf('alice');
    alice = await jmapClient(token);
  }, 15_000);

  test('is where the session says, answers at once where everything stands, and catches up by the id of the last event', async () => {
    const url = (alice.session as unknown as { eventSourceUrl: string }).eventSourceUrl.replace('{types}', '*').replace('{closeafter}', 'state').replace('{ping}', '0');
    const first = await httpRequest(url, { headers: bearer(token) });
    expect([first.status, first.headers.get('content-type'), first.headers.get('cache-control')]).toEqual([200, expect.stringContaining('text/event-stream'), 'no-store']);
    expect(first.text).toMatch(new RegExp(`^retry: ${eventSourceRetry * 1000}\\nid: .+\\nevent: state\\ndata: .+\\n\\n$`));
    expect(changeIn(first)).toMatchObject({ changed: { [alice.accountId]: { Mailbox: (await alice.call(['Mailbox/get', { ids: [] }]))[0]!['state'] } } });
    expect((await httpRequest(url, { headers: { ...bearer(token), 'last-event-id': idOf(first) } })).text).toBe(`retry: ${eventSourceRetry * 1000}\nid: ${idOf(first)}\n\n`);
    const state = await change(alice);
    const second = await httpRequest(url, { headers: { ...bearer(token), 'last-event-id': idOf(first) } });
    expect(changeIn(second)).toEqual({ '@type': 'StateChange', changed: { [alice.accountId]: { Mailbox: state } } });
    expect((await httpRequest(eventSourceUrl({ ping: '60' }), { headers: { ...bearer(token), 'last-event-id': idOf(second) } })).text).toContain(`event: ping\ndata: {"interval":${eventSourceRetry}}\n`);
  }, 15_000);

  test('refuses what it can not be asked for', async () => {
    for (const wrong of [{ types: '' }, { closeafter: 'never' }, { ping: 'often' }] as Record<string, string>[]) {
      const answer = await httpRequest(eventSourceUrl(wrong), { headers: bearer(token) });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/problem+json']);
    }
  });
});
