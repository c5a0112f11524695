import { emailLimits } from '../../../../contract/jmap/core.ts';
import type { NewEmail } from '../../../../core/mail/email/email-store.ts';
import { emailsOf } from '../../../../core/mail/email/email-type.ts';
import { mailStore } from '../../../../core/mail/mail-store/table-mail-store.ts';
import { mailboxWithRole } from '../../../../core/mail/mailbox/mailbox-record.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { emailId, newEmail } from '../../../support/email-fixtures.ts';
import { perTest } from '../../../support/per-test.ts';

const account = 'acc_1';
const limit = emailLimits.maxEmailsPerThread;
const noPause = () =>
  new Promise<void>((resolve) => {
    setImmediate(resolve);
  });

const table = perTest(() => memoryTable());
const store = perTest(() => mailStore({ table, pause: noPause }));
beforeEach(async () => {
  await store.createAccount(account);
});

const open = async () => (await mailStore({ table }).open(account))!;
/** A message that refers to other messages by their numbers. */
const reply = (number: number, ...references: number[]) =>
  newEmail(number, { subject: 'Plan', threadMessageIds: [number, ...references].map((id) => `${id}@example.net`) });
const deliverReplies = async (from: number, to: number, references: (number: number) => number[]) => {
  for (let number = from; number < to; number++) expect(await store.deliver(account, reply(number, ...references(number)))).toBe('delivered');
};
/** Sizes of all Threads, largest first. */
const threadSizes = async (): Promise<number[]> => {
  const emails = emailsOf(await open());
  return emails
    .threadIds()
    .map((id) => emails.threadSize(id))
    .toSorted((a, b) => b - a);
};
const threadOf = async (number: number): Promise<string> => emailsOf(await open()).get(emailId(number))!.threadId;

describe('a Thread', () => {
  // @pitfall attack long-thread
  test('has at most 1,000 Emails; the next message that refers to it begins a new Thread, to which the reference then points', async () => {
    expect(limit).toBe(1000);
    await deliverReplies(0, 2 * limit + 5, () => [0]);
    expect(await threadSizes()).toEqual([limit, limit, 5]);
    expect(await threadOf(limit - 1)).toBe(await threadOf(0));
    expect(await threadOf(limit)).not.toBe(await threadOf(0));
  });

  test('that is full forwards replies which cite the root and the parent to the same new Thread', async () => {
    await deliverReplies(0, limit, () => [0]);
    await deliverReplies(limit, limit + 20, (number) => [number - 1, 0]);
    await deliverReplies(limit + 20, limit + 40, (number) => [number - 600, 0]);
    expect(await threadSizes()).toEqual([limit, 40]);
  });

  test('stays within its limit when several Lambdas deliver concurrently', async () => {
    await deliverReplies(0, limit - 10, () => [0]);
    const lambdas = Array.from({ length: 5 }, () => mailStore({ table, pause: noPause }));
    await Promise.all(
      lambdas.map(async (lambda, i) => {
        for (let number = 0; number < 5; number++) await lambda.deliver(account, reply(limit + i * 5 + number, 0));
      }),
    );
    expect(await threadSizes()).toEqual([limit, 15]);
  });

  test('stays within its limit in a commit that creates Emails', async () => {
    await deliverReplies(0, limit - 10, () => [0]);
    const creation = (number: number): NewEmail => {
      const { mailboxRole: _role, ...content } = reply(number, 0);
      return { ...content, mailboxIds: [mailboxWithRole(view, 'inbox')!.id] };
    };
    const view = (await store.open(account))!;
    await store.commit(view, () => ({ records: { Email: { create: Array.from({ length: 120 }, (_, i) => creation(limit + i)) } } }));
    expect(await threadSizes()).toEqual([limit, 110]);
  });

  test('counts destroyed Emails too, so that its count changes only with new Emails', async () => {
    await deliverReplies(0, limit, () => [0]);
    const view = (await store.open(account))!;
    await store.commit(view, () => ({ records: { Email: { destroy: Array.from({ length: 500 }, (_, i) => emailId(i + 1)) } } }));
    await deliverReplies(limit, limit + 3, () => [0]);
    expect(await threadSizes()).toEqual([limit - 500, 3]);
  });
});
