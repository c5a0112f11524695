import {
  emailSubmissionsOf, withDeliveryChange, withUndoStatus, type EmailSubmissionRecord,
} from '../../core/mail-types/email-submission/email-submission-type.ts';
import { identityOfAlias, storedIdentitiesOf, type IdentityRecord } from '../../core/mail-types/identity/identity-type.ts';
import { emailsOf } from '../../core/mail-types/email/email-type.ts';
import { storedTypes } from '../../core/mail-types/mail-store/stored-types.ts';
import type { AccountView, Commit } from '../../core/account-index/account-view.ts';
import type { MailStore } from '../../core/mail-types/mail-store/mail-store.ts';
import { mailboxesOf, mailboxWithRole } from '../../core/mail-types/mailbox/mailbox-record.ts';
import { mailStore } from '../../core/mail-types/mail-store/table-mail-store.ts';
import type { StoredRecord } from '../../core/account-log/log-entry.ts';
import type { Item, Table } from '../../core/storage/table.ts';
import { emailId, inMailboxes, mailCommit, newEmail, withKeywords } from './email-fixtures.ts';

/** The account of {@link writeMailHistory}. */
export const historyAccount = 'acc_1';

/** Writes an account whose log has every kind of change. Clock and ids are fixed, so the items are always the same. */
export const writeMailHistory = async (table: Table): Promise<void> => {
  let seconds = 0;
  let ids = 0;
  const store = mailStore({
    table,
    clock: () => new Date(Date.UTC(2026, 10, 21, 9, 0, ++seconds)),
    newId: () => `id${String(++ids).padStart(14, '0')}`,
  });
  const commit = async (plan: (view: AccountView) => Commit) => store.commit((await store.open(historyAccount))!, plan);
  const withRole = (view: AccountView, role: string) => mailboxWithRole(view, role)!;
  await store.createAccount(historyAccount);
  // The files were written by code that read the clock once more for each of the six default Mailboxes.
  seconds += 6;
  await store.deliver(historyAccount, newEmail(1, { subject: 'Plan', threadMessageIds: ['1@example.net'] }));
  await store.deliver(
    historyAccount, newEmail(2, { subject: 'Plan', threadMessageIds: ['2@example.net', '1@example.net'], keywords: ['$Flagged'] }),
  );
  await store.deliver(historyAccount, newEmail(3, { mailboxRole: 'junk' }));
  await commit((view) => mailCommit({ updateEmails: [withKeywords(emailsOf(view).get(emailId(1))!, '$seen')] }));
  await commit(
    (view) => mailCommit({
      updateEmails: [inMailboxes(emailsOf(view).get(emailId(2))!, withRole(view, 'inbox').id, withRole(view, 'archive').id)],
    }),
  );
  const folder = { id: 'Fone', name: 'Täglich', parentId: null, role: null, sortOrder: 7, isSubscribed: false };
  await commit(() => mailCommit({ putMailboxes: [folder] }));
  await commit((view) => mailCommit({ putMailboxes: [{ ...folder, name: 'Weekly', parentId: withRole(view, 'archive').id }] }));
  await commit(
    (view) => mailCommit({
      putMailboxes: [{ ...withRole(view, 'trash'), role: null, name: 'Old trash' }, { ...mailboxesOf(view).get('Fone')!, role: 'trash' }],
    }),
  );
  await commit(() => mailCommit({ destroyEmails: [emailId(3)] }));
  await commit((view) => mailCommit({ destroyMailboxes: [withRole(view, 'junk').id] }));
  await commit((view) => mailCommit({ putMailboxes: [{ ...mailboxesOf(view).get('Fone')!, subscribers: ['user_2', 'user_1'] }] }));
  await store.setQuota(historyAccount, { octets: 5_000_000 });
  await writeSubmissions(commit);
  await writeIdentities(commit);
  await commit(() => ({
    records: {
      VacationResponse: {
        put: [{
          id: 'singleton', isEnabled: true, fromDate: '2026-12-24T00:00:00Z', toDate: null, subject: null, textBody: 'Away', htmlBody: null,
        } as StoredRecord],
      },
    },
  }));
};

/** An EmailSubmission that is sent and delivered, and one that is destroyed. */
const writeSubmissions = async (commit: (plan: (view: AccountView) => Commit) => Promise<AccountView>): Promise<void> => {
  const putSubmission = (record: EmailSubmissionRecord) => commit(() => ({ records: { EmailSubmission: { put: [record] } } }));
  const pending: EmailSubmissionRecord = {
    id: 'submission_1', identityId: 'identity_1', emailId: emailId(1), threadId: 'thread_1', sendAt: '2026-11-22T09:00:00.000Z',
    undoStatus: 'pending', recipients: 1, createdAt: 1_795_338_000_000, parts: 1, deliveryChanges: 0,
  };
  await putSubmission(pending);
  await putSubmission({ ...pending, id: 'submission_2' });
  await putSubmission(withUndoStatus(pending, 'final'));
  await putSubmission(withDeliveryChange(withUndoStatus(pending, 'final')));
  await commit(() => ({ records: { EmailSubmission: { destroy: ['submission_2'] } } }));
};

/** An Identity of an alias that may not send any more, one of a client, and one that is destroyed. */
const writeIdentities = async (commit: (plan: (view: AccountView) => Commit) => Promise<AccountView>): Promise<void> => {
  const put = (...records: IdentityRecord[]) => commit(() => ({ records: { Identity: { put: records } } }));
  const one = identityOfAlias({ alias_id: 'alias_1', email: 'one@example.org', reply_to: 'desk@example.org' }, true);
  const two = identityOfAlias({ alias_id: 'alias_2', email: 'two@example.org', name: 'Two' }, true);
  await put(one, two, { ...one, id: 'sales', name: 'Sales', bcc: [{ name: 'Täglich', email: 'copy@example.org' }], htmlSignature: '<b>1</b>' });
  await put({ ...one, maySend: false, textSignature: '-- \nOne' });
  await commit(() => ({ records: { Identity: { destroy: ['alias_2'] } } }));
};

/** Every item of the account. */
export const mailItems = async (table: Table): Promise<Item[]> => {
  const partitions = [
    'log', ...[...storedTypes.values()].flatMap(({ records }) => (records ? [records.partition, ...records.otherPartitions ?? []] : [])),
  ];
  return (await Promise.all(partitions.map((partition) => table.query({ pk: `${historyAccount}#${partition}` })))).flat();
};

const byId = (one: { readonly id: string }, other: { readonly id: string }) => (one.id < other.id ? -1 : 1);

const changesSince = async (store: MailStore, view: AccountView, type: string, sequence: number) => {
  const changes = await store.changes(view, type, `${type}-${sequence}`);
  if (!changes) return null;
  const { created, updated, destroyed, newState, onlyComputed } = changes;
  return { created, updated, destroyed, newState, onlyComputed };
};

/** All that a client can read of the account, from a store that opens it for the first time. */
export const readableMail = async (table: Table) => {
  const store = mailStore({ table });
  const view = (await store.open(historyAccount))!;
  const emails = emailsOf(view);
  const records = [...(await store.emailRecords(historyAccount, emails.ids())).values()];
  const submissions = emailSubmissionsOf(view).all().toSorted(byId);
  const identities = storedIdentitiesOf(view).all().toSorted(byId);
  const sequences = Array.from({ length: view.sequence }, (_, i) => i + 1);
  const types = ['Email', 'Mailbox', 'Thread'];
  const changes = await Promise.all(
    types.flatMap(
      (type) => sequences.map(async (sequence) => [`${type}-${sequence}`, await changesSince(store, view, type, sequence)] as const),
    ),
  );
  return {
    emails: emails.all().toSorted(byId),
    mailboxes: mailboxesOf(view).all().toSorted(byId),
    records: records.map((record) => JSON.parse(JSON.stringify(record)) as { id: string }).toSorted(byId),
    // Earlier releases have no such records.
    ...(submissions.length > 0 && { submissions }),
    ...(identities.length > 0 && { identities }),
    states: Object.fromEntries(types.map((type) => [type, view.state(type)])),
    changes: Object.fromEntries(changes),
  };
};
