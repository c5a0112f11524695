import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UnknownItemVersion, versionAttribute } from '../../../../core/account-log/records/item-version.ts';
import { emailsOf } from '../../../../core/mail-types/email/email-type.ts';
import { mailStore } from '../../../../core/mail-types/mail-store/table-mail-store.ts';
import { errorLogFields } from '../../../../core/runtime/errors.ts';
import type { Item, Table } from '../../../../core/storage/table.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { historyAccount, mailItems, readableMail, writeMailHistory } from '../../../support/mail-history.ts';
import { emailId, newEmail } from '../../../support/email-fixtures.ts';
import { jmapDeployment } from '../../../lambdas/jmap/jmap-deployment.ts';

/**
 * The items of one account as a release wrote them, and what a client read with that release. One file for each release
 * that changed a codec.
 */
type Release = { readonly items: readonly Item[]; readonly expected: object };

const folder = join(__dirname, 'released-items');
const files = readdirSync(folder).sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
const release = (file: string): Release => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Release;

const tableWith = async (items: readonly Item[]): Promise<Table> => {
  const table = memoryTable();
  for (const item of items) await table.write([{ put: item }]);
  return table;
};

const versionsIn = (items: readonly Item[]): number[] => items.map((item) => (item[versionAttribute] ?? 1) as number);

describe('items of earlier releases', () => {
  test.each(files)('in %s are read as that release read them', async (file) => {
    const { items, expected } = release(file);
    expect(await readableMail(await tableWith(items))).toEqual(expected);
  });

  test.each(files)('in %s tell the Emails that may be elsewhere in the results of a query', async (file) => {
    const store = mailStore({ table: await tableWith(release(file).items) });
    const view = (await store.open(historyAccount))!;
    const changed = await store.changedRecords(view, 'Email', 'Email-4');
    const groupId = emailsOf(view).get(emailId(1))!.threadId;
    expect(changed).toEqual(expect.arrayContaining([
      { id: emailId(1), kind: 'updated', groupId, properties: ['keywords'] },
      { id: emailId(2), kind: 'updated', groupId, properties: ['mailboxIds', 'keywords'] },
      expect.objectContaining({ id: emailId(3), kind: 'destroyed', groupId: expect.any(String) as string }),
    ]));
    expect(changed).toHaveLength(3);
  });

  test.each(files)('in %s accept deliveries and commits', async (file) => {
    const table = await tableWith(release(file).items);
    const store = mailStore({ table });
    expect(await store.deliver(historyAccount, newEmail(9, { subject: 'Plan', threadMessageIds: ['9@example.net', '1@example.net'] })))
      .toBe('delivered');
    const before = await readableMail(table);
    expect(before.emails.map(({ threadId }) => threadId)).toEqual(Array(3).fill(before.emails[0]!.threadId));
    await store.commit((await store.open(historyAccount))!, () => ({ records: { Email: { destroy: [before.emails[0]!.id] } } }));
    expect((await readableMail(table)).emails).toEqual(before.emails.slice(1));
  });

  test('have a file for each version, and the newest file has the newest versions', () => {
    expect(files.map((file) => Math.max(...versionsIn(release(file).items)))).toEqual([1, 2, 3, 3, 4, 4, 5]);
  });

  test('in the newest file are what this release writes: another encoding needs a new version and a new file', async () => {
    const table = memoryTable();
    await writeMailHistory(table);
    const newest = release(files.at(-1)!);
    const withoutWriters = (items: unknown) => JSON.parse(JSON.stringify(items, (name, value: unknown) => (name === 'writerId' ? undefined : value))) as unknown;
    expect(withoutWriters(await mailItems(table))).toEqual(withoutWriters(newest.items));
    expect(await readableMail(table)).toEqual(newest.expected);
  });
});

describe('an item of a newer release', () => {
  const kinds: readonly (readonly [string, (item: Item) => boolean])[] = [
    ['account head', ({ sk }) => sk === 'HEAD'],
    ['log entry', ({ pk, sk }) => pk.endsWith('#log') && sk !== 'HEAD'],
    ['Email row', ({ pk }) => pk.endsWith('#row')],
    ['Email record', ({ pk }) => pk.endsWith('#email')],
    ['Mailbox', ({ pk }) => pk.endsWith('#mailbox')],
    ['Quota', ({ pk }) => pk.endsWith('#quota')],
    ['Identity', ({ pk }) => pk.endsWith('#identity')],
    ['EmailSubmission', ({ pk }) => pk.endsWith('#emailsubmission')],
    ['VacationResponse', ({ pk }) => pk.endsWith('#vacation')],
  ];

  test.each(kinds)('is refused with an error that names its kind and version: %s', async (kind, isOfKind) => {
    const { items } = release(files.at(-1)!);
    const table = await tableWith(items.map((item) => (isOfKind(item) ? { ...item, [versionAttribute]: 99 } : item)));
    const failure = await readableMail(table).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnknownItemVersion);
    expect((failure as Error).message).toContain(`${kind} has version 99`);
  });

  test('is named in the log, and the client gets serverFail with a description', async () => {
    const deployment = await jmapDeployment();
    await deployment.mail.write([{ update: { pk: 'acc_alice#log', sk: 'HEAD' }, set: { [versionAttribute]: 99 } }]);
    const { body } = await deployment.request({
      using: ['urn:ietf:params:jmap:mail'], methodCalls: [['Mailbox/get', { accountId: 'acc_alice' }, 'c']],
    });
    expect(body['methodResponses']).toEqual([
      ['error', { type: 'serverFail', description: expect.stringContaining('newer release') }, 'c'],
    ]);
    expect(JSON.stringify(deployment.logged)).toContain('account head has version 99');
  });

  test('has an error message that is logged, unlike those of other errors', () => {
    expect(errorLogFields(new UnknownItemVersion('row', 9, 1))).toMatchObject({ error_message: expect.stringContaining('version 9') });
    expect(errorLogFields(new Error('alice@example.test'))).not.toHaveProperty('error_message');
  });
});
