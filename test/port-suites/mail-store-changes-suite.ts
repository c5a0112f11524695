import type { AccountView, Commit } from '../../core/account-index/account-view.ts';
import { emailsOf } from '../../core/mail/email/email-type.ts';
import { mailboxesOf } from '../../core/mail/mailbox/mailbox-record.ts';
import { mailCommit, emailId, inMailboxes, newEmail, withKeywords } from '../support/email-fixtures.ts';
import type { ReplayedType } from '../support/replay-mail-changes.ts';
import { storesPerTest, type MakeStores } from './stores-per-test.ts';

/** The behaviour of `changes` in every MailStore (RFC 8620 §5.2). */
export const mailStoreChangesSuite = (makeStores: MakeStores): void => {
  const { another, store } = storesPerTest(makeStores);
  const account = 'acc_1';
  const open = async (from = store): Promise<AccountView> => (await from.open(account))!;
  const idOf = (view: AccountView, role: string) =>
    mailboxesOf(view)
      .all()
      .find((mailbox) => mailbox.role === role)!.id;
  const deliver = async (...ids: (number | Parameters<typeof newEmail>)[]) => {
    for (const id of ids) await store.deliver(account, typeof id === 'number' ? newEmail(id) : newEmail(...id));
  };
  const change = async (commit: Commit | ((view: AccountView) => Commit)) =>
    store.commit(await open(), (view) => (typeof commit === 'function' ? commit(view) : commit));
  /**
   * The changes in a warm Lambda. A cold Lambda, and one that opened the account with `since`, must return the same.
   */
  const changes = async (type: ReplayedType, since: string, maxChanges?: number) => {
    const warm = await open();
    const cold = another();
    const withSince = another();
    const results = [
      await store.changes(warm, type, since, maxChanges),
      await withSince.changes((await withSince.open(account, [since]))!, type, since, maxChanges),
      await cold.changes((await cold.open(account))!, type, since, maxChanges),
    ];
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
    return results[0];
  };
  const seen =
    (id: number) =>
    (view: AccountView): Commit =>
      mailCommit({ updateEmails: [withKeywords(emailsOf(view).get(emailId(id))!, '$seen')] });

  describe('changes', () => {
    it('are empty since the current state, and return that state', async () => {
      await deliver(1);
      const view = await open();
      for (const type of ['Email', 'Mailbox', 'Thread'] as const) {
        expect(await changes(type, view.state(type))).toMatchObject({
          oldState: view.state(type),
          newState: view.state(type),
          hasMoreChanges: false,
          created: [],
          updated: [],
          destroyed: [],
        });
      }
    });

    it('after a delivery have the created Email and Thread, and the Mailbox whose counters changed', async () => {
      const before = await open();
      await deliver(1);
      const after = await open();
      expect(await changes('Email', before.state('Email'))).toEqual({
        oldState: before.state('Email'),
        newState: after.state('Email'),
        hasMoreChanges: false,
        created: [emailId(1)],
        updated: [],
        destroyed: [],
        onlyComputed: false,
      });
      expect(await changes('Thread', before.state('Thread'))).toMatchObject({
        created: [emailsOf(after).get(emailId(1))!.threadId],
        updated: [],
        destroyed: [],
      });
      expect(await changes('Mailbox', before.state('Mailbox'))).toMatchObject({
        created: [],
        updated: [idOf(after, 'inbox')],
        destroyed: [],
        onlyComputed: true,
      });
    });

    it('have a record that was created and then updated once, as created', async () => {
      const before = await open();
      await deliver(1);
      await change(seen(1));
      expect(await changes('Email', before.state('Email'))).toMatchObject({ created: [emailId(1)], updated: [], destroyed: [] });
    });

    it('omit a record that was created and destroyed in between', async () => {
      const before = await open();
      await deliver(1);
      await change(mailCommit({ destroyEmails: [emailId(1)] }));
      for (const type of ['Email', 'Thread'] as const) {
        const response = await changes(type, before.state(type));
        expect(response).toMatchObject({ created: [], updated: [], destroyed: [], hasMoreChanges: false });
        expect(response!.newState).not.toBe(before.state(type));
      }
    });

    it('have a moved Email and both its Mailboxes as updated', async () => {
      await deliver(1);
      const before = await open();
      const after = await change((view) => mailCommit({ updateEmails: [inMailboxes(emailsOf(view).get(emailId(1))!, idOf(view, 'archive'))] }));
      expect(await changes('Email', before.state('Email'))).toMatchObject({ created: [], updated: [emailId(1)], destroyed: [] });
      expect((await changes('Mailbox', before.state('Mailbox')))!.updated.toSorted()).toEqual([idOf(after, 'archive'), idOf(after, 'inbox')].sort());
      expect(after.state('Thread')).toBe(before.state('Thread'));
    });

    it('have no Mailbox and no Thread when only a keyword that no counter depends on changed', async () => {
      await deliver(1);
      const before = await open();
      const after = await change((view) => mailCommit({ updateEmails: [withKeywords(emailsOf(view).get(emailId(1))!, '$flagged')] }));
      expect([after.state('Mailbox'), after.state('Thread')]).toEqual([before.state('Mailbox'), before.state('Thread')]);
      expect(after.state('Email')).not.toBe(before.state('Email'));
    });

    it('have a Thread as updated for each Email but the last, as destroyed with the last, and as created with a later one', async () => {
      const one = (id: number) => [id, { subject: 'Plan', threadMessageIds: [`${id}@example.net`, '0@example.net'] }] as Parameters<typeof newEmail>;
      await deliver(one(1));
      const first = await open();
      const threadId = emailsOf(first).get(emailId(1))!.threadId;
      await deliver(one(2));
      expect(await changes('Thread', first.state('Thread'))).toMatchObject({ created: [], updated: [threadId], destroyed: [] });
      await change(mailCommit({ destroyEmails: [emailId(1)] }));
      const destroyed = await change(mailCommit({ destroyEmails: [emailId(2)] }));
      expect(await changes('Thread', first.state('Thread'))).toMatchObject({ created: [], updated: [], destroyed: [threadId] });
      await deliver(one(3));
      expect(await changes('Thread', destroyed.state('Thread'))).toMatchObject({ created: [threadId], updated: [], destroyed: [] });
      expect(await changes('Thread', first.state('Thread'))).toMatchObject({ created: [], updated: [threadId], destroyed: [] });
    });

    it('have every Mailbox of a Thread when one of its Emails is read', async () => {
      for (const id of [1, 2]) await deliver([id, { subject: 'Plan', threadMessageIds: [`${id}@example.net`, '0@example.net'] }]);
      await change((view) => mailCommit({ updateEmails: [withKeywords(inMailboxes(emailsOf(view).get(emailId(1))!, idOf(view, 'archive')), '$seen')] }));
      const before = await open();
      const after = await change(seen(2));
      expect((await changes('Mailbox', before.state('Mailbox')))!.updated.toSorted()).toEqual([idOf(after, 'archive'), idOf(after, 'inbox')].sort());
    });

    it('have every Mailbox when another one becomes the trash', async () => {
      for (const id of [1, 2]) await deliver([id, { subject: 'Plan', threadMessageIds: [`${id}@example.net`, '0@example.net'] }]);
      await change((view) => mailCommit({ updateEmails: [withKeywords(inMailboxes(emailsOf(view).get(emailId(1))!, idOf(view, 'archive')), '$seen')] }));
      const before = await open();
      const after = await change((view) =>
        mailCommit({
          putMailboxes: [
            { ...mailboxesOf(view).get(idOf(view, 'trash'))!, role: null },
            { ...mailboxesOf(view).get(idOf(view, 'inbox'))!, role: 'trash' },
          ],
        }),
      );
      expect((await changes('Mailbox', before.state('Mailbox')))!.updated.toSorted()).toEqual(
        mailboxesOf(after)
          .all()
          .map(({ id }) => id)
          .toSorted(),
      );
    });

    it('distinguish written Mailboxes from those of which only counters changed', async () => {
      const before = await open();
      await change(mailCommit({ putMailboxes: [{ id: 'Fone', name: 'One', parentId: null, role: null, sortOrder: 10, isSubscribed: true }] }));
      const made = await open();
      expect(await changes('Mailbox', before.state('Mailbox'))).toMatchObject({ created: ['Fone'], updated: [], onlyComputed: false });
      await change((view) => mailCommit({ putMailboxes: [{ ...mailboxesOf(view).get('Fone')!, name: 'Two' }] }));
      await deliver(1);
      expect(await changes('Mailbox', made.state('Mailbox'))).toMatchObject({
        created: [],
        updated: expect.arrayContaining(['Fone', idOf(made, 'inbox')]),
        onlyComputed: false,
      });
      expect(await changes('Mailbox', before.state('Mailbox'))).toMatchObject({ created: ['Fone'], updated: [idOf(made, 'inbox')], onlyComputed: true });
      await change(mailCommit({ destroyMailboxes: ['Fone'] }));
      expect(await changes('Mailbox', before.state('Mailbox'))).toMatchObject({ created: [], destroyed: [] });
      expect(await changes('Mailbox', made.state('Mailbox'))).toMatchObject({ destroyed: ['Fone'] });
    });

    // @pitfall changes foreign-state
    it('cannot be calculated from a state of another type, a future state or an invalid state', async () => {
      await deliver(1);
      const view = await open();
      for (const state of [
        view.state('Thread'),
        view.state('Mailbox'),
        `Email-${view.sequence + 1}`,
        'Email--1',
        'Email-01',
        'Email-',
        '1',
        '',
        'email-1',
        'Email-1e0',
        `${view.state('Email')}.Mx`,
        'Email-99999999999999999999',
      ]) {
        expect(await store.changes(view, 'Email', state)).toBeUndefined();
        expect(await another().open(account, [state])).toBeDefined();
      }
    });

    it('can be calculated from the first state', async () => {
      await deliver(1, 2);
      expect(await changes('Email', 'Email-0')).toMatchObject({ created: [emailId(1), emailId(2)] });
    });
  });

  describe('changes up to maxChanges', () => {
    /** Calls `changes` until there are no more, as a client does. Returns the resulting ids that the client knows. */
    const collectChanges = async (type: ReplayedType, since: string, maxChanges: number) => {
      const known = new Set<string>();
      const updated = new Set<string>();
      let state = since;
      for (let steps = 0; steps < 1000; steps++) {
        const response = (await changes(type, state, maxChanges))!;
        const all = [...response.created, ...response.updated, ...response.destroyed];
        expect(all.length).toBeLessThanOrEqual(maxChanges);
        expect(new Set(all).size).toBe(all.length);
        for (const id of response.created) known.add(id);
        for (const id of response.updated) updated.add(id);
        for (const id of response.destroyed) known.delete(id);
        if (!response.hasMoreChanges) return { known: [...known].sort(), updated: [...updated].sort(), state: response.newState };
        expect(response.newState).not.toBe(state);
        state = response.newState;
      }
      throw new Error('there are always more changes');
    };

    it.each([1, 2, 3, 7])('are returned in several calls with intermediate states (%i at a time)', async (maxChanges) => {
      const start = await open();
      await deliver(1, 2, 3, 4, 5);
      await change(mailCommit({ destroyEmails: [emailId(2), emailId(5)] }));
      await change(seen(3));
      const view = await open();
      expect(await collectChanges('Email', start.state('Email'), maxChanges)).toMatchObject({ known: [1, 3, 4].map(emailId), state: view.state('Email') });
      expect(await collectChanges('Thread', start.state('Thread'), maxChanges)).toMatchObject({
        known: [...emailsOf(view).threadIds()].sort(),
        state: view.state('Thread'),
      });
      await collectChanges('Mailbox', start.state('Mailbox'), maxChanges);
    });

    it('end inside a commit that changed more records', async () => {
      await deliver(1, 2, 3, 4, 5);
      const before = await open();
      await change((view) =>
        mailCommit({
          updateEmails: emailsOf(view)
            .ids()
            .map((id) => withKeywords(emailsOf(view).get(id)!, '$seen')),
        }),
      );
      expect(await collectChanges('Email', before.state('Email'), 2)).toMatchObject({ updated: [1, 2, 3, 4, 5].map(emailId) });
      const after = await change(mailCommit({ destroyEmails: [emailId(1), emailId(4)] }));
      expect((await collectChanges('Email', before.state('Email'), 1)).state).toBe(after.state('Email'));
    });
  });
};
