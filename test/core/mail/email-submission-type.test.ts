import type { RecordChanges } from '../../../core/account-index/account-view.ts';
import { emailSubmissionsOf, withDeliveryChange, withUndoStatus, type EmailSubmissionRecord } from '../../../core/mail/email-submission-type.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { memoryTable } from '../../fakes/memory-table.ts';

const accountId = 'acc_1';
const pending: EmailSubmissionRecord = {
  id: 'submission_1',
  identityId: 'identity_1',
  emailId: 'email_1',
  threadId: 'thread_1',
  sendAt: '2026-11-22T09:00:00.000Z',
  undoStatus: 'pending',
  recipients: 1,
  createdAt: 1_795_338_000_000,
  parts: 1,
  deliveryChanges: 0,
};

const accountWithSubmission = async () => {
  const store = mailStore({ table: memoryTable() });
  await store.createAccount(accountId);
  const commit = async (changes: RecordChanges) => store.commit((await store.open(accountId))!, () => ({ records: { EmailSubmission: changes } }));
  const view = await commit({ put: [pending] });
  return { store, commit, state: view.state('EmailSubmission') };
};

describe('the stored EmailSubmission', () => {
  test('equals the written one when it is read', async () => {
    const { store } = await accountWithSubmission();
    expect(emailSubmissionsOf((await store.open(accountId))!).all()).toEqual([pending]);
  });

  test('is updated in all its delivery properties when the status of a recipient changes', async () => {
    const { store, commit, state } = await accountWithSubmission();
    const view = await commit({ put: [withDeliveryChange(pending)] });
    expect(await store.changes(view, 'EmailSubmission', state)).toMatchObject({ created: [], updated: ['submission_1'], destroyed: [] });
    expect(await store.changedRecords(view, 'EmailSubmission', state)).toEqual([
      { id: 'submission_1', kind: 'updated', groupId: undefined, properties: ['deliveryStatus', 'dsnBlobIds', 'mdnBlobIds'] },
    ]);
  });

  test('is updated in its undo status too when it becomes final', async () => {
    const { store, commit, state } = await accountWithSubmission();
    const view = await commit({ put: [withUndoStatus(pending, 'final')] });
    expect(await store.changedRecords(view, 'EmailSubmission', state)).toMatchObject([
      { properties: expect.arrayContaining(['undoStatus', 'deliveryStatus']) as string[] },
    ]);
  });

  test('does not change when its undo status is set to the same value', async () => {
    const { commit, state } = await accountWithSubmission();
    expect((await commit({ put: [withUndoStatus(pending, 'pending')] })).state('EmailSubmission')).toBe(state);
  });
});
