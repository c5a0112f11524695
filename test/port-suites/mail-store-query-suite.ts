import type { AccountView } from '../../core/account-index/account-view.ts';
import { emailsOf } from '../../core/mail/email/email-type.ts';
import type { EmailFilter } from '../../core/mail/email/index/email-filter.ts';
import type { EmailSort } from '../../core/mail/email/index/ordered-emails.ts';
import { mailboxesOf } from '../../core/mail/mailbox/mailbox-record.ts';
import { mailCommit, emailId, inMailboxes, newEmail, withKeywords } from '../support/email-fixtures.ts';
import { perTest } from '../support/per-test.ts';
import type { MakeStores } from './stores-per-test.ts';

/** The behaviour of Email queries in every MailStore (RFC 8621 §4.4). */
export const mailStoreQuerySuite = (makeStores: MakeStores): void => {
  const account = 'acc_1';
  let view: AccountView;
  let mailbox: Record<'inbox' | 'archive' | 'trash', string>;
  const at = (minute: number) => Date.UTC(2026, 10, 21, 8, minute);
  const ids = (filter?: EmailFilter, sort: readonly EmailSort[] = [{ property: 'receivedAt', isAscending: true }], collapse = false) =>
    [...emailsOf(view).query(filter, sort, collapse)].map((id) => Number(id.slice(1)));

  const store = perTest(async () => (await makeStores())());
  beforeEach(async () => {
    await store.createAccount(account);
    const thread = { subject: 'Plan', threadMessageIds: ['0@example.net'] };
    await store.deliver(account, newEmail(1, { receivedAt: at(1), sentAt: at(9), size: 100, ...thread }));
    await store.deliver(account, newEmail(4, { receivedAt: at(2), sentAt: at(3), size: 300 }));
    await store.deliver(account, newEmail(3, { receivedAt: at(2), sentAt: undefined, size: 200, ...thread }));
    await store.deliver(account, newEmail(2, { receivedAt: at(2), sentAt: at(3), size: 300 }));
    await store.deliver(account, newEmail(5, { receivedAt: at(5), sentAt: at(5), size: 300, ...thread }));
    const first = (await store.open(account))!;
    mailbox = Object.fromEntries(
      mailboxesOf(first)
        .all()
        .map(({ role, id }) => [role, id]),
    ) as typeof mailbox;
    view = await store.commit(first, (now) =>
      mailCommit({
        updateEmails: [
          withKeywords(emailsOf(now).get(emailId(1))!, '$seen', 'work'),
          withKeywords(inMailboxes(emailsOf(now).get(emailId(3))!, mailbox.inbox, mailbox.archive), '$seen'),
          inMailboxes(emailsOf(now).get(emailId(4))!, mailbox.archive),
          inMailboxes(emailsOf(now).get(emailId(5))!, mailbox.trash),
        ],
      }),
    );
  });

  describe('an Email query', () => {
    it.each<[string, (m: typeof mailbox) => EmailFilter | undefined, number[]]>([
      ['without a filter matches all Emails', () => undefined, [1, 2, 3, 4, 5]],
      ['with an empty filter matches all Emails', () => ({}), [1, 2, 3, 4, 5]],
      ['matches by Mailbox', (m) => ({ inMailbox: m.inbox }), [1, 2, 3]],
      ['matches nothing in an unknown Mailbox', () => ({ inMailbox: 'Fnone' }), []],
      ['matches by a Mailbox other than the given ones', (m) => ({ inMailboxOtherThan: [m.archive, m.trash] }), [1, 2, 3]],
      ['matches by a keyword in any letter case', () => ({ hasKeyword: '$SEEN' }), [1, 3]],
      ['matches by the absence of a keyword', () => ({ notKeyword: 'work' }), [2, 3, 4, 5]],
      ['matches before a time, exclusive', () => ({ before: at(2) }), [1]],
      ['matches after a time, inclusive', () => ({ after: at(2) }), [2, 3, 4, 5]],
      ['matches by minSize, inclusive', () => ({ minSize: 300 }), [2, 4, 5]],
      ['matches by maxSize, exclusive', () => ({ maxSize: 300 }), [1, 3]],
      ['matches by all conditions of one object', (m) => ({ inMailbox: m.inbox, hasKeyword: '$seen', after: at(2) }), [3]],
      ['matches by AND', (m) => ({ operator: 'AND', conditions: [{ inMailbox: m.inbox }, { inMailbox: m.archive }] }), [3]],
      ['matches by OR', (m) => ({ operator: 'OR', conditions: [{ inMailbox: m.trash }, { hasKeyword: 'work' }] }), [1, 5]],
      ['matches by NOT: none of the conditions', (m) => ({ operator: 'NOT', conditions: [{ inMailbox: m.trash }, { hasKeyword: '$seen' }] }), [2, 4]],
      [
        'matches by nested operators',
        (m) => ({
          operator: 'AND',
          conditions: [
            { operator: 'NOT', conditions: [{ inMailbox: m.trash }] },
            { operator: 'OR', conditions: [{ hasKeyword: 'work' }, { minSize: 300 }] },
          ],
        }),
        [1, 2, 4],
      ],
      ['with an empty AND matches all Emails', () => ({ operator: 'AND', conditions: [] }), [1, 2, 3, 4, 5]],
      ['with an empty OR matches nothing', () => ({ operator: 'OR', conditions: [] }), []],
    ])('%s', (_title, filter, expected) => {
      expect(new Set(ids(filter(mailbox)))).toEqual(new Set(expected));
    });

    it('without a sort is ordered by receivedAt, newest first, then by id', () => {
      expect(ids(undefined, [])).toEqual([5, 2, 3, 4, 1]);
    });

    it.each<[string, EmailSort[], number[]]>([
      ['receivedAt ascending', [{ property: 'receivedAt', isAscending: true }], [1, 2, 3, 4, 5]],
      ['receivedAt descending', [{ property: 'receivedAt', isAscending: false }], [5, 2, 3, 4, 1]],
      ['sentAt ascending, Emails without a date first', [{ property: 'sentAt', isAscending: true }], [3, 2, 4, 5, 1]],
      ['size descending', [{ property: 'size', isAscending: false }], [2, 4, 5, 3, 1]],
      [
        'size, then sentAt',
        [
          { property: 'size', isAscending: false },
          { property: 'sentAt', isAscending: false },
        ],
        [5, 2, 4, 3, 1],
      ],
      [
        'receivedAt, then size',
        [
          { property: 'receivedAt', isAscending: true },
          { property: 'size', isAscending: true },
        ],
        [1, 3, 2, 4, 5],
      ],
    ])('is ordered by %s', (_title, sort, expected) => {
      expect(ids(undefined, sort)).toEqual(expected);
    });

    it('with collapseThreads keeps the first Email of each Thread in order', () => {
      expect(ids(undefined, [], true)).toEqual([5, 2, 4]);
      expect(ids({ inMailbox: mailbox.inbox }, [], true)).toEqual([2, 3]);
    });

    it('returns a list with length, slice and indexOf', () => {
      const list = emailsOf(view).query(undefined, []);
      expect([list.length, list.slice(1, 3), list.slice(-2), list.indexOf(emailId(3)), list.indexOf(emailId(9))]).toEqual([
        5,
        [emailId(2), emailId(3)],
        [emailId(4), emailId(1)],
        2,
        -1,
      ]);
    });

    it('stays in order when Emails are added and destroyed', async () => {
      for (const property of ['receivedAt', 'sentAt', 'size'] as const) ids(undefined, [{ property, isAscending: true }]);
      await store.deliver(account, newEmail(6, { receivedAt: at(2), sentAt: at(4), size: 250 }));
      await store.deliver(account, newEmail(7, { receivedAt: at(0), sentAt: at(0), size: 1 }));
      view = await store.commit((await store.open(account))!, () => mailCommit({ destroyEmails: [emailId(4), emailId(1)] }));
      expect(ids(undefined, [])).toEqual([5, 2, 3, 6, 7]);
      expect(ids(undefined, [{ property: 'sentAt', isAscending: true }])).toEqual([3, 7, 2, 6, 5]);
      expect(ids(undefined, [{ property: 'size', isAscending: true }])).toEqual([7, 3, 6, 2, 5]);
    });

    it('has as many results as the Mailbox counts', () => {
      for (const id of Object.values(mailbox)) {
        expect(emailsOf(view).query({ inMailbox: id }, []).length).toBe(emailsOf(view).counters(id).totalEmails);
        expect(emailsOf(view).query({ inMailbox: id }, [], true).length).toBe(emailsOf(view).counters(id).totalThreads);
      }
    });
  });
};
