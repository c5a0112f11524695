import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { mailRemovalIn } from '../../../core/mail/mail-store/mail-removal.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { parseMessage } from '../../../core/mime/parse-message.ts';
import { reportDelivery } from '../../../core/sending/deliver-reports.ts';
import { partChanges } from '../../../core/sending/submission/part-changes.ts';
import { markFailed, reportBlobIds, withDueReport, withRecipientUpdates, type RecipientUpdate } from '../../../core/sending/submission/submission.ts';
import { submissionsIn } from '../../../core/sending/submission/submissions.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { memoryObjects } from '../../fakes/memory-objects.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { mailCommit } from '../../support/email-fixtures.ts';
import { failingTable } from '../../support/failing-table.ts';
import { newSubmission, storeSubmission } from '../../support/send-pipeline.ts';

const account = 'acc_1';
const [ann, bob] = ['ann@elsewhere.test', 'bob@elsewhere.test'];
const reference = { submission_id: 'submission_1', part: 0 };
const fact = (reply: string) => ({ at: '2026-11-21T08:38:04.000Z', reply });
const bounced = (...recipients: readonly string[]): RecipientUpdate => ({ kind: 'bounced', fact: fact('550 5.1.1 user unknown'), recipients });

const start = async ({ has_record = true, isFull = false } = {}) => {
  const mailTable = failingTable(memoryTable());
  const [sending, objects, log] = [memoryTable(), memoryObjects(), memoryLog()];
  const store = mailStore({ table: mailTable, pause: async () => {}, ...(isFull && { quotaDefaults: { octets: 0, count: 0 } }) });
  await store.createAccount(account);
  const submissions = submissionsIn(sending);
  await storeSubmission(sending, newSubmission({ recipients: [ann, bob], account_id: account, has_record, mail_from: 'alice@example.test' }), 'due');
  const changePart = partChanges({ submissions, mail: store, wire: { region: 'us-east-1', mailTable: mailTable.reference } });
  const deliverReports = reportDelivery({ submissions, changePart, mailStore: store, mailTable, objects, log });
  const part = async () => (await submissions.findPart(reference))!.part;
  return {
    mailTable,
    objects,
    store,
    deliver: () => deliverReports(reference),
    part,
    fail: (...updates: readonly RecipientUpdate[]) => submissions.updatePart(reference, (known) => withRecipientUpdates(known, updates)),
    update: (...args: Parameters<typeof submissions.updatePart>) => submissions.updatePart(...args),
    emails: async () => emailsOf((await store.open(account))!).all(),
    raw: async () => Promise.all(objects.keys().map(async (key) => (await objects.get(key))!.bytes)),
    blobIds: async () => reportBlobIds([await part()]),
  };
};
type Sending = Awaited<ReturnType<typeof start>>;
let sending: Sending;
beforeEach(async () => {
  sending = await start();
});

describe('the report of a failed delivery', () => {
  test('is an unread Email in the sender’s inbox, and its blob is among dsnBlobIds', async () => {
    await sending.fail(bounced(ann));
    await sending.deliver();
    const [email] = await sending.emails();
    expect(email).toMatchObject({ keywords: [], receivedAt: Date.parse('2026-11-21T08:38:04.000Z') });
    const [raw] = await sending.raw();
    expect(raw!.toString()).toContain(`Final-Recipient: rfc822; ${ann}`);
    expect(raw!.toString()).not.toContain(bob);
    expect(parseMessage(raw!).email).toMatchObject({ to: [{ email: 'alice@example.test' }] });
    expect(await sending.blobIds()).toEqual([`B${email!.id.slice(1)}`]);
  });

  test('is about all recipients that failed together', async () => {
    await sending.update(reference, (part) => markFailed(part, fact('554 5.7.1 refused')));
    await sending.deliver();
    expect(await sending.emails()).toHaveLength(1);
    expect((await sending.raw())[0]!.toString().match(/^Final-Recipient:/gm)).toHaveLength(2);
  });

  test('is delivered once, however often the call is repeated', async () => {
    await sending.fail(bounced(ann));
    await Promise.all([sending.deliver(), sending.deliver()]);
    await sending.fail(bounced(ann), { ...bounced(ann), kind: 'refused' });
    await sending.deliver();
    expect(await sending.emails()).toHaveLength(1);
    expect(await sending.blobIds()).toHaveLength(1);
  });

  test('is separate for a recipient that fails later', async () => {
    await sending.fail(bounced(ann));
    await sending.deliver();
    await sending.fail(bounced(bob));
    await sending.deliver();
    expect(await sending.emails()).toHaveLength(2);
    expect(await sending.blobIds()).toHaveLength(2);
  });

  // @requirement 8621 §7 submission-dsn-blobs
  test('appears in dsnBlobIds in the order of the failures, over all parts of the submission, after it is delivered', async () => {
    const part = await sending.part();
    const report = (at: string, blob_id?: string) => ({ state: blob_id === undefined ? 'due' : 'delivered', at, recipients: [], blob_id }) as const;
    const parts = [
      { ...part, reports: [report('2', 'B2'), report('4')] },
      { ...part, reports: [report('1', 'B1'), report('3', 'B3')] },
    ];
    expect(reportBlobIds(parts)).toEqual(['B1', 'B2', 'B3']);
  });

  test('is delivered once after a crash before or after the delivery of its Email', async () => {
    for (const when of ['before', 'after'] as const) {
      sending = await start();
      await sending.fail(bounced(ann));
      sending.mailTable.crashAtWrite(0, when);
      await sending.deliver().catch(() => {});
      await sending.deliver();
      expect(await sending.emails()).toHaveLength(1);
      expect(await sending.blobIds()).toHaveLength(1);
    }
  });

  test('is not stored again when the sender destroyed it before a repeated delivery', async () => {
    await sending.fail(bounced(ann));
    await sending.deliver();
    const [email] = await sending.emails();
    await sending.store.commit((await sending.store.open(account))!, () => mailCommit({ destroyEmails: [email!.id] }));
    await sending.update(reference, (part) => ({ ...part, reports: part.reports!.map((report) => ({ ...report, state: 'due' })) }));
    await sending.deliver();
    expect(await sending.emails()).toEqual([]);
    expect(sending.objects.keys()).toEqual([]);
  });

  test('is delivered to a full account', async () => {
    sending = await start({ isFull: true });
    await sending.fail(bounced(ann));
    await sending.deliver();
    expect(await sending.emails()).toHaveLength(1);
  });

  test('is dropped, and leaves no data, when the account is removed', async () => {
    await sending.fail(bounced(ann));
    await mailRemovalIn(sending.mailTable).removeSome(account, 1000);
    await sending.deliver();
    expect(sending.objects.keys()).toEqual([]);
    expect((await sending.part()).reports).toMatchObject([{ state: 'dropped' }]);
    expect(await sending.blobIds()).toEqual([]);
  });

  test('does not exist for a submission without an EmailSubmission, such as a test mail', async () => {
    sending = await start({ has_record: false });
    await sending.fail(bounced(ann));
    await sending.deliver();
    expect(await sending.part()).not.toHaveProperty('reports');
    expect(await sending.emails()).toEqual([]);
  });

  test('waits for a soft bounce that a delivery could outweigh, and is not sent after a delivery', async () => {
    const soft = (recipient: string): RecipientUpdate => ({ kind: 'softlyBounced', fact: fact('out of office'), recipients: [recipient] });
    await sending.fail(soft(ann), soft(bob));
    expect((await sending.part()).reports).toEqual([]);
    await sending.fail({ kind: 'delivered', fact: fact('250 ok'), recipients: [ann] });
    await sending.update(reference, (part) => withDueReport(part, { alsoProvisional: true }));
    expect((await sending.part()).reports).toMatchObject([{ recipients: [{ address: bob }] }]);
  });
});
