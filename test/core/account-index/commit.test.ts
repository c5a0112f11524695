import type { AccountView } from '../../../core/account-index/account-view.ts';
import type { NewEmail } from '../../../core/mail/email/email-store.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { MailStore } from '../../../core/mail/mail-store/mail-store.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import { StoreConflict } from '../../../core/runtime/domain-errors.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { mailCommit, emailId, inMailboxes, newEmail, withKeywords } from '../../support/email-fixtures.ts';
import { perTest } from '../../support/per-test.ts';

const account = 'acc_1';
const open = async (store: MailStore): Promise<AccountView> => (await store.open(account))!;
const idOf = (view: AccountView, role: string) =>
  mailboxesOf(view)
    .all()
    .find((mailbox) => mailbox.role === role)!.id;

describe('a commit of several transactions, between which another Lambda commits', () => {
  const table = perTest(() => memoryTable());
  const other = perTest(() => mailStore({ table }));
  beforeEach(async () => {
    await other.createAccount(account);
    for (let id = 100; id < 250; id++) await other.deliver(account, newEmail(id));
  });

  /** The store of a Lambda that runs `meanwhile` before its second write. */
  const interrupted = (meanwhile: () => Promise<unknown>): MailStore => {
    let writes = 0;
    return mailStore({
      table: {
        ...table,
        async write(list) {
          if (++writes === 2) await meanwhile();
          return table.write(list);
        },
      },
    });
  };

  it('keeps the changes of the other commit and is not planned again', async () => {
    const store = interrupted(async () =>
      other.commit(await open(other), (view) =>
        mailCommit({
          destroyEmails: [emailId(240)],
          updateEmails: [
            withKeywords(emailsOf(view).get(emailId(241))!, '$flagged'),
            inMailboxes(emailsOf(view).get(emailId(242))!, idOf(view, 'archive')),
            withKeywords(emailsOf(view).get(emailId(101))!, 'mine'),
          ],
        }),
      ),
    );
    let plans = 0;
    const after = await store.commit(await open(store), (view) => {
      plans++;
      return mailCommit({
        updateEmails: emailsOf(view)
          .ids()
          .toSorted()
          .map((id) => withKeywords(emailsOf(view).get(id)!, '$seen')),
      });
    });
    expect(plans).toBe(1);
    for (const view of [after, await open(mailStore({ table }))]) {
      expect(emailsOf(view).size).toBe(149);
      expect(emailsOf(view).get(emailId(240))).toBeUndefined();
      expect(emailsOf(view).get(emailId(241))!.keywords).toEqual(['$flagged', '$seen']);
      expect(emailsOf(view).get(emailId(242))).toMatchObject({ mailboxIds: [idOf(view, 'archive')], keywords: ['$seen'] });
      expect(emailsOf(view).get(emailId(101))!.keywords).toEqual(['mine']);
      expect(emailsOf(view).get(emailId(249))!.keywords).toEqual(['$seen']);
    }
  });

  it('destroys the remaining Emails, though another commit destroyed one of them', async () => {
    const store = interrupted(async () => other.commit(await open(other), () => mailCommit({ destroyEmails: [emailId(240)] })));
    const after = await store.commit(await open(store), (view) => mailCommit({ destroyEmails: emailsOf(view).ids().toSorted() }));
    expect([emailsOf(after).size, emailsOf(await open(mailStore({ table }))).size]).toEqual([0, 0]);
  });

  describe('that creates Emails', () => {
    const folder = { id: 'Fone', name: 'One', parentId: null, role: null, sortOrder: 9, isSubscribed: true };
    beforeEach(async () => {
      await other.commit(await open(other), () => mailCommit({ putMailboxes: [folder] }));
    });
    const destroysFolder = () => interrupted(async () => other.commit(await open(other), () => mailCommit({ destroyMailboxes: ['Fone'] })));
    const creation = (id: number, ...mailboxIds: string[]): NewEmail => {
      const { mailboxRole: _role, ...content } = newEmail(id);
      return { ...content, mailboxIds };
    };
    const ids = Array.from({ length: 60 }, (_, index) => 300 + index);

    it('creates the remaining Emails in the remaining Mailboxes when another commit destroyed one of their Mailboxes', async () => {
      const store = destroysFolder();
      await store.commit(await open(store), (view) => ({
        records: { Email: { create: ids.map((id) => creation(id, idOf(view, 'inbox'), ...(id >= 350 ? ['Fone'] : []))) } },
      }));
      const view = await open(mailStore({ table }));
      expect(emailsOf(view).size).toBe(150 + ids.length);
      for (const id of ids) expect(emailsOf(view).get(emailId(id))!.mailboxIds).toEqual([idOf(view, 'inbox')]);
    });

    it('creates no Email in a Mailbox that another commit destroyed', async () => {
      const store = destroysFolder();
      const commit = store.commit(await open(store), (view) => ({
        records: { Email: { create: ids.map((id) => creation(id, id >= 350 ? 'Fone' : idOf(view, 'inbox'))) } },
      }));
      await expect(commit).rejects.toBeInstanceOf(StoreConflict);
      const view = await open(mailStore({ table }));
      expect(
        emailsOf(view)
          .all()
          .filter(({ mailboxIds }) => mailboxIds.includes('Fone')),
      ).toEqual([]);
    });
  });

  it('does not destroy a Mailbox to which another Lambda delivered an Email', async () => {
    const store = interrupted(() => other.deliver(account, newEmail(1)));
    const commit = store.commit(await open(store), (view) => mailCommit({ destroyEmails: emailsOf(view).ids(), destroyMailboxes: [idOf(view, 'inbox')] }));
    await expect(commit).rejects.toBeInstanceOf(StoreConflict);
    const view = await open(mailStore({ table }));
    expect(emailsOf(view).get(emailId(1))!.mailboxIds).toEqual([idOf(view, 'inbox')]);
  });

  it('of Mailboxes keeps destructions and new names by another Lambda, and refuses taken names', async () => {
    const mailbox = (id: string, name: string, sortOrder = 9) => ({ id, name, parentId: null, role: null, sortOrder, isSubscribed: true });
    await other.commit(await open(other), () => mailCommit({ putMailboxes: [mailbox('Fgone', 'Gone'), mailbox('Frenamed', 'Before')] }));
    const store = interrupted(async () =>
      other.commit(await open(other), () =>
        mailCommit({ destroyMailboxes: ['Fgone'], putMailboxes: [mailbox('Frenamed', 'After'), mailbox('Ftheirs', 'Name 119')] }),
      ),
    );
    const puts = Array.from({ length: 120 }, (_, index) => mailbox(`Fnew${index}`, `Name ${index}`));
    const commit = store.commit(await open(store), () =>
      mailCommit({ putMailboxes: [...puts, mailbox('Fgone', 'Gone', 1), mailbox('Frenamed', 'Before', 1)] }),
    );
    await expect(commit).rejects.toMatchObject({ refused: [{ typeName: 'Mailbox', id: 'Fnew119', reason: { type: 'alreadyExists' } }] });
    for (const view of [await open(store), await open(mailStore({ table }))]) {
      const mailboxes = mailboxesOf(view);
      expect(['Fgone', 'Fnew118', 'Fnew119', 'Ftheirs'].map((id) => mailboxes.has(id))).toEqual([false, true, false, true]);
      expect(mailboxes.get('Frenamed')).toEqual(mailbox('Frenamed', 'After', 1));
    }
  });
});
