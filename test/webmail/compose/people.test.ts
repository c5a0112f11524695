import { setImmediate } from 'node:timers/promises';
import { capability } from '../../../contract/jmap/core.ts';
import { createPeople } from '../../../webmail/compose/people.ts';
import { createRequests } from '../../../webmail/jmap/requests.ts';
import type { EmailAddress, Session } from '../../../webmail/jmap/types.ts';
import { jmapDeploymentPerTest, type Json } from '../../lambdas/jmap/jmap-deployment.ts';

const deployment = jmapDeploymentPerTest();
const accountId = 'acc_alice';
const using = [capability.core, capability.mail, capability.contacts];

type Sent = { readonly day: number; readonly to?: readonly EmailAddress[]; readonly cc?: readonly EmailAddress[]; readonly bcc?: readonly EmailAddress[] };
const person = (email: string, name: string | null = null): EmailAddress => ({ name, email });

const send = async (...sent: readonly Sent[]): Promise<void> => {
  const { sent: sentId } = await deployment.roles();
  const create = sent.map(({ day, ...recipients }) => ({
    mailboxIds: { [sentId!]: true },
    receivedAt: new Date(Date.UTC(2026, 0, day)).toISOString(),
    ...recipients,
  }));
  const { notCreated } = await deployment.call('Email/set', { create: Object.fromEntries(create.map((email, index) => [`e${index}`, email])) });
  expect(notCreated).toBeNull();
};
const addCards = async (...cards: readonly Json[]): Promise<void> => {
  const create = Object.fromEntries(cards.map((card, index) => [`c${index}`, { addressBookIds: { default: true }, ...card }]));
  expect((await deployment.call('ContactCard/set', { create }, { using }))['notCreated']).toBeNull();
};

/** The people of a page that opened a composer. */
const open = async ({ maxObjectsInGet = 5000, hasContacts = true, isBroken = false } = {}) => {
  const real = JSON.parse((await deployment.http('GET', '/.well-known/jmap')).body!) as Session;
  const account = real.accounts[accountId]!;
  const { [capability.contacts]: contacts, ...others } = account.accountCapabilities!;
  const session: Session = {
    ...real,
    capabilities: { ...real.capabilities, [capability.core]: { ...(real.capabilities[capability.core] as object), maxObjectsInGet } },
    accounts: { [accountId]: { ...account, accountCapabilities: hasContacts ? { ...others, [capability.contacts]: contacts } : others } },
  };
  let count = 0;
  const requests = createRequests({
    session: () => session,
    accessToken: async () => 'alice',
    onConnection: () => undefined,
    wait: async () => setImmediate(),
    fetch: async (_, { body }) => {
      count += 1;
      if (isBroken) return new Response('{"detail":"no"}', { status: 500 });
      const { body: answer, statusCode } = await deployment.http('POST', '/jmap', { body });
      return new Response(answer, { status: statusCode! });
    },
  });
  const { sent: sentId } = await deployment.roles();
  const people = createPeople({ requests, session, accountId, sentId, isOwn: (address) => address.toLowerCase() === 'alice@example.test' });
  await people.load();
  await people.load();
  const shown = (text: string, limit = 9, without: readonly EmailAddress[] = []) =>
    people.matching(text, limit, without).map(({ name, email }) => (name === null ? email : `${name} <${email}>`));
  return { people, shown, count: () => count };
};

test.each<[string, string[]]>([
  ['bo', ['Bob Éclair <bob@example.net>']],
  ['ecl', ['Bob Éclair <bob@example.net>']],
  ['ÉCL BO', ['Bob Éclair <bob@example.net>']],
  ['bob@ex', ['Bob Éclair <bob@example.net>']],
  ['"Bob', ['Bob Éclair <bob@example.net>']],
  ['example.n', ['Bob Éclair <bob@example.net>']],
  ['@other', ['Mary-Ann O’Neil <m.oneil@other.example>']],
  ['oneil', ['Mary-Ann O’Neil <m.oneil@other.example>']],
  ['ann', ['Mary-Ann O’Neil <m.oneil@other.example>']],
  ['neil', ['Mary-Ann O’Neil <m.oneil@other.example>']],
  ['田', ['田中 <tanaka@example.jp>']],
  ['ob', []],
  ['bob mary', []],
  ['', []],
  [' ,', []],
  ['(.*', []],
])('people are found by the beginnings of their words: %j', async (text, expected) => {
  await send({
    day: 1,
    to: [person('bob@example.net', 'Bob Éclair')],
    cc: [person('m.oneil@other.example', 'Mary-Ann O’Neil')],
    bcc: [person('tanaka@example.jp', '田中')],
  });
  expect((await open()).shown(text)).toEqual(expected);
});

test('people to whom was written lately or often come first, then contacts, then oneself, and nobody twice', async () => {
  await send(
    { day: 1, to: [person('p.old@x.org')] },
    { day: 200, to: [person('p.often@x.org'), person('p.often@x.org')] },
    { day: 210, to: [person('P.Often@x.org')], cc: [person('alice@example.test', 'P')] },
    { day: 225, to: [person('p.often@x.org', 'P. Often')] },
    { day: 226, to: [person('p.new@x.org')] },
  );
  await addCards({ emails: { a: { address: 'p.contact@x.org' }, b: { address: 'P.NEW@x.org' } }, name: { full: 'P. Contact' } });
  const { shown, people } = await open();
  const all = ['P. Often <p.often@x.org>', 'P. Contact <p.new@x.org>', 'p.old@x.org', 'P. Contact <p.contact@x.org>', 'P <alice@example.test>'];
  expect(shown('p')).toEqual(all);
  expect(shown('p', 2)).toEqual(all.slice(0, 2));
  expect(shown('p', 2, [person('P.OFTEN@x.org')])).toEqual(all.slice(1, 3));
  expect(people.matching('p', 1)).toEqual([{ name: 'P. Often', email: 'p.often@x.org' }]);
});

test('contacts have their names, in whatever parts these are', async () => {
  await addCards(
    {
      name: {
        components: [
          { kind: 'given', value: 'Ada' },
          { kind: 'surname', value: 'Lovelace' },
        ],
      },
      emails: { a: { address: 'ada@x.org' } },
    },
    { emails: { a: { address: 'nameless@x.org' }, b: { address: 'wrong' } } },
    { name: { full: 'No address' } },
  );
  const { shown } = await open();
  expect(shown('x.org')).toEqual(['Ada Lovelace <ada@x.org>', 'nameless@x.org']);
  expect(shown('address')).toEqual([]);
});

test('a name that pretends to be an address is left out', async () => {
  await send({ day: 1, to: [person('eve@x.org', 'boss@example.test')] });
  expect((await open()).shown('eve')).toEqual(['eve@x.org']);
});

test.each([
  ['in one request', {}, 1, ['Ann <ann@x.org>', 'p0@x.org', 'p1@x.org', 'p2@x.org', 'p3@x.org']],
  ['in pages, where the server gives no more at once', { maxObjectsInGet: 2 }, 2, ['Ann <ann@x.org>', 'p0@x.org', 'p1@x.org', 'p2@x.org', 'p3@x.org']],
  ['without contacts, where the account has none', { hasContacts: false }, 1, ['p0@x.org', 'p1@x.org', 'p2@x.org', 'p3@x.org']],
  ['and are nobody where the server fails', { isBroken: true }, 1, []],
])('people are read once, %s', async (_, given, requests, expected) => {
  await send(...[0, 1, 2, 3].map((index) => ({ day: 9, to: [person(`p${index}@x.org`)] })));
  await addCards({ name: { full: 'Ann' }, emails: { a: { address: 'ann@x.org' } } });
  const { shown, count } = await open(given);
  expect(shown('x.org').toSorted()).toEqual(expected);
  expect(count()).toBeGreaterThanOrEqual(requests);
  expect(count()).toBeLessThanOrEqual(requests + 1);
});
