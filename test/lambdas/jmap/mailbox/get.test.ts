import { mailboxRights } from '../../../../contract/jmap/mailbox.ts';
import { jmapDeployment, type JmapDeployment, type Json } from '../jmap-deployment.ts';

describe('Mailbox/get', () => {
  let deployment: JmapDeployment;
  beforeAll(async () => {
    deployment = await jmapDeployment();
  });

  test('a new account has the six default mailboxes with their roles', async () => {
    const { list, notFound, accountId, state } = await deployment.call('Mailbox/get');
    expect(list.map(({ name, role }: Json) => [name, role])).toEqual([
      ['Inbox', 'inbox'],
      ['Drafts', 'drafts'],
      ['Sent', 'sent'],
      ['Archive', 'archive'],
      ['Junk', 'junk'],
      ['Trash', 'trash'],
    ]);
    expect({ notFound, accountId }).toEqual({ notFound: [], accountId: 'acc_alice' });
    expect(state).toEqual(expect.any(String));
  });

  test('returns all properties by default', async () => {
    const { list } = await deployment.call('Mailbox/get');
    expect(Object.keys(list[0]).sort()).toEqual([
      'id',
      'isSubscribed',
      'myRights',
      'name',
      'parentId',
      'role',
      'sortOrder',
      'totalEmails',
      'totalThreads',
      'unreadEmails',
      'unreadThreads',
    ]);
  });

  test('returns id and the requested properties only', async () => {
    const { list } = await deployment.call('Mailbox/get', { properties: ['name'] });
    expect(Object.keys(list[0]).sort()).toEqual(['id', 'name']);
    expect(Object.keys((await deployment.call('Mailbox/get', { properties: [] }))['list'][0])).toEqual(['id']);
  });

  test('returns the state for ids []', async () => {
    expect(await deployment.call('Mailbox/get', { ids: [] })).toMatchObject({ list: [], notFound: [], state: expect.any(String) as string });
  });

  // @requirement 8620 §5.1 get-once
  test('returns unknown ids as notFound, and each id once', async () => {
    const { inbox } = await deployment.roles();
    const { list, notFound } = await deployment.call('Mailbox/get', { ids: [inbox, 'nope', inbox, 'nope'], properties: ['id'] });
    expect({ list, notFound }).toEqual({ list: [{ id: inbox }], notFound: ['nope'] });
  });

  // @requirement 8621 §2 mailbox-rights
  // @pitfall mailbox rights
  test('myRights has all rights, by the role in the account and the token', async () => {
    const rightsFor = async (token: string, role: string): Promise<Json> => {
      const { list } = await deployment.call('Mailbox/get', {}, { token });
      return list.find((mailbox: Json) => mailbox['role'] === role).myRights as Json;
    };
    expect(Object.keys(await rightsFor('alice', 'sent')).sort()).toEqual([...mailboxRights].sort());
    expect(Object.values(await rightsFor('alice', 'sent'))).toEqual(mailboxRights.map(() => true));
    expect(await rightsFor('alice', 'inbox')).toMatchObject({ mayRename: true, mayDelete: false });
    for (const token of ['bob', 'reader']) {
      expect(Object.entries(await rightsFor(token, 'sent')).filter(([, may]) => may)).toEqual([['mayReadItems', true]]);
    }
  });

  // @requirement 8621 §2 mailbox-unread-emails
  // @requirement 8621 §2 mailbox-total-threads
  // @requirement 8621 §2 mailbox-unread-threads
  test('counters include deliveries, read Emails and moves', async () => {
    const counters = async (role: string) => {
      const { list } = await deployment.call('Mailbox/get', {
        ids: [(await deployment.roles())[role]],
        properties: ['totalEmails', 'unreadEmails', 'totalThreads', 'unreadThreads'],
      });
      const { totalEmails, unreadEmails, totalThreads, unreadThreads } = list[0] as Json;
      return [totalEmails, unreadEmails, totalThreads, unreadThreads];
    };
    const first = await deployment.deliver({ id: 'one' });
    await deployment.deliver({ id: 'two', references: 'one', subject: 'Re: Subject of one' });
    await deployment.deliver({ id: 'other' });
    expect(await counters('inbox')).toEqual([3, 3, 2, 2]);
    await deployment.call('Email/set', { update: { [first]: { 'keywords/$seen': true } } });
    expect(await counters('inbox')).toEqual([3, 2, 2, 2]);
    const { archive } = await deployment.roles();
    await deployment.call('Email/set', { update: { [first]: { mailboxIds: { [archive!]: true } } } });
    expect(await counters('inbox')).toEqual([2, 2, 2, 2]);
    expect(await counters('archive')).toEqual([1, 0, 1, 1]);
  });

  // @pitfall mailbox unread-threads
  test('unreadThreads ignores Emails only in the trash elsewhere, and all other Emails in the trash', async () => {
    const own = await jmapDeployment();
    const { inbox, trash, archive } = await own.roles();
    const unreadThreads = async () => {
      const { list } = await own.call('Mailbox/get', { ids: [inbox, trash, archive], properties: ['unreadThreads'] });
      const byId = new Map((list as Json[]).map((mailbox) => [mailbox['id'], mailbox['unreadThreads'] as number]));
      return [inbox, trash, archive].map((id) => byId.get(id!));
    };
    const read = await own.deliver({ id: 'one', keywords: ['$seen'] });
    const unread = await own.deliver({ id: 'two', references: 'one', subject: 'Re: Subject of one' });
    expect(await unreadThreads()).toEqual([1, 0, 0]);
    await own.call('Email/set', { update: { [unread]: { mailboxIds: { [trash!]: true } } } });
    expect(await unreadThreads()).toEqual([0, 1, 0]);
    await own.call('Email/set', { update: { [unread]: { [`mailboxIds/${archive}`]: true } } });
    expect(await unreadThreads()).toEqual([1, 1, 1]);
    await own.call('Email/set', { update: { [unread]: { 'keywords/$draft': true }, [read]: { mailboxIds: { [trash!]: true }, keywords: {} } } });
    expect(await unreadThreads()).toEqual([0, 1, 0]);
  });

  // @requirement 8621 §2 mailbox-total-emails
  // @pitfall mailbox total-emails
  test('totalEmails is the total of Email/query', async () => {
    const { inbox } = await deployment.roles();
    const [got, queried] = (
      await deployment.perform([
        ['Mailbox/get', { accountId: 'acc_alice', ids: [inbox] }, 'a'],
        ['Email/query', { accountId: 'acc_alice', filter: { inMailbox: inbox }, calculateTotal: true }, 'b'],
      ])
    ).map(([, args]) => args);
    expect(got!['list'][0].totalEmails).toBe(queried!['total']);
  });
});
