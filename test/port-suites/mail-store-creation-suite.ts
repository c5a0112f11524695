import type { AccountView, Commit } from '../../core/account-index/account-view.ts';
import type { NewEmail } from '../../core/mail/email/email-store.ts';
import { emailsOf } from '../../core/mail/email/email-type.ts';
import { mailboxesOf, mailboxWithRole } from '../../core/mail/mailbox/mailbox-record.ts';
import type { Condition, Table, Write } from '../../core/storage/table.ts';
import { emailId, mailCommit, newEmail } from '../support/email-fixtures.ts';
import { storesPerTest, type MakeStores } from './stores-per-test.ts';

const account = 'acc_1';

/** A new Email for a commit. `references`: the messages with the same subject to which it refers. */
const emailToCreate = (id: number, mailboxId: string, ...references: number[]): NewEmail => {
  const { mailboxRole: _role, ...content } = newEmail(id, { subject: 'Plan', threadMessageIds: [id, ...references].map((each) => `${each}@example.net`) });
  return { ...content, mailboxIds: [mailboxId] };
};

/**
 * The behaviour of commits that create Emails or write other tables, for every {@link MailStore}. `makeTable` creates
 * another empty table of the same kind.
 */
export const mailStoreCreationSuite = (makeStores: MakeStores, makeTable: () => Promise<Table> | Table): void => {
  const { another, store } = storesPerTest(makeStores);
  const open = async (from = store): Promise<AccountView> => (await from.open(account))!;
  const inboxOf = (view: AccountView) => mailboxWithRole(view, 'inbox')!.id;
  const commit = async (plan: (view: AccountView) => Commit, from = store) => from.commit(await open(from), plan);
  const create = (emails: (inbox: string) => readonly NewEmail[], from = store) =>
    commit((view) => ({ records: { Email: { create: emails(inboxOf(view)) } } }), from);

  describe('a commit that creates Emails', () => {
    it('stores them, changes states and counters, and appears in /changes', async () => {
      const before = await open();
      const after = await create((inbox) => [emailToCreate(1, inbox), emailToCreate(2, inbox)]);
      for (const view of [after, await open(another())]) {
        expect([...emailsOf(view).ids()].toSorted()).toEqual([emailId(1), emailId(2)]);
        expect(emailsOf(view).counters(inboxOf(view))).toMatchObject({ totalEmails: 2, unreadEmails: 2, totalThreads: 2 });
      }
      expect((await store.emailContents(account, [emailId(1)])).get(emailId(1))).toEqual(newEmail(1, { subject: 'Plan' }).content);
      expect(await store.changes(after, 'Email', before.state('Email'))).toMatchObject({ created: [emailId(1), emailId(2)], updated: [] });
      expect(after.state('EmailDelivery')).toBe(after.state('Email').replace('Email', 'EmailDelivery'));
    });

    it('adds them to the Threads of delivered Emails and of Emails in the same commit, and later deliveries to theirs', async () => {
      await store.deliver(account, newEmail(1, { subject: 'Plan', threadMessageIds: ['1@example.net'] }));
      const view = await create((inbox) => [emailToCreate(2, inbox, 1), emailToCreate(3, inbox, 2), emailToCreate(4, inbox)]);
      const threadOf = (id: number) => emailsOf(view).get(emailId(id))!.threadId;
      expect([threadOf(2), threadOf(3)]).toEqual([threadOf(1), threadOf(1)]);
      expect(threadOf(4)).not.toBe(threadOf(1));
      await store.deliver(account, newEmail(5, { subject: 'Plan', threadMessageIds: ['5@example.net', '4@example.net'] }));
      expect(emailsOf(await open()).get(emailId(5))!.threadId).toBe(threadOf(4));
    });

    it('by ten Lambdas at once keeps one Thread and every Email', async () => {
      await Promise.all(Array.from({ length: 10 }, (_, id) => create((inbox) => [emailToCreate(id, inbox, 100)], another())));
      const view = await open(another());
      expect([emailsOf(view).size, emailsOf(view).threadCount]).toEqual([10, 1]);
    });

    it('and exceeds one transaction creates all of them in their Threads', async () => {
      const view = await create((inbox) => Array.from({ length: 60 }, (_, id) => emailToCreate(id, inbox, 100 + (id % 3))));
      expect([emailsOf(view).size, emailsOf(view).threadCount]).toEqual([60, 3]);
    });

    it('can create them in a new Mailbox, and is refused for an unknown one', async () => {
      const folder = { id: 'Fnew', name: 'New', parentId: null, role: null, sortOrder: 9, isSubscribed: true };
      const view = await commit(() => ({ records: { Mailbox: { put: [folder] }, Email: { create: [emailToCreate(1, 'Fnew')] } } }));
      expect(emailsOf(view).counters('Fnew').totalEmails).toBe(1);
      await expect(create(() => [emailToCreate(2, 'Fnone')])).rejects.toThrow('in no Mailbox');
      expect(emailsOf(await open()).size).toBe(1);
    });
  });

  describe('additional writes of a commit', () => {
    const note = (table: Table, sk: string, condition?: Condition): Write => ({
      put: { pk: 'note', sk },
      inTable: table.reference,
      ...(condition && { if: condition }),
    });

    it('are in the same transaction as the records', async () => {
      const other = await makeTable();
      await commit((view) => ({
        ...mailCommit({ putMailboxes: [{ ...mailboxesOf(view).get(inboxOf(view))!, name: 'In' }] }),
        additionalWrites: [note(other, 'a')],
      }));
      expect(await other.get({ pk: 'note', sk: 'a' })).toMatchObject({ sk: 'a' });
      expect(
        mailboxesOf(await open(another()))
          .all()
          .map(({ name }) => name),
      ).toContain('In');
    });

    it('are made once when the commit needs several transactions', async () => {
      const other = await makeTable();
      await create((inbox) => Array.from({ length: 60 }, (_, id) => emailToCreate(id, inbox)));
      await commit((view) => ({ records: { Email: { destroy: emailsOf(view).ids() } }, additionalWrites: [note(other, 'a', { absent: true })] }));
      expect(emailsOf(await open(another())).size).toBe(0);
      expect(await other.get({ pk: 'note', sk: 'a' })).toBeDefined();
    });

    it('whose condition does not hold prevent the commit, and the error has their index', async () => {
      const other = await makeTable();
      await other.write([{ put: { pk: 'note', sk: 'b' } }]);
      const before = await open();
      const refused = commit((view) => ({
        ...mailCommit({ putMailboxes: [{ ...mailboxesOf(view).get(inboxOf(view))!, name: 'In' }] }),
        additionalWrites: [note(other, 'a'), note(other, 'b', { absent: true })],
      }));
      await expect(refused).rejects.toMatchObject({ name: 'WriteRefused', failed: [1] });
      expect((await open(another())).sequence).toBe(before.sequence);
      expect(await other.get({ pk: 'note', sk: 'a' })).toBeUndefined();
    });

    it('are refused without a change of a record', async () => {
      const other = await makeTable();
      await expect(commit(() => ({ records: {}, additionalWrites: [note(other, 'a')] }))).rejects.toThrow('changes no record');
    });
  });
};
