import { contentOrigin, messageStore, MissingMessage, emailToStore, type MessageStore } from '../../../core/blobs/message-store.ts';
import { removeUnusedMessages, unusedMessageDelay } from '../../../core/blobs/unused-messages.ts';
import { emailIdOf } from '../../../core/mail/email/blob-id.ts';
import type { NewEmail } from '../../../core/mail/email/email-store.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { MailStore } from '../../../core/mail/mail-store/mail-store.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { mailboxWithRole } from '../../../core/mail/mailbox/mailbox-record.ts';
import { parseMessage } from '../../../core/mime/parse-message.ts';
import { objectKeys } from '../../../core/storage/object-keys.ts';
import type { Table, Write } from '../../../core/storage/table.ts';
import { memoryObjects, type MemoryObjects } from '../../fakes/memory-objects.ts';
import { memoryQueue } from '../../fakes/memory-queue.ts';
import { memoryTable } from '../../fakes/memory-table.ts';

const account = 'acc_1';
const noPause = () =>
  new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
const now = () => new Date('2026-11-22T08:00:00Z');

let table: Table;
let objects: MemoryObjects;
let queue: ReturnType<typeof memoryQueue>;
let store: MailStore;
let messages: MessageStore;
let transactions: (readonly Write[])[];

/** A table that records its transactions. */
const recording = (memory: Table): Table => ({
  ...memory,
  write: (writes) => {
    if (writes.length > 1) transactions.push(writes);
    return memory.write(writes);
  },
});

beforeEach(async () => {
  transactions = [];
  table = recording(memoryTable());
  objects = memoryObjects();
  queue = memoryQueue();
  store = mailStore({ table, pause: noPause });
  messages = messageStore({ table, objects, removals: queue });
  await store.createAccount(account);
  transactions = [];
});

const raw = (id: string, { subject = 'Plan', inReplyTo, to = 'alice@example.test' }: { subject?: string; inReplyTo?: string; to?: string } = {}) =>
  Buffer.from(
    [
      'From: sender@example.net',
      `To: ${to}`,
      `Subject: ${subject}`,
      `Message-ID: <${id}@example.net>`,
      ...(inReplyTo ? [`In-Reply-To: <${inReplyTo}@example.net>`] : []),
      '',
      `Text of ${id}`,
      '',
    ].join('\r\n'),
  );

/** Adds messages to the inbox, as Email/import does. @returns their Email ids. */
const add = async (contents: readonly Buffer[], origins?: readonly string[], mail = store): Promise<string[]> => {
  const stored = await messages.store(
    account,
    contents.map((content, i) => ({ content, ...(origins && { origin: origins[i]! }) })),
  );
  const view = (await mail.open(account))!;
  const mailboxIds = [mailboxWithRole(view, 'inbox')!.id];
  const create = stored.map(({ key }, i): NewEmail => ({
    ...emailToStore(key, parseMessage(contents[i]!), contents[i]!.length),
    mailboxIds,
    keywords: [],
    receivedAt: 0,
  }));
  await mail.commit(view, () => ({ records: { Email: { create } } }));
  return stored.map(({ key }) => emailIdOf(key));
};
const rows = async (ids: readonly string[]) => {
  const emails = emailsOf((await mailStore({ table }).open(account))!);
  return ids.map((id) => emails.get(id)!);
};
const threadsOf = async (ids: readonly string[]) => (await rows(ids)).map(({ threadId }) => threadId);
const removeUnused = (keys: readonly string[]) => removeUnusedMessages({ table, objects, now }, account, keys);

describe('storing new messages', () => {
  test('announces the raw message, and writes it before the commit', async () => {
    const [stored] = await messages.store(account, [{ content: raw('one') }]);
    expect(objects.keys()).toEqual([objectKeys.message(account, stored!.key)]);
    expect(queue.messages).toEqual([{ message: { accountId: account, messageKeys: [stored!.key] }, delaySeconds: unusedMessageDelay }]);
  });

  test('stores nothing when the announcement fails', async () => {
    const failing = messageStore({
      table,
      objects,
      removals: {
        send: async () => {
          throw new Error('SQS is down');
        },
      },
    });
    await expect(failing.store(account, [{ content: raw('one') }])).rejects.toThrow('SQS is down');
    expect(objects.keys()).toEqual([]);
  });

  test('copies an object of the bucket, and fails when it does not exist', async () => {
    await objects.put('uploads/acc_1/x', raw('one'));
    const [stored] = await messages.store(account, [{ content: { copyOf: 'uploads/acc_1/x' } }]);
    expect((await objects.get(objectKeys.message(account, stored!.key)))!.bytes).toEqual(raw('one'));
    await expect(messages.store(account, [{ content: { copyOf: 'uploads/acc_1/y' } }])).rejects.toThrow(MissingMessage);
  });

  test('gives a message without an origin another key each time, and messages of one origin the same key', async () => {
    const origin = contentOrigin(raw('one'));
    const [first, second] = await messages.store(account, [{ content: raw('one') }, { content: raw('one') }]);
    expect(first!.key).not.toBe(second!.key);
    const [third, fourth] = await messages.store(account, [
      { content: raw('one'), origin },
      { content: raw('one'), origin },
    ]);
    expect(third).toEqual(fourth);
    expect(third!.isKnown).toBe(false);
  });

  test('reports that the account has the Email of an origin; after its destruction, the origin has another key', async () => {
    const origin = contentOrigin(raw('one'));
    const [id] = await add([raw('one')], [origin]);
    const [known] = await messages.store(account, [{ content: raw('one'), origin }]);
    expect([emailIdOf(known!.key), known!.isKnown]).toEqual([id, true]);
    await store.commit((await store.open(account))!, () => ({ records: { Email: { destroy: [id!] } } }));
    const [next] = await add([raw('one')], [origin]);
    expect(next).not.toBe(id);
    expect((await rows([next!]))[0]!.size).toBe(raw('one').length);
  });
});

describe('a commit of new messages', () => {
  test('is one transaction for all messages that fit', async () => {
    await add(Array.from({ length: 24 }, (_, i) => raw(`m${i}`, { subject: `Subject ${i}` })));
    expect(transactions).toHaveLength(1);
    await add(Array.from({ length: 50 }, (_, i) => raw(`n${i}`, { subject: `Subject ${i}` })));
    expect(transactions).toHaveLength(3);
  });

  test('is several transactions when the records exceed the octets of one', async () => {
    const recipients = Array.from({ length: 1500 }, (_, i) => `"Recipient number ${i} of the list" <recipient-${i}@example.net>`).join(',\r\n ');
    const ids = await add(Array.from({ length: 36 }, (_, i) => raw(`m${i}`, { subject: `Subject ${i}`, to: recipients })));
    const sizes = transactions.map((writes) => Buffer.byteLength(JSON.stringify(writes)));
    expect(Math.max(...sizes)).toBeLessThan(4_000_000);
    expect(transactions.length).toBeGreaterThan(1);
    expect(await threadsOf(ids)).toHaveLength(36);
  });

  test('puts messages of one new Thread into one Thread, in any order and over several transactions', async () => {
    const chain = Array.from({ length: 60 }, (_, i) => raw(`m${i}`, i > 0 ? { inReplyTo: `m${i - 1}` } : {}));
    const ids = await add(chain.toReversed());
    expect(transactions.length).toBeGreaterThan(1);
    expect(new Set(await threadsOf(ids)).size).toBe(1);
  });

  test('joins the Thread of a reply that was delivered earlier', async () => {
    const [reply] = await add([raw('reply', { subject: 'Re: Plan', inReplyTo: 'parent' })]);
    const [parent] = await add([raw('parent')]);
    const [other] = await add([raw('other')]);
    const [replyThread, parentThread, otherThread] = await threadsOf([reply!, parent!, other!]);
    expect(parentThread).toBe(replyThread);
    expect(otherThread).not.toBe(replyThread);
  });

  test('puts messages of one Thread that two Lambdas add concurrently into one Thread', async () => {
    const lambdas = Array.from({ length: 4 }, () => mailStore({ table, pause: noPause }));
    const ids = await Promise.all(
      lambdas.map((lambda, i) =>
        add(
          Array.from({ length: 10 }, (_, j) => raw(`m${i}-${j}`, { inReplyTo: 'root' })),
          undefined,
          lambda,
        ),
      ),
    );
    expect(new Set(await threadsOf(ids.flat())).size).toBe(1);
  });
});

describe('removing unused messages', () => {
  test('removes a message whose commit was not made, and no message of an Email', async () => {
    const [unused] = await messages.store(account, [{ content: raw('unused') }]);
    const [id] = await add([raw('used')]);
    expect(await removeUnused([unused!.key, id!.slice(1)])).toBe(1);
    expect(objects.keys()).toEqual([objectKeys.message(account, id!.slice(1))]);
    expect(await removeUnused([unused!.key, id!.slice(1)])).toBe(1);
    expect(objects.keys()).toHaveLength(1);
  });

  test('keeps the message of an Email that is committed during the removal', async () => {
    const origin = contentOrigin(raw('one'));
    const [stored] = await messages.store(account, [{ content: raw('one'), origin }]);
    let id: string | undefined;
    const slow: Table = {
      ...table,
      batchGet: async (keys) => {
        const items = await table.batchGet(keys);
        if (id === undefined) [id] = await add([raw('one')], [origin]);
        return items;
      },
    };
    expect(await removeUnusedMessages({ table: slow, objects, now }, account, [stored!.key])).toBe(0);
    expect(objects.keys()).toEqual([objectKeys.message(account, id!.slice(1))]);
  });

  test('leaves the message of a destroyed Email to the removal of that Email', async () => {
    const [id] = await add([raw('destroyed')]);
    await store.commit((await store.open(account))!, () => ({ records: { Email: { destroy: [id!] } } }));
    expect(await removeUnused([id!.slice(1)])).toBe(0);
    expect(objects.keys()).toEqual([objectKeys.message(account, id!.slice(1))]);
  });

  test('gives the next message of the same origin another key, so that no Email lacks its message', async () => {
    const origin = contentOrigin(raw('one'));
    const [stored] = await messages.store(account, [{ content: raw('one'), origin }]);
    await removeUnused([stored!.key]);
    const [id] = await add([raw('one')], [origin]);
    expect(id).not.toBe(emailIdOf(stored!.key));
    expect(objects.keys()).toEqual([objectKeys.message(account, id!.slice(1))]);
  });

  test('writes nothing into an account that was removed', async () => {
    const [stored] = await messages.store(account, [{ content: raw('one') }]);
    const empty = recording(memoryTable());
    expect(await removeUnusedMessages({ table: empty, objects, now }, account, [stored!.key])).toBe(1);
    expect(transactions).toEqual([]);
    expect(objects.keys()).toEqual([]);
  });
});
