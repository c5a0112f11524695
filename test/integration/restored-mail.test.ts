import { randomUUID } from 'node:crypto';
import { adminMachineToken } from './access-tokens.ts';
import { ok } from './admin-calls.ts';
import { describeWith } from './deployment.ts';
import { jmapClient, mailboxIdOf, type JmapClient } from './jmap-client.ts';
import { createUserWithAccount } from './user-with-account.ts';

/** Number of Emails in the mailbox, and in one Email/set. */
const [emailCount, emailsAtOnce] = [1000, 100];

type StoredEmail = Record<string, unknown> & { readonly id: string; readonly mailboxIds: Record<string, true> };

describeWith('users')('the mail of an account', () => {
  let token: string;
  let client: JmapClient;
  let account_id: string;
  let folder: string;
  let trash: string;

  beforeAll(async () => {
    token = await adminMachineToken();
    const owner = await createUserWithAccount(token, `restored-${randomUUID().slice(0, 8)}`);
    account_id = owner.account.account_id;
    client = await jmapClient((await owner.signIn()).access_token);
    const [created] = await client.call(['Mailbox/set', { create: { folder: { name: 'Projects' } } }]);
    folder = (created!['created'] as { folder: { id: string } }).folder.id;
    trash = await mailboxIdOf(client, 'trash');
    for (let first = 0; first < emailCount; first += emailsAtOnce) await createEmails(first);
  });

  /** Creates Emails in one or two Mailboxes. Some are read; some are in the Thread of the previous Email. */
  const createEmails = async (first: number): Promise<void> => {
    const emails = Array.from({ length: emailsAtOnce }, (_, index) => first + index).map(
      (number) =>
        [
          `e${number}`,
          {
            mailboxIds: { [trash]: true, ...(number % 3 === 0 && { [folder]: true }) },
            keywords: { ...(number % 2 === 0 && { $seen: true }), ...(number % 5 === 0 && { important: true }) },
            receivedAt: new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString().replace('.000', ''),
            from: [{ email: `sender${number % 7}@example.net` }],
            subject: `Message ${number - (number % 4)}`,
            messageId: [`${number}@example.net`],
            ...(number % 4 > 0 && { references: [`${number - (number % 4)}@example.net`] }),
            bodyStructure: { type: 'text/plain', partId: 'p' },
            bodyValues: { p: { value: `Text of message ${number}` } },
          },
        ] as const,
    );
    const [result] = await client.call(['Email/set', { create: Object.fromEntries(emails) }]);
    expect(result!['notCreated'] ?? {}).toEqual({});
  };

  const properties = ['mailboxIds', 'keywords', 'receivedAt', 'sentAt', 'size', 'subject', 'from', 'messageId', 'references', 'threadId', 'preview'];
  const readEmails = async (): Promise<readonly StoredEmail[]> => {
    const [query] = await client.call(['Email/query', { sort: [{ property: 'receivedAt' }] }]);
    const [get] = await client.call(['Email/get', { ids: query!['ids'], properties }]);
    return get!['list'] as StoredEmail[];
  };
  /** The Emails without ids. A Thread is represented by its messages. */
  const comparable = (emails: readonly StoredEmail[]): readonly object[] => {
    const threads = Map.groupBy(emails, ({ threadId }) => threadId);
    return emails.map(({ id: _id, threadId, ...email }) => ({ ...email, thread: threads.get(threadId)!.map(({ messageId }) => messageId) }));
  };

  test('purged from the trash by a client is restored by an admin unchanged, with keywords, Mailboxes, dates and Threads', async () => {
    const before = await readEmails();
    expect(before).toHaveLength(emailCount);
    const [{ state } = {}] = await client.call(['Email/get', { ids: [] }]);
    const since = new Date(Date.now() - 60_000).toISOString();
    for (let first = 0; first < emailCount; first += 500) {
      const [result] = await client.call(['Email/set', { destroy: before.slice(first, first + 500).map(({ id }) => id) }]);
      expect(result!['destroyed']).toHaveLength(500);
    }
    expect(await readEmails()).toEqual([]);
    const {
      emails: [listed],
    } = await ok<{ emails: object[] }>(token, 'accounts/ListDestroyedEmails', { account_id, page_size: 1 });
    expect(listed).toMatchObject({ subject: expect.stringContaining('Message'), from: expect.stringContaining('@example.net') });
    let restored = 0;
    for (let isComplete = false; !isComplete;) {
      const answer = await ok<{ restored: number; complete: boolean }>(token, 'accounts/RestoreEmails', { account_id, destroyed_since: since });
      [restored, isComplete] = [restored + answer.restored, answer.complete];
    }
    expect(restored).toBe(emailCount);
    const after = await readEmails();
    expect(comparable(after)).toEqual(comparable(before));
    const [changes] = await client.call(['Email/changes', { sinceState: state }]);
    expect(changes).toMatchObject({ created: [], destroyed: [], hasMoreChanges: false });
    expect(changes!['updated']).toHaveLength(emailCount);
    const [search] = await client.call(['Email/query', { filter: { text: 'Text of message 999' }, calculateTotal: true }]);
    expect(search!['ids']).toContain(after.at(-1)!.id);
    expect(await ok(token, 'accounts/RestoreEmails', { account_id, destroyed_since: since })).toEqual({ restored: 0, complete: true });
  });

  test('returns to the mailbox "Restored" when its mailboxes no longer exist, and is permanently deleted by PurgeDestroyedEmails', async () => {
    const {
      account: { name },
    } = await ok<{ account: { name: string } }>(token, 'accounts/GetAccount', { account_id });
    const ids = (await readEmails())
      .filter(({ mailboxIds }) => folder in mailboxIds)
      .slice(0, 2)
      .map(({ id }) => id);
    await client.call(['Email/set', { update: Object.fromEntries(ids.map((id) => [id, { mailboxIds: { [folder]: true } }])) }]);
    await client.call(['Mailbox/set', { destroy: [folder], onDestroyRemoveEmails: true }]);
    await ok(token, 'accounts/RestoreEmails', { account_id, email_ids: [ids[0]] });
    const [mailboxes] = await client.call(['Mailbox/get', { ids: null }]);
    const target = (mailboxes!['list'] as { id: string; name: string }[]).find((each) => each.name === 'Restored')!;
    const [get] = await client.call(['Email/get', { ids, properties: ['mailboxIds'] }]);
    expect(get).toMatchObject({ list: [{ id: ids[0], mailboxIds: { [target.id]: true } }], notFound: [ids[1]] });
    expect(await ok(token, 'accounts/PurgeDestroyedEmails', { account_id, name, email_ids: [ids[1]] })).toEqual({ purged: 1, complete: true });
    expect(await ok(token, 'accounts/RestoreEmails', { account_id, email_ids: [ids[1]] })).toEqual({ restored: 0, complete: true });
  });
});
