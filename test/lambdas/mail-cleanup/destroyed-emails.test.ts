import { accountOpener } from '../../../core/account-index/account-opener.ts';
import { decodeHead } from '../../../core/account-log/head.ts';
import { headKey } from '../../../core/account-log/keys.ts';
import { accountBlobs } from '../../../core/blobs/account-blobs.ts';
import type { DestroyedEmails } from '../../../core/blobs/destroyed-emails.ts';
import { removalDelay } from '../../../core/blobs/destroyed-emails.ts';
import { messageKey } from '../../../core/mail/email/blob-id.ts';
import type { NewEmail } from '../../../core/mail/email/email-store.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { storedTypes as types } from '../../../core/mail/mail-store/stored-types.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { baseSubject } from '../../../core/mime/base-subject.ts';
import { jmapGate } from '../../../core/runtime/http/jmap-gate.ts';
import { withinInvocation } from '../../../core/runtime/invocation.ts';
import type { Table } from '../../../core/storage/table.ts';
import { downloadSlots } from '../../../lambdas/downloads/download-slots.ts';
import { serveDownloads } from '../../../lambdas/downloads/serve-downloads.ts';
import { destroyedEmailsStep } from '../../../lambdas/indexer/destroyed-emails-step.ts';
import { indexBatch } from '../../../lambdas/indexer/index-batch.ts';
import { cleanUpMail } from '../../../lambdas/mail-cleanup/clean-up-mail.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { memoryQueue } from '../../fakes/memory-queue.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { beforeNextWrite } from '../../support/before-next-write.ts';
import { downloadRequest } from '../../support/blob-requests.ts';
import { emailId, newEmail } from '../../support/email-fixtures.ts';
import { Crash, failingTable } from '../../support/failing-table.ts';
import { contextWith } from '../../support/queue-records.ts';
import { streamedTable } from '../../support/table-stream.ts';
import { jmapDeployment, type JmapDeployment, type Json } from '../jmap/jmap-deployment.ts';

const account = 'acc_alice';
const log = memoryLog();
let table: ReturnType<typeof streamedTable>;
let deployment: JmapDeployment;
beforeEach(async () => {
  table = streamedTable(memoryTable());
  deployment = await jmapDeployment({ mail: table });
});

const get = async (id: string): Promise<Json> => (await deployment.call('Email/get', { ids: [id] }))['list'][0] as Json;
const destroy = async (...ids: string[]) => expect((await deployment.call('Email/set', { destroy: ids }))['destroyed']).toEqual(ids);
const threadOf = async (id: string) => (await get(id))['threadId'] as string;

const download = async (blobId: string): Promise<number> => {
  const handle = serveDownloads({
    gate: jmapGate(deployment.verify, 'https://jmap.example.test'),
    principals: deployment.jmap.principals,
    blobs: accountBlobs(table, deployment.objects),
    slots: downloadSlots(table, deployment.now, log),
    jmapUrl: 'https://jmap.example.test',
    log,
  });
  return (await handle(downloadRequest({ accountId: account, blobId }, { authorization: 'Bearer alice' }))).statusCode!;
};

/** Passes the stream's records to the indexer. @returns the messages for the mail-cleanup Lambda. */
const enqueued = async (): Promise<DestroyedEmails[]> => {
  const queue = memoryQueue();
  const indexer = indexBatch({ types, steps: [destroyedEmailsStep(queue, table)], log });
  expect(await indexer({ Records: table.records.splice(0) })).toEqual({ batchItemFailures: [] });
  expect(queue.messages.every(({ delaySeconds }) => delaySeconds === removalDelay)).toBe(true);
  return queue.messages.map(({ message }) => message as DestroyedEmails);
};

/** The mail-cleanup Lambda, over a table that may fail. */
const removeOver = (overTable: Table) => {
  const { objects, now: clock } = deployment;
  return cleanUpMail({ table: overTable, objects, opener: accountOpener({ table: overTable, types }), clock, log });
};
const removeAll = async (overTable: Table = table) => {
  for (const message of await enqueued()) await removeOver(overTable)(JSON.stringify(message));
};

/** All items of the account except its head, its log and its mailboxes. */
const mailItems = async () => (await Promise.all(['row', 'email', 'ref', 'blob'].map((partition) => table.query({ pk: `${account}#${partition}` })))).flat();
/** The item of a Thread to which no further message is added. */
const closed = (sk: string) => ({ pk: `${account}#ref`, sk, v: 1, joined: 1000, expiresAt: expect.any(Number) as number });
const keys = (name: string) => deployment.objects.keys().filter((key) => key.includes(name));

const attachments = [
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain',
  '',
  'Hello',
  '--b',
  'Content-Type: application/octet-stream',
  'Content-Transfer-Encoding: base64',
  '',
  'AAAA',
  '--b--',
  '',
].join('\n');

describe('a destroyed Email', () => {
  test('frees its bytes and its blobs at once, and nothing of it remains in bucket and table after its removal', async () => {
    const bytes = async () => decodeHead((await table.get(headKey(account)))!).bytes;
    const before = await bytes();
    const id = await deployment.deliver({ raw: `Message-ID: <1@example.net>\nReferences: <0@example.net>\nSubject: Secret plan\n${attachments}` });
    const email = await get(id);
    const blobs = [email['blobId'], email['attachments'][0].blobId] as string[];
    expect(await Promise.all(blobs.map(download))).toEqual([200, 200]);
    expect(await bytes()).toBe(before + (email['size'] as number));
    await destroy(id);
    expect(await Promise.all(blobs.map(download))).toEqual([404, 404]);
    expect(await bytes()).toBe(before);
    await removeAll();
    expect(deployment.objects.keys()).toEqual([]);
    expect(await mailItems()).toEqual([{ pk: `${account}#email`, sk: id, v: 1, expiresAt: expect.any(Number) as number }]);
  });

  test('is enqueued for removal as one of 98 in a message, also when its mailbox is destroyed', async () => {
    const { created } = await deployment.call('Mailbox/set', { create: { a: { name: 'Old' } } });
    const ids: string[] = [];
    for (let number = 0; number < 120; number++) ids.push(await deployment.deliver());
    await deployment.call('Email/set', { update: Object.fromEntries(ids.map((id) => [id, { mailboxIds: { [created.a.id]: true } }])) });
    await deployment.call('Mailbox/set', { destroy: [created.a.id], onDestroyRemoveEmails: true });
    const messages = await enqueued();
    expect(messages.flatMap(({ emailIds }) => emailIds).toSorted()).toEqual(ids.toSorted());
    for (const message of messages) await removeOver(table)(JSON.stringify(message));
    expect([deployment.objects.keys(), (await mailItems()).length]).toEqual([[], ids.length]);
  });

  test('leaves the references that other Emails of its Thread have; the last Email takes them along', async () => {
    const [root, reply] = [
      await deployment.deliver({ id: 'root', subject: 'Plan' }),
      await deployment.deliver({ id: 'reply', subject: 'Re: Plan', references: 'root' }),
    ];
    const thread = await threadOf(root);
    expect(await threadOf(reply)).toBe(thread);
    await destroy(root);
    await removeAll();
    const late = await deployment.deliver({ id: 'late', subject: 'Re: Plan', references: 'root' });
    expect(await threadOf(late)).toBe(thread);
    await destroy(reply, late);
    await removeAll();
    expect((await mailItems()).filter(({ pk }) => !pk.endsWith('#email'))).toEqual([closed(thread)]);
    const next = await deployment.deliver({ id: 'next', subject: 'Re: Plan', references: 'root' });
    expect(await threadOf(next)).not.toBe(thread);
  });

  test('keeps the references of a message that is delivered during its removal', async () => {
    const root = await deployment.deliver({ id: 'root', subject: 'Plan' });
    await destroy(root);
    let late: string | undefined;
    const racing: Table = {
      ...table,
      async write(writes) {
        if (late === undefined && writes.some((write) => 'delete' in write)) {
          late = '';
          late = await deployment.deliver({ id: 'late', subject: 'Re: Plan', references: 'root' });
        }
        return table.write(writes);
      },
    };
    await removeAll(racing);
    const next = await deployment.deliver({ id: 'next', subject: 'Re: Plan', references: 'root' });
    expect(await threadOf(next)).toBe(await threadOf(late!));
    expect(keys(messageKey(account, 'root'))).toEqual([]);
  });

  test('is removed although another commit is made before each write of its removal', async () => {
    await deployment.deliver({ id: 'root', subject: 'Plan' });
    const replies: string[] = [];
    for (let number = 0; number < 60; number++) {
      replies.push(await deployment.deliver({ id: `reply${number}`, subject: 'Re: Plan', references: 'root' }));
    }
    await destroy(...replies);
    let writes = 0;
    const busy: Table = {
      ...table,
      async write(each) {
        await deployment.deliver({ id: `other${++writes}` });
        return table.write(each);
      },
    };
    const messages = await enqueued();
    // Every write conflicts a few times, which takes longer on a busy machine.
    await withinInvocation(contextWith(600_000), () => removeOver(busy)(JSON.stringify(messages[0])));
    expect((await mailItems()).filter(({ pk, threadId }) => pk.endsWith('#ref') && threadId !== undefined)).toHaveLength(1 + writes);
    expect(keys('messages/')).toHaveLength(1 + writes);
    const late = await deployment.deliver({ id: 'late', subject: 'Re: Plan', references: 'reply7' });
    expect(await threadOf(late)).not.toBe(await threadOf(await deployment.deliver({ id: 'next', subject: 'Re: Plan', references: 'root' })));
  });

  test('is removed at the same time as another one of its Thread', async () => {
    const root = await deployment.deliver({ id: 'root', subject: 'Plan' });
    const reply = (id: string) => deployment.deliver({ id, subject: 'Re: Plan', references: 'root' });
    const replies = [await reply('one'), await reply('two')];
    await destroy(replies[0]!);
    const first = await enqueued();
    await destroy(replies[1]!);
    const second = await enqueued();
    let meanwhile: (() => Promise<void>) | undefined = () => removeOver(table)(JSON.stringify(second[0]));
    const racing: Table = {
      ...table,
      async write(writes) {
        const act = meanwhile;
        meanwhile = undefined;
        await act?.();
        return table.write(writes);
      },
    };
    await removeOver(racing)(JSON.stringify(first[0]));
    expect((await mailItems()).filter(({ pk, threadId }) => pk.endsWith('#ref') && threadId !== undefined)).toHaveLength(1);
    expect(keys('messages/')).toHaveLength(1);
    expect(await threadOf(await reply('three'))).toBe(await threadOf(root));
  });

  test('keeps the references of an imported message whose import read them before the removal', async () => {
    const first = await deployment.deliver({ id: 'first', subject: 'Plan' });
    await destroy(first);
    const blobId = await deployment.upload(
      Buffer.from('From: a@example.net\r\nMessage-ID: <second@example.net>\r\nIn-Reply-To: <first@example.net>\r\nSubject: Re: Plan\r\n\r\nHi'),
    );
    const inbox = (await deployment.roles())['inbox']!;
    beforeNextWrite({ mail: table }, () => removeAll());
    const { created } = await deployment.call('Email/import', { emails: { a: { blobId, mailboxIds: { [inbox]: true } } } });
    const third = await deployment.deliver({ id: 'third', subject: 'Re: Plan', references: 'first' });
    expect(await threadOf(third)).toBe(created.a.threadId);
  });

  test('keeps the references of a message whose delivery read them before the removal and is written after it', async () => {
    const first = await deployment.deliver({ id: 'first', subject: 'Plan' });
    await destroy(first);
    let meanwhile: (() => Promise<void>) | undefined = () => removeAll();
    const write: Table['write'] = async (writes) => {
      const act = meanwhile;
      meanwhile = undefined;
      await act?.();
      return table.write(writes);
    };
    const threadMessageIds = ['second@example.net', 'first@example.net'];
    await mailStore({ table: { ...table, write } }).deliver(account, newEmail('second', { baseSubject: baseSubject('Plan'), threadMessageIds }));
    const third = await deployment.deliver({ id: 'third', subject: 'Re: Plan', references: 'first' });
    expect(await threadOf(third)).toBe(await threadOf(emailId('second')));
  });

  test('keeps the references of a message whose delivery reads them before the removal, and the head after it', async () => {
    const first = await deployment.deliver({ id: 'first', subject: 'Plan' });
    await destroy(first);
    let meanwhile: (() => Promise<void>) | undefined = () => removeAll();
    // The items of a BatchGet are read one by one.
    const batchGet: Table['batchGet'] = async (wanted) => {
      const isHead = ({ sk }: { readonly sk: string }) => sk === headKey(account).sk;
      const others = await table.batchGet(wanted.filter((key) => !isHead(key)));
      const act = meanwhile;
      meanwhile = undefined;
      await act?.();
      return [...others, ...(await table.batchGet(wanted.filter(isHead)))];
    };
    const threadMessageIds = ['second@example.net', 'first@example.net'];
    const store = mailStore({ table: { ...table, batchGet }, clock: deployment.now });
    await store.deliver(account, newEmail('second', { baseSubject: baseSubject('Plan'), threadMessageIds }));
    const third = await deployment.deliver({ id: 'third', subject: 'Re: Plan', references: 'first' });
    expect(await threadOf(third)).toBe(await threadOf(emailId('second')));
  });

  test('leaves no Thread without living Emails for its message to join when it arrives again', async () => {
    const reply = (id: string) => ({ subject: 'Re: Plan', raw: `Message-ID: <${id}@example.net>\nReferences: <root@example.net>\nSubject: Re: Plan\n\nHi` });
    const [first, second] = [await deployment.deliver({ ...reply('first') }), await deployment.deliver({ ...reply('second') })];
    await destroy(first);
    const removalOfFirst = await enqueued();
    await destroy(second);
    const removalOfSecond = await enqueued();
    for (const message of removalOfFirst) await removeOver(table)(JSON.stringify(message));
    const third = await deployment.deliver({ ...reply('third') });
    const again = await deployment.deliver({ ...reply('second') });
    expect(await threadOf(again)).toBe(await threadOf(third));
    for (const message of removalOfSecond) await removeOver(table)(JSON.stringify(message));
    const answer = await deployment.deliver({ id: 'answer', subject: 'Re: Plan', references: 'second' });
    expect(await threadOf(answer)).toBe(await threadOf(third));
  });

  test('keeps its blob while another Email refers to it', async () => {
    const first = await deployment.deliver({ id: 'first' });
    const { blobId, threadId } = await get(first);
    const { store } = deployment;
    const record = (await store.emailContents(account, [first])).get(first)!;
    const copyId = `M${'c'.repeat(22)}`;
    const copy: NewEmail = {
      content: { ...record, id: copyId },
      mailboxIds: [(await deployment.roles())['archive']!],
      keywords: [],
      receivedAt: 1,
      size: 10,
      threadMessageIds: ['first@example.net'],
      baseSubject: 'subject of first',
    };
    await store.commit((await store.open(account))!, () => ({ records: { Email: { create: [copy] } } }));
    await destroy(first);
    await removeAll();
    expect(await download(blobId as string)).toBe(200);
    await destroy(copyId);
    expect(await download(blobId as string)).toBe(404);
    await removeAll();
    expect(deployment.objects.keys()).toEqual([]);
    expect((await mailItems()).map(({ pk }) => pk)).toEqual([`${account}#email`, `${account}#email`, `${account}#ref`]);
    expect((await mailItems()).at(-1)).toEqual(closed(threadId as string));
  });

  test('is removed once, however often the Lambda crashes and the message is repeated', async () => {
    await deployment.deliver({ id: 'root', subject: 'Plan' });
    const ids = [await deployment.deliver({ id: 'one', subject: 'Re: Plan', references: 'root' }), await deployment.deliver({ id: 'two' })];
    await destroy(...ids);
    const [message] = await enqueued();
    for (let crashes = 0; ; crashes++) {
      const failing = failingTable(table);
      failing.crashAtWrite(0, crashes % 2 === 0 ? 'before' : 'after');
      try {
        await removeOver(failing)(JSON.stringify(message));
        break;
      } catch (error) {
        expect(error).toBeInstanceOf(Crash);
      }
      expect(crashes).toBeLessThan(20);
    }
    await removeOver(table)(JSON.stringify(message));
    expect(deployment.objects.keys()).toEqual([`messages/${account}/${messageKey(account, 'root')}`]);
    expect((await mailItems()).map(({ pk }) => pk).toSorted()).toEqual(
      ['email', 'email', 'email', 'ref', 'ref', 'row'].map((partition) => `${account}#${partition}`),
    );
  });

  test('of a removed account needs no removal', async () => {
    const id = await deployment.deliver();
    await destroy(id);
    const messages = await enqueued();
    await table.write([{ delete: headKey(account) }]);
    for (const message of messages) await removeOver(table)(JSON.stringify(message));
    expect(deployment.objects.keys()).toEqual([]);
  });

  test('that exists by now is not touched', async () => {
    const id = await deployment.deliver();
    await removeOver(table)(JSON.stringify({ accountId: account, emailIds: [id, `M${'x'.repeat(22)}`] } satisfies DestroyedEmails));
    expect(emailsOf((await mailStore({ table }).open(account))!).has(id)).toBe(true);
    expect(await download((await get(id))['blobId'] as string)).toBe(200);
  });
});
