import type { AccountView, Commit } from '../../core/account-index/account-view.ts';
import { emailsOf } from '../../core/mail/email/email-type.ts';
import { mailboxesOf } from '../../core/mail/mailbox/mailbox-record.ts';
import type { Table, Write } from '../../core/storage/table.ts';
import { mailCommit, emailId, inMailboxes, newEmail, withKeywords } from '../support/email-fixtures.ts';
import { storesPerTest, type MakeStores } from './stores-per-test.ts';

/** The behaviour of every {@link MailStore}. `makeTable` creates another empty table of the same kind. */
export const mailStoreSuite = (makeStores: MakeStores, makeTable: () => Promise<Table> | Table): void => {
  const { another, store } = storesPerTest(makeStores);
  const account = 'acc_1';
  const open = async (from = store): Promise<AccountView> => (await from.open(account))!;
  const idOf = (view: AccountView, role: string) =>
    mailboxesOf(view)
      .all()
      .find((mailbox) => mailbox.role === role)!.id;
  const deliver = async (...emails: Parameters<typeof newEmail>[]) => {
    for (const email of emails) expect(await store.deliver(account, newEmail(...email))).toBe('delivered');
  };
  const change = async (commit: Commit | ((view: AccountView) => Commit), from = store) =>
    from.commit(await open(from), (view) => (typeof commit === 'function' ? commit(view) : commit));

  describe('a new account', () => {
    it('has six empty Mailboxes, each with its role', async () => {
      const view = await open();
      expect(
        mailboxesOf(view)
          .all()
          .toSorted((a, b) => a.sortOrder - b.sortOrder)
          .map(({ name, role, parentId, isSubscribed }) => [name, role, parentId, isSubscribed]),
      ).toEqual([
        ['Inbox', 'inbox', null, true],
        ['Drafts', 'drafts', null, true],
        ['Sent', 'sent', null, true],
        ['Archive', 'archive', null, true],
        ['Junk', 'junk', null, true],
        ['Trash', 'trash', null, true],
      ]);
      expect(emailsOf(view).size).toBe(0);
      expect(emailsOf(view).counters(idOf(view, 'inbox'))).toEqual({ totalEmails: 0, unreadEmails: 0, totalThreads: 0, unreadThreads: 0 });
    });

    it('is created once, though several Lambdas create it several times', async () => {
      const ids = mailboxesOf(await open())
        .all()
        .map(({ id }) => id)
        .sort();
      await Promise.all([store, another(), another()].map((each) => each.createAccount(account)));
      await Promise.all([another(), another(), another()].map((each) => each.createAccount('acc_2')));
      expect(
        mailboxesOf(await open(another()))
          .all()
          .map(({ id }) => id)
          .sort(),
      ).toEqual(ids);
      expect(mailboxesOf((await store.open('acc_2'))!).all()).toHaveLength(6);
    });

    it('is created in one transaction with the additional writes', async () => {
      const elsewhere = await makeTable();
      const note: Write = { put: { pk: 'note', sk: 'a' }, if: { absent: true }, inTable: elsewhere.reference };
      expect(await store.createAccount('acc_2', [note])).toBe(true);
      expect([mailboxesOf((await another().open('acc_2'))!).size, await elsewhere.get({ pk: 'note', sk: 'a' })]).toEqual([6, { pk: 'note', sk: 'a' }]);
      const other: Write = { put: { pk: 'note', sk: 'b' }, inTable: elsewhere.reference };
      expect(await store.createAccount('acc_2', [other])).toBe(false);
      await expect(store.createAccount('acc_3', [other, note])).rejects.toMatchObject({ name: 'WriteRefused', failed: [1] });
      expect([await store.open('acc_3'), await elsewhere.get({ pk: 'note', sk: 'b' })]).toEqual([undefined, undefined]);
    });

    it('does not exist before it is created', async () => {
      expect(await store.open('acc_none')).toBeUndefined();
      expect(await store.deliver('acc_none', newEmail(1))).toBe('unknown-account');
    });

    it('does not contain the mail of another account', async () => {
      await store.createAccount('acc_2');
      await deliver([1]);
      expect(emailsOf((await store.open('acc_2'))!).size).toBe(0);
      expect((await store.emailContents('acc_2', [emailId(1)])).size).toBe(0);
    });
  });

  describe('delivery', () => {
    it('adds the message to the inbox, with all its properties', async () => {
      const email = newEmail(1, { keywords: ['$Flagged', '$flagged'], preview: 'Grüße ' });
      expect(await store.deliver(account, email)).toBe('delivered');
      const view = await open();
      expect(emailsOf(view).get(emailId(1))).toEqual({
        id: emailId(1),
        threadId: expect.stringMatching(/^T[\w-]+$/),
        mailboxIds: [idOf(view, 'inbox')],
        keywords: ['$flagged'],
        receivedAt: email.receivedAt,
        sentAt: email.sentAt,
        size: email.size,
      });
      expect((await store.emailContents(account, [emailId(1), emailId(2)])).get(emailId(1))).toEqual(email.content);
      expect(emailsOf(view).counters(idOf(view, 'inbox'))).toEqual({ totalEmails: 1, unreadEmails: 1, totalThreads: 1, unreadThreads: 1 });
    });

    it('adds junk to the Mailbox with the role junk', async () => {
      await deliver([1, { mailboxRole: 'junk' }]);
      const view = await open();
      expect(emailsOf(view).get(emailId(1))!.mailboxIds).toEqual([idOf(view, 'junk')]);
    });

    it('of the same message for the second time changes no record and no state', async () => {
      await deliver([1]);
      const before = await open();
      expect(await another().deliver(account, newEmail(1))).toBe('duplicate');
      const after = await open();
      expect([after.state('Email'), after.state('Mailbox'), after.state('Thread'), emailsOf(after).size]).toEqual([
        before.state('Email'),
        before.state('Mailbox'),
        before.state('Thread'),
        1,
      ]);
    });

    it('of the same message by several Lambdas at once adds it once', async () => {
      const outcomes = await Promise.all(Array.from({ length: 6 }, () => another().deliver(account, newEmail(1))));
      expect(outcomes.toSorted()).toEqual(['delivered', ...Array<string>(5).fill('duplicate')]);
      expect(emailsOf(await open()).size).toBe(1);
    });

    it('does not add a destroyed message again', async () => {
      await deliver([1]);
      await change(mailCommit({ destroyEmails: [emailId(1)] }));
      expect(await store.deliver(account, newEmail(1))).toBe('duplicate');
      expect(emailsOf(await open()).size).toBe(0);
      expect((await store.emailContents(account, [emailId(1)])).size).toBe(0);
    });

    it('adds junk to the inbox when no Mailbox has the role junk, and creates an inbox when none exists', async () => {
      const before = await open();
      await change(mailCommit({ destroyMailboxes: [idOf(before, 'junk'), idOf(before, 'inbox')] }));
      await deliver([1, { mailboxRole: 'junk' }], [2]);
      const view = await open();
      expect(mailboxesOf(view).get(idOf(view, 'inbox'))).toMatchObject({ name: 'Inbox', role: 'inbox' });
      expect(emailsOf(view).counters(idOf(view, 'inbox')).totalEmails).toBe(2);
    });

    it('adds the message to the Mailbox that has the role now', async () => {
      const before = await open();
      const old = mailboxesOf(before).get(idOf(before, 'inbox'))!;
      await change(
        mailCommit({
          putMailboxes: [
            { ...old, role: null },
            { ...old, id: 'Fnew', name: 'New', role: 'inbox' },
          ],
        }),
      );
      await deliver([1]);
      expect(emailsOf(await open()).get(emailId(1))!.mailboxIds).toEqual(['Fnew']);
    });
  });

  describe('a Thread', () => {
    const reply = (id: number, ...to: (string | number)[]) =>
      [id, { subject: 'Plan', threadMessageIds: [id, ...to].map((each) => `${each}@example.net`) }] as const;
    const threadOf = (view: AccountView, id: number) => emailsOf(view).get(emailId(id))!.threadId;

    it('contains the messages of one base subject that refer to one another, by receivedAt', async () => {
      await deliver([...reply(1)], [...reply(2, 1)], [...reply(3, 2, 1)]);
      const view = await open();
      expect(emailsOf(view).threadEmailIds(threadOf(view, 1))).toEqual([1, 2, 3].map(emailId));
      expect(emailsOf(view).threadIds()).toEqual([threadOf(view, 1)]);
    });

    it('contains replies that are delivered before the message that they refer to', async () => {
      await deliver([...reply(3, 1)], [...reply(2, 1)], [...reply(1)]);
      const view = await open();
      expect(new Set([1, 2, 3].map((id) => threadOf(view, id))).size).toBe(1);
    });

    it('does not contain messages of another subject, or messages without a common reference', async () => {
      await deliver([...reply(1)], [2, { subject: 'Other', threadMessageIds: ['2@example.net', '1@example.net'] }], [...reply(3)]);
      const view = await open();
      expect(new Set([1, 2, 3].map((id) => threadOf(view, id))).size).toBe(3);
    });

    it('is a single Thread when its messages are delivered at the same time', async () => {
      await Promise.all([1, 2, 3, 4, 5].map((id) => another().deliver(account, newEmail(...reply(id, ...(id === 1 ? [] : [1]))))));
      const view = await open();
      expect(emailsOf(view).threadEmailIds(threadOf(view, 1))).toEqual([1, 2, 3, 4, 5].map(emailId));
    });

    it('accepts a message with a thousand references and stores the first and the last ones', async () => {
      const many = Array.from({ length: 1000 }, (_, i) => `far-${i}`);
      await deliver([...reply(1, ...many)], [...reply(2, 'far-999')], [...reply(3, 'far-0')]);
      const view = await open();
      expect(emailsOf(view).threadEmailIds(threadOf(view, 1))).toHaveLength(3);
    });

    it('does not exist after its last Email is destroyed', async () => {
      await deliver([...reply(1)], [...reply(2, 1)]);
      const threadId = threadOf(await open(), 1);
      expect(emailsOf(await change(mailCommit({ destroyEmails: [emailId(1)] }))).threadEmailIds(threadId)).toEqual([emailId(2)]);
      const view = await change(mailCommit({ destroyEmails: [emailId(2)] }));
      expect([emailsOf(view).threadEmailIds(threadId), emailsOf(view).threadIds()]).toEqual([[], []]);
    });
  });

  describe('a commit', () => {
    it('is visible to every other Lambda immediately, warm or cold', async () => {
      await deliver([1], [2]);
      const warm = another();
      await warm.open(account);
      const mine = await change((view) => mailCommit({ updateEmails: [withKeywords(emailsOf(view).get(emailId(1))!, '$seen')], destroyEmails: [emailId(2)] }));
      for (const view of [mine, await open(warm), await open(another())]) {
        expect(emailsOf(view).get(emailId(1))!.keywords).toEqual(['$seen']);
        expect(emailsOf(view).get(emailId(2))).toBeUndefined();
        expect(emailsOf(view).counters(idOf(view, 'inbox'))).toEqual({ totalEmails: 1, unreadEmails: 0, totalThreads: 1, unreadThreads: 0 });
        expect(view.state('Email')).toBe(mine.state('Email'));
      }
    });

    it('that changes no record changes no state', async () => {
      await deliver([1]);
      const before = await open();
      const after = await store.commit(before, (view) =>
        mailCommit({ updateEmails: [emailsOf(view).get(emailId(1))!], putMailboxes: [...mailboxesOf(view).all()], destroyEmails: ['Mnone'] }),
      );
      expect(after).toBe(before);
      expect(await store.commit(before, () => undefined)).toBe(before);
      expect((await open(another())).sequence).toBe(before.sequence);
    });

    it('writes nothing when its plan throws', async () => {
      const before = await open();
      await expect(
        store.commit(before, () => {
          throw new Error('no');
        }),
      ).rejects.toThrow('no');
      expect((await open(another())).sequence).toBe(before.sequence);
    });

    it('is planned again when another Lambda commits first', async () => {
      await deliver([1]);
      const mine = await open();
      await change((view) => mailCommit({ updateEmails: [withKeywords(emailsOf(view).get(emailId(1))!, '$flagged')] }), another());
      let plans = 0;
      const after = await store.commit(mine, (view) => {
        plans++;
        const row = emailsOf(view).get(emailId(1))!;
        return mailCommit({ updateEmails: [withKeywords(row, ...row.keywords, '$seen')] });
      });
      expect([plans, emailsOf(after).get(emailId(1))!.keywords]).toEqual([2, ['$flagged', '$seen']]);
    });

    it('is made ten times when ten Lambdas commit at once', async () => {
      await deliver([1]);
      await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          change((view) => {
            const row = emailsOf(view).get(emailId(1))!;
            return mailCommit({ updateEmails: [withKeywords(row, ...row.keywords, `k${i}`)] });
          }, another()),
        ),
      );
      expect(emailsOf(await open()).get(emailId(1))!.keywords).toHaveLength(10);
    });

    it('that exceeds one transaction is written completely', async () => {
      for (let id = 0; id < 120; id++) await deliver([id]);
      const read = await change((view) =>
        mailCommit({
          updateEmails: emailsOf(view)
            .ids()
            .map((id) => withKeywords(emailsOf(view).get(id)!, '$seen')),
        }),
      );
      const inbox = idOf(read, 'inbox');
      expect(emailsOf(read).counters(inbox)).toMatchObject({ totalEmails: 120, unreadEmails: 0 });
      const emptied = await change((view) => mailCommit({ destroyEmails: emailsOf(view).ids(), destroyMailboxes: [inbox] }));
      for (const view of [emptied, await open(another())]) {
        expect([emailsOf(view).size, mailboxesOf(view).get(inbox)]).toEqual([0, undefined]);
      }
    });

    it('is refused when an Email would be in no Mailbox', async () => {
      await deliver([1]);
      const inbox = idOf(await open(), 'inbox');
      await expect(change(mailCommit({ destroyMailboxes: [inbox] }))).rejects.toThrow('while Email');
      await expect(change((view) => mailCommit({ updateEmails: [inMailboxes(emailsOf(view).get(emailId(1))!, 'Fnone')] }))).rejects.toThrow('in no Mailbox');
      await expect(change((view) => mailCommit({ updateEmails: [inMailboxes(emailsOf(view).get(emailId(1))!)] }))).rejects.toThrow('in no Mailbox');
      expect(emailsOf(await open(another())).get(emailId(1))!.mailboxIds).toEqual([inbox]);
    });

    it('stores Mailboxes with all their properties', async () => {
      const mailbox = { id: 'Fone', name: 'Täglich', parentId: null, role: null, sortOrder: 7, isSubscribed: false };
      await change(mailCommit({ putMailboxes: [mailbox] }));
      await change(mailCommit({ putMailboxes: [{ ...mailbox, name: 'Weekly', parentId: idOf(await open(), 'archive') }] }));
      const view = await open(another());
      expect(mailboxesOf(view).get('Fone')).toEqual({ ...mailbox, name: 'Weekly', parentId: idOf(view, 'archive') });
      expect(mailboxesOf(await change(mailCommit({ destroyMailboxes: ['Fone'] }))).get('Fone')).toBeUndefined();
    });
  });

  describe('the counter unreadThreads', () => {
    const unreadThreads = (view: AccountView) =>
      Object.fromEntries(['inbox', 'archive', 'trash'].map((role) => [role, emailsOf(view).counters(idOf(view, role)).unreadThreads]));
    const thread = async () => {
      for (const id of [1, 2]) await deliver([id, { subject: 'Plan', threadMessageIds: [`${id}@example.net`, '0@example.net'] }]);
      await change((view) => mailCommit({ updateEmails: [withKeywords(inMailboxes(emailsOf(view).get(emailId(1))!, idOf(view, 'archive')), '$seen')] }));
    };

    it('counts a Thread in every Mailbox of its Emails, whichever Mailbox has the unread Email', async () => {
      await thread();
      expect(unreadThreads(await open())).toEqual({ inbox: 1, archive: 1, trash: 0 });
    });

    it('ignores unread Emails that are only in the trash, and in the trash ignores all others', async () => {
      await thread();
      await change((view) => mailCommit({ updateEmails: [inMailboxes(emailsOf(view).get(emailId(2))!, idOf(view, 'trash'))] }));
      expect(unreadThreads(await open())).toEqual({ inbox: 0, archive: 0, trash: 1 });
      await change((view) =>
        mailCommit({
          updateEmails: [
            withKeywords(inMailboxes(emailsOf(view).get(emailId(1))!, idOf(view, 'archive'))),
            withKeywords(inMailboxes(emailsOf(view).get(emailId(2))!, idOf(view, 'trash')), '$seen'),
          ],
        }),
      );
      expect(unreadThreads(await open())).toEqual({ inbox: 0, archive: 1, trash: 0 });
    });

    it('counts a draft as read', async () => {
      await deliver([1, { keywords: ['$draft'] }]);
      const view = await open();
      expect(emailsOf(view).counters(idOf(view, 'inbox'))).toEqual({ totalEmails: 1, unreadEmails: 0, totalThreads: 1, unreadThreads: 0 });
    });

    it('is counted again when another Mailbox becomes the trash', async () => {
      await thread();
      await change((view) => {
        const [trash, inbox] = [mailboxesOf(view).get(idOf(view, 'trash'))!, mailboxesOf(view).get(idOf(view, 'inbox'))!];
        return mailCommit({
          putMailboxes: [
            { ...trash, role: null },
            { ...inbox, role: 'trash' },
          ],
        });
      });
      for (const view of [await open(), await open(another())]) {
        expect(emailsOf(view).counters(idOf(view, 'archive')).unreadThreads).toBe(0);
        expect(emailsOf(view).counters(idOf(view, 'trash')).unreadThreads).toBe(1);
      }
    });
  });
};
