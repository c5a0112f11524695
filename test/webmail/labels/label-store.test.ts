import { setImmediate } from 'node:timers/promises';
import { createRequests } from '../../../webmail/jmap/requests.ts';
import type { Session } from '../../../webmail/jmap/types.ts';
import { createLabelStore, type LabelStore } from '../../../webmail/labels/label-store.ts';
import { keywordFor, labelsIn, settingsText, type Label } from '../../../webmail/labels/label.ts';
import { createMailStore } from '../../../webmail/store/mail-store.ts';
import { jmapDeployment, type JmapDeployment } from '../../lambdas/jmap/jmap-deployment.ts';

const work: Label = { keyword: 'work', name: 'Work', colour: 'blue' };
const home: Label = { keyword: 'home', name: 'Zu Hause', colour: 'green' };

const deviceOf = async (server: JmapDeployment, fault: () => boolean = () => false) => {
  const session = JSON.parse((await server.http('GET', '/.well-known/jmap')).body!) as Session;
  const requests = createRequests({
    session: () => session,
    accessToken: async () => 'alice',
    onConnection: () => undefined,
    wait: async () => setImmediate(),
    async fetch(_, { body }) {
      const response = await server.http('POST', '/jmap', { body });
      if (fault()) throw new TypeError('fetch failed');
      return new Response(response.body, { status: response.statusCode! });
    },
  });
  const accountId = 'acc_alice';
  const store = createMailStore({ accountId, requests, wait: async () => setImmediate(), maxObjectsInSet: 500 });
  await store.open();
  const labels = createLabelStore({ call: (name, args) => requests.call(name, { accountId, ...args }), store });
  await labels.load();
  return { store, labels };
};

const add = (labels: LabelStore, label: Label): Promise<void> => labels.save((before) => [...before, label]);

test('labels are kept in one message of a mailbox that is not subscribed, and every device sees them', async () => {
  const server = await jmapDeployment();
  const one = await deviceOf(server);
  expect(one.labels.all()).toEqual([]);
  await add(one.labels, home);
  await add(one.labels, work);
  const other = await deviceOf(server);
  expect(other.labels.all()).toEqual([work, home]);
  const [mailbox] = other.store.mailboxes().filter(({ isSubscribed }) => !isSubscribed);
  expect((await server.call('Email/query', { filter: { inMailbox: mailbox!.id } }))['ids']).toHaveLength(1);
  // Other mail in that mailbox is left alone.
  const stray = await server.deliver();
  await server.call('Email/set', { update: { [stray]: { mailboxIds: { [mailbox!.id]: true } } } });
  await other.labels.save((before) => before.filter(({ keyword }) => keyword !== 'work'));
  expect((await server.call('Email/query', { filter: { inMailbox: mailbox!.id } }))['ids']).toContain(stray);
  await one.labels.load();
  expect(one.labels.all()).toEqual([home]);
});

test('two devices that write at the same time lose nothing, also when responses are lost', async () => {
  const server = await jmapDeployment();
  const first = await deviceOf(server);
  await add(first.labels, { keyword: 'old', name: 'Old', colour: 'grey' });
  let count = 0;
  const devices = [await deviceOf(server), await deviceOf(server, () => (count += 1) % 3 === 0)];
  await Promise.allSettled([add(devices[0]!.labels, work), add(devices[1]!.labels, home)]);
  await first.labels.load();
  expect(first.labels.all().map(({ keyword }) => keyword)).toEqual(['old', 'work', 'home']);
  await first.labels.save((before) => before);
  const [mailbox] = (await deviceOf(server)).store.mailboxes().filter(({ isSubscribed }) => !isSubscribed);
  expect((await server.call('Email/query', { filter: { inMailbox: mailbox!.id } }))['ids']).toHaveLength(1);
});

test.each<[string, string, readonly Label[]]>([
  ['what was written', settingsText([work, home]), [work, home]],
  ['no JSON', 'Hello', []],
  ['nothing', '', []],
  ['other JSON', '{"labels":"none"}', []],
  ['labels of another build', '{"labels":[{"keyword":"work","name":"Work","colour":"mauve","more":1}]}', [{ ...work, colour: 'grey' }]],
  [
    'keywords of the system, of other shapes and without names',
    '{"labels":[{"keyword":"$seen","name":"x"},{"keyword":"a b","name":"x"},{"keyword":"a"},null,7]}',
    [],
  ],
  ['braces that never end', '{'.repeat(200_000), []],
])('reads %s', (_, text, expected) => expect(labelsIn(text)).toEqual(expected));

test.each([
  ['Work', 'work-2'],
  ['Zoë & Ada', 'zoe-ada'],
  ['仕事', 'label'],
  ['$seen', 'seen'],
])('a label that is called %s gets the keyword %s', (name, keyword) => expect(keywordFor(name, [work])).toBe(keyword));
