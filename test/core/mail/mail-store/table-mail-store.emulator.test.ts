import type { AccountView, Commit } from '../../../../core/account-index/account-view.ts';
import { emailsOf } from '../../../../core/mail/email/email-type.ts';
import type { MailStore } from '../../../../core/mail/mail-store/mail-store.ts';
import { mailStore } from '../../../../core/mail/mail-store/table-mail-store.ts';
import { mailboxesOf } from '../../../../core/mail/mailbox/mailbox-record.ts';
import type { Table } from '../../../../core/storage/table.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { mailStoreSuites } from '../../../port-suites/mail-store-suites.ts';
import { withDynamodb } from '../../../support/dynamodb.ts';
import { inMailboxes, mailCommit, newEmail, withKeywords } from '../../../support/email-fixtures.ts';

const dynamodb = withDynamodb();

describe('the mail store in DynamoDB', () => mailStoreSuites(() => dynamodb.newTable()));

const account = 'acc_1';

/** Random numbers from 0 to `below`, repeatable by the seed. */
const numbersFrom = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
};

/** Two Lambdas that share a table. Their clock and ids are the same in each run. */
const lambdasOver = (table: Table): readonly [MailStore, MailStore] => {
  let [seconds, ids] = [0, 0];
  const open = () => mailStore({ table, clock: () => new Date(Date.UTC(2026, 10, 21, 9, 0, ++seconds)), newId: () => `id${String(++ids).padStart(14, '0')}` });
  return [open(), open()];
};

/** A random commit of a client that has read the view. */
const randomCommit = (view: AccountView, random: (below: number) => number, step: number): Commit | undefined => {
  const emails = emailsOf(view);
  const mailboxes = mailboxesOf(view).all();
  const email = emails.get(emails.ids()[random(emails.ids().length)] ?? '');
  const mailbox = mailboxes[random(mailboxes.length)]!;
  if (step % 7 === 0) {
    return mailCommit({ putMailboxes: [{ id: `F${step}`, name: `Folder ${step}`, parentId: null, role: null, sortOrder: step, isSubscribed: true }] });
  }
  if (!email) return undefined;
  const kind = random(4);
  if (kind === 0) return mailCommit({ destroyEmails: [email.id] });
  if (kind === 1) return mailCommit({ updateEmails: [inMailboxes(email, mailbox.id, mailboxes[random(mailboxes.length)]!.id)] });
  return mailCommit({ updateEmails: [withKeywords(email, kind === 2 ? '$seen' : '$flagged')] });
};

/** Everything that a client reads, from a Lambda that opens the account for the first time. */
const readMail = async (table: Table): Promise<object> => {
  const store = mailStore({ table });
  const view = (await store.open(account))!;
  const changes: unknown[] = [];
  for (let sequence = 1; sequence <= view.sequence; sequence += 9) {
    for (const type of ['Email', 'Mailbox', 'Thread']) changes.push(await store.changes(view, type, `${type}-${sequence}`));
  }
  const sorted = <T extends { readonly id: string }>(records: readonly T[]) => records.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return { emails: sorted(emailsOf(view).all()), mailboxes: sorted(mailboxesOf(view).all()), sequence: view.sequence, changes };
};

/** Writes a history, alternately by two Lambdas. @returns the data that a client reads in the middle and at the end. */
const writeHistory = async (table: Table, seed: number): Promise<object[]> => {
  const random = numbersFrom(seed);
  const lambdas = lambdasOver(table);
  const readings: object[] = [];
  await lambdas[0].createAccount(account);
  for (let step = 1; step <= 60; step++) {
    const store = lambdas[random(2)]!;
    if (random(3) > 0) {
      const ancestor = 1 + random(step);
      await store.deliver(account, newEmail(step, { subject: 'Plan', threadMessageIds: [`${step}@x`, `${ancestor}@x`] }));
    } else {
      const view = (await store.open(account))!;
      const commit = randomCommit(view, random, step);
      if (commit) await store.commit(view, () => commit);
    }
    if (step % 30 === 0) readings.push(await readMail(table));
  }
  return readings;
};

test.each([1, 2, 3])('a random history (seed %d) reads the same from DynamoDB as from the table in memory', async (seed) => {
  expect(await writeHistory(await dynamodb.newTable(), seed)).toEqual(await writeHistory(memoryTable(), seed));
});
