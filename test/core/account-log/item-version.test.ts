import { UnknownItemVersion, versionAttribute } from '../../../core/account-log/item-version.ts';
import type { StoredRecord } from '../../../core/account-log/log-entry.ts';
import { partitionsOfTypes } from '../../../core/account-log/records/stored-type.ts';
import { newRecentBook } from '../../../core/mail/address-book-type.ts';
import { identityOfAlias } from '../../../core/mail/identity-type.ts';
import { storedTypes } from '../../../core/mail/mail-store/stored-types.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { errorLogFields } from '../../../core/runtime/error-log-fields.ts';
import type { Item, Table } from '../../../core/storage/table.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { jmapDeployment } from '../../lambdas/jmap/jmap-deployment.ts';
import { emailId, newEmail } from '../../support/email-fixtures.ts';

const account = 'acc_1';

/** An account with items of every kind. */
const writtenAccount = async (): Promise<Table> => {
  const table = memoryTable();
  const store = mailStore({ table });
  await store.createAccount(account);
  await store.deliver(account, newEmail(1));
  await store.setQuota(account, { octets: 5_000_000 });
  const submission = {
    id: 'submission_1',
    identityId: 'identity_1',
    emailId: emailId(1),
    threadId: 'thread_1',
    sendAt: '2026-11-22T09:00:00.000Z',
    undoStatus: 'pending',
    recipients: 1,
    createdAt: 1_795_338_000_000,
    parts: 1,
    deliveryChanges: 0,
  };
  const vacation = { id: 'singleton', isEnabled: true, fromDate: null, toDate: null, subject: null, textBody: 'Away', htmlBody: null };
  const identity = identityOfAlias({ alias_id: 'alias_1', email: 'one@example.org' }, true);
  await store.commit((await store.open(account))!, () => ({
    records: {
      EmailSubmission: { put: [submission] },
      VacationResponse: { put: [vacation] },
      Identity: { put: [identity] },
      AddressBook: { put: [newRecentBook] },
      ContactCard: { put: [{ id: 'card_1', addressBookIds: ['recent'], card: '{"uid":"urn:uuid:1"}', mediaOctets: 0 } as StoredRecord] },
    },
  }));
  return table;
};

/** Reads all stored items of the account. */
const readAccount = async (table: Table): Promise<void> => {
  const store = mailStore({ table });
  const view = (await store.open(account))!;
  await store.changes(view, 'Email', 'Email-1');
  await store.emailContents(account, [emailId(1)]);
};

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
    ['AddressBook', ({ pk }) => pk.endsWith('#addressbook')],
    ['ContactCard', ({ pk }) => pk.endsWith('#contactcard')],
  ];

  test.each(kinds)('is refused with an error that names its kind and version: %s', async (kind, isOfKind) => {
    const table = await writtenAccount();
    const items = await Promise.all(partitionsOfTypes(storedTypes.values()).map((partition) => table.query({ pk: `${account}#${partition}` })));
    for (const item of items.flat().filter(isOfKind)) await table.write([{ put: { ...item, [versionAttribute]: 99 } }]);
    const failure = await readAccount(table).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnknownItemVersion);
    expect((failure as Error).message).toContain(`${kind} has version 99`);
  });

  test('is named in the log, and the client gets serverFail with a description', async () => {
    const deployment = await jmapDeployment();
    await deployment.mail.write([{ update: { pk: 'acc_alice#log', sk: 'HEAD' }, set: { [versionAttribute]: 99 } }]);
    const { body } = await deployment.request({ using: ['urn:ietf:params:jmap:mail'], methodCalls: [['Mailbox/get', { accountId: 'acc_alice' }, 'c']] });
    expect(body['methodResponses']).toEqual([['error', { type: 'serverFail', description: expect.stringContaining('newer') }, 'c']]);
    expect(JSON.stringify(deployment.logged)).toContain('account head has version 99');
  });

  test('has an error message that is logged, unlike those of other errors', () => {
    expect(errorLogFields(new UnknownItemVersion('row', 9, 1))).toMatchObject({ error_message: expect.stringContaining('version 9') });
    expect(errorLogFields(new Error('alice@example.test'))).not.toHaveProperty('error_message');
  });
});
