import * as fc from 'fast-check';
import type { AccountView, Commit } from '../../../../core/account-index/account-view.ts';
import type { EmailRow } from '../../../../core/mail/email/email-content.ts';
import { emailsOf } from '../../../../core/mail/email/email-type.ts';
import type { MailStore } from '../../../../core/mail/mail-store/mail-store.ts';
import { storedTypes } from '../../../../core/mail/mail-store/stored-types.ts';
import { mailboxesOf, mailboxWithRole } from '../../../../core/mail/mailbox/mailbox-record.ts';
import { assertProperty } from '../../../support/assert-property.ts';
import { emailId, inMailboxes, mailCommit, newEmail, withKeywords } from '../../../support/email-fixtures.ts';
import { indexedMail, type IndexedMail } from '../../../support/indexed-mail.ts';
import { recordsOf } from '../../../support/replay-mail-changes.ts';

const account = 'acc_1';

/** An event in the life of an account. `pick` chooses among the records that exist at that time. */
type Event =
  | { readonly do: 'deliver'; readonly thread: number; readonly short: boolean }
  | { readonly do: 'mark' | 'move' | 'destroy'; readonly pick: number; readonly count: number }
  | { readonly do: 'make mailbox' | 'destroy mailbox' | 'change trash'; readonly pick: number }
  | { readonly do: 'index'; readonly isCold: boolean }
  | { readonly do: 'wait'; readonly days: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('deliver' as const), thread: fc.nat(12), short: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('mark' as const, 'move' as const, 'destroy' as const),
      pick: fc.nat(1000),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('make mailbox' as const, 'destroy mailbox' as const, 'change trash' as const), pick: fc.nat(1000) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('index' as const), isCold: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), days: fc.nat(40) }) },
);

const pickSome = <T>(all: readonly T[], pick: number, count: number): T[] =>
  Array.from({ length: Math.min(count, all.length) }, (_, i) => all[(pick + i) % all.length]!);

type Change = Exclude<Event, { do: 'deliver' | 'index' | 'wait' }>;

const emailCommit = (action: 'mark' | 'move' | 'destroy', rows: readonly EmailRow[], mailboxId: string, keyword: string): Commit => {
  if (action === 'destroy') return mailCommit({ destroyEmails: rows.map(({ id }) => id) });
  return mailCommit({ updateEmails: rows.map((row) => (action === 'mark' ? withKeywords(row, '$seen', keyword) : inMailboxes(row, mailboxId))) });
};

const commitOf = (change: Change, view: AccountView, number: number): Commit | undefined => {
  const mailboxes = mailboxesOf(view)
    .all()
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const rows = emailsOf(view)
    .all()
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const plain = mailboxes.filter(({ role }) => role === null);
  if (change.do === 'mark' || change.do === 'move' || change.do === 'destroy') {
    return emailCommit(change.do, pickSome(rows, change.pick, change.count), mailboxes[change.pick % mailboxes.length]!.id, `k${change.pick % 5}`);
  }
  if (change.do === 'make mailbox') {
    return mailCommit({ putMailboxes: [{ id: `Fnew${number}`, name: `New ${number}`, parentId: null, role: null, sortOrder: 9, isSubscribed: true }] });
  }
  if (change.do === 'destroy mailbox') {
    const empty = plain.filter(({ id }) => emailsOf(view).counters(id).totalEmails === 0);
    return empty.length > 0 ? mailCommit({ destroyMailboxes: [empty[change.pick % empty.length]!.id] }) : undefined;
  }
  const trash = mailboxWithRole(view, 'trash');
  const next = plain[change.pick % Math.max(1, plain.length)];
  return next && mailCommit({ putMailboxes: [...(trash ? [{ ...trash, role: null }] : []), { ...next, role: 'trash' }] });
};

/**
 * Everything that a client can read of the account: records with counters, queries, states, and /changes from every
 * state.
 */
const readable = async (store: MailStore) => {
  const view = (await store.open(account))!;
  const emails = emailsOf(view);
  const sorts = [[], [{ property: 'size', isAscending: true }], [{ property: 'sentAt', isAscending: false }]] as const;
  const changes: Record<string, unknown> = {};
  for (const type of storedTypes.keys()) {
    for (let sequence = 0; sequence <= view.sequence; sequence++) {
      const state = `${type}-${sequence}`;
      changes[state] = [(await store.changes(view, type, state)) ?? null, (await store.changedRecords(view, type, state)) ?? null];
    }
  }
  return {
    sequence: view.sequence,
    states: [...storedTypes.keys()].map((type) => view.state(type)),
    records: (['Email', 'Mailbox', 'Thread'] as const).map((type) => [...recordsOf(view, type)].toSorted(([one], [other]) => (one < other ? -1 : 1))),
    rows: emails.all().toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    queries: sorts.map((sort) => [...emails.query({ hasKeyword: '$seen' }, sort), ...emails.query(undefined, sort, true)]),
    changes,
  };
};

const play = async (mail: IndexedMail, store: MailStore, events: readonly Event[], start: number): Promise<void> => {
  for (const [offset, event] of events.entries()) {
    const number = start + offset;
    if (event.do === 'wait') mail.clock.wait(event.days);
    else if (event.do === 'index') expect(await mail.index(event)).toBe(0);
    else if (event.do === 'deliver') {
      const email = newEmail(number, { subject: 'S', threadMessageIds: [`${number}@example.net`, `thread${event.thread}@example.net`] });
      // Ids of another length than the store's own are not packed.
      const id = event.short ? `Ns${number}` : emailId(number);
      await store.deliver(account, { ...email, size: 1000 + ((number * 37) % 90), content: { ...email.content, id } });
    } else {
      const commit = (view: AccountView) => commitOf(event, view, number);
      await store.commit((await store.open(account))!, commit);
    }
  }
};

describe('an account that was opened from a snapshot and the log after it', () => {
  test('equals the account that was opened from its records, for any history and any snapshots', async () => {
    let fromSnapshots = 0;
    await assertProperty(
      fc.asyncProperty(fc.array(event, { maxLength: 45, size: 'max' }), fc.array(event, { maxLength: 12 }), async (before, after) => {
        const mail = indexedMail({ bounds: { commits: 4, logBytes: 3000 } });
        const writer = mail.fromRecords();
        await writer.createAccount(account);
        await play(mail, writer, before, 100);
        if ((await mail.head(account)).snapshot !== undefined) fromSnapshots++;
        const opened = mail.cold();
        expect(await readable(opened)).toEqual(await readable(mail.fromRecords()));
        // The opened index accepts further commits, its own as well as others.
        await play(mail, opened, after, 500);
        await play(mail, writer, after, 700);
        expect(await readable(opened)).toEqual(await readable(mail.fromRecords()));
        expect(mail.log.records.filter(({ level }) => level !== 'info')).toEqual([]);
      }),
      { numRuns: 25 },
    );
    expect(fromSnapshots).toBeGreaterThan(8);
  });
});
