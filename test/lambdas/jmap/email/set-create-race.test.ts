import { objectKeys } from '../../../../core/storage/object-keys.ts';
import { perTest } from '../../../support/per-test.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

const deployment = jmapDeploymentPerTest();
const roles = perTest(() => deployment.roles());

const inDrafts = (more: Json = {}): Json => ({ mailboxIds: { [roles['drafts']!]: true }, ...more });
const create = (emails: Json) => deployment.call('Email/set', { create: emails });
const total = async (): Promise<number> => (await deployment.call('Email/query', { calculateTotal: true }))['total'] as number;
const stored = (): string[] => deployment.objects.keys().filter((key) => key.startsWith('messages/acc_alice/'));

/**
 * Runs an action after the message is stored and before the commit is written: another client acts, or the write fails.
 */
const atCommit = (act: (write: () => Promise<void>) => Promise<void>) => {
  const write = deployment.mail.write.bind(deployment.mail);
  deployment.mail.write = async (writes) => {
    deployment.mail.write = write;
    await act(() => write(writes));
  };
};

describe('an Email/set create', () => {
  test('is made once when another commit is first, with one message', async () => {
    atCommit(async (write) => {
      await deployment.call('Mailbox/set', { create: { a: { name: 'Theirs' } } });
      await write();
    });
    const { created } = await create({ a: inDrafts({ subject: 'mine' }) });
    expect([await total(), stored()]).toEqual([1, [objectKeys.message('acc_alice', (created.a.blobId as string).slice(1))]]);
  });

  test('is refused when another client destroys the mailbox meanwhile, and its message is announced for removal', async () => {
    const mailbox = (await deployment.call('Mailbox/set', { create: { a: { name: 'Short-lived' } } }))['created'].a.id as string;
    atCommit(async (write) => {
      await deployment.call('Mailbox/set', { destroy: [mailbox] });
      await write();
    });
    const { created, notCreated } = await create({ a: { mailboxIds: { [mailbox]: true } } });
    expect([created, notCreated.a]).toEqual([null, expect.objectContaining({ type: 'invalidProperties', properties: ['mailboxIds'] })]);
    expect(await total()).toBe(0);
    const announced = deployment.removals.messages.flatMap(({ message }) => (message as { messageKeys?: string[] }).messageKeys ?? []);
    expect(announced.map((key) => objectKeys.message('acc_alice', key))).toEqual(stored());
  });

  test('is reported once when the response of its write is lost', async () => {
    atCommit(async (write) => {
      await write();
      throw new Error('the connection was reset');
    });
    const { created, notCreated } = await create({ a: inDrafts({ subject: 'once' }) });
    expect([Object.keys(created as Json), notCreated, await total()]).toEqual([['a'], null, 1]);
    expect(created.a.threadId).toMatch(/^T/);
  });

  test('leaves nothing but a message that is announced for removal when the Lambda ends before the commit', async () => {
    atCommit(() => new Promise(() => undefined));
    void create({ a: inDrafts() });
    while (stored().length === 0)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    expect(deployment.removals.messages).toHaveLength(1);
    expect(await total()).toBe(0);
  });

  test('joins one Thread with replies that are created concurrently', async () => {
    const replies = Array.from({ length: 5 }, (_, index) =>
      create({ a: inDrafts({ subject: 'Re: Plan', inReplyTo: ['root@example.net'], messageId: [`r${index}@example.test`] }) }),
    );
    const threads = (await Promise.all(replies)).map(({ created }) => created.a.threadId as string);
    expect(new Set(threads).size).toBe(1);
  });
});
