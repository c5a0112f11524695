import * as fc from 'fast-check';
import type { StateChange } from '../../../contract/jmap/push.ts';
import { emailSubmissionsOf, emailSubmissionType } from '../../../core/mail/email-submission-type.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { mailRemovalIn } from '../../../core/mail/mail-store/mail-removal.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { suppressionAt } from '../../../core/sending/feedback/suppression-rules.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { acceptForAlice, dsnBlobIds, eventsAbout, reportedAddresses, senderAccount } from '../../support/account-submission.ts';
import { assertProperty } from '../../support/assert-property.ts';
import { failingTable } from '../../support/failing-table.ts';
import { notifierInMemory } from '../../support/notifier.ts';
import { sendPipeline, sesEventBody, type SendPipeline } from '../../support/send-pipeline.ts';

const [ann, bob, cid] = ['ann@elsewhere.test', 'bob@elsewhere.test', 'cid@elsewhere.test'];
const [aboutAnn, aboutBob] = [eventsAbout(ann), eventsAbout(bob)];
const sent = sesEventBody('Send', { send: {} });

let pipeline: SendPipeline;
const start = async (options: Parameters<typeof sendPipeline>[0] = {}) => {
  pipeline = sendPipeline(options);
  await pipeline.mail.createAccount(senderAccount);
  await acceptForAlice(pipeline, { recipients: [ann, bob] });
  // SES's own time of the sending is earlier than that of its response.
  pipeline.advance(2000);
  await pipeline.submit();
};
beforeEach(() => start());

/** The account as another Lambda sees it. */
const account = async () => (await mailStore({ table: pipeline.mailTable }).open(senderAccount))!;
const emails = async () => emailsOf(await account()).all();
const statuses = async () => (await pipeline.find()).statuses;
const suppression = async (recipient: string) => {
  const record = await pipeline.suppressions.find(recipient);
  return record && suppressionAt(record, pipeline.clock());
};
const changesSince = async (state: string, type = 'EmailSubmission') => {
  const store = mailStore({ table: pipeline.mailTable });
  return store.changes((await store.open(senderAccount))!, type, state);
};

describe('an SES event about an EmailSubmission', () => {
  test('changes its delivery status and its state in one transaction, so that its clients are notified', async () => {
    const before = await account();
    expect(await pipeline.recordEvents(aboutAnn.delivery(3))).toEqual([]);
    expect((await statuses())[ann]).toMatchObject({ delivered: 'yes' });
    expect(await changesSince(before.state('EmailSubmission'))).toMatchObject({ updated: ['submission_1'] });
    expect((await account()).sequence).toBe(before.sequence + 1);
  });

  test('that changes nothing writes nothing: a duplicate, or Send after the submit Lambda recorded it', async () => {
    const stored = async () => ({ parts: (await pipeline.find()).parts, sequence: (await account()).sequence });
    const afterSubmit = await stored();
    await pipeline.recordEvents(sent);
    expect(await stored()).toEqual(afterSubmit);
    await pipeline.recordEvents(aboutAnn.delivery(3));
    const afterDelivery = await stored();
    expect(afterDelivery).not.toEqual(afterSubmit);
    await pipeline.recordEvents(aboutAnn.delivery(3), sent);
    expect(await stored()).toEqual(afterDelivery);
  });

  // @requirement 8621 §7 submission-dsn-blobs
  test('Bounce gives feedback and suppression with the account, its user, identity and submission, and one report', async () => {
    const before = await account();
    await pipeline.recordEvents(aboutAnn.bounce('Permanent', 4));
    const {
      items: [feedback],
    } = await pipeline.feedback.list({ identity_id: 'identity_alice' }, undefined, 10);
    expect(feedback).toMatchObject({
      type: 'BOUNCE',
      account_id: senderAccount,
      user_id: 'user_alice',
      submission_id: 'submission_1',
      identity_id: 'identity_alice',
      recipient: ann,
    });
    expect(await suppression(ann)).toMatchObject({ bounce: { level: 'HARD' } });
    const [report] = await emails();
    expect(await reportedAddresses(pipeline)).toEqual([[ann]]);
    expect(await dsnBlobIds(pipeline)).toEqual([`B${report!.id.slice(1)}`]);
    expect(await changesSince(before.state('Email'), 'Email')).toMatchObject({ created: [report!.id] });
    expect(await changesSince(before.state('EmailSubmission'))).toMatchObject({ updated: ['submission_1'] });
  });

  test.each([
    ['Reject', { reject: { reason: 'Bad content' } }],
    ['Rendering Failure', { failure: { templateName: 't', errorMessage: 'missing' } }],
  ])('%s gives one report about all recipients', async (type, detail) => {
    await pipeline.recordEvents(sesEventBody(type, detail));
    expect(await reportedAddresses(pipeline)).toEqual([[ann, bob]]);
    expect(await statuses()).toMatchObject({ [ann]: { delivered: 'no' }, [bob]: { delivered: 'no' } });
  });

  test('an out-of-office reply before the event of the delivery gives no report', async () => {
    await pipeline.recordEvents(aboutAnn.bounce('Transient', 4, {}), aboutAnn.delivery(3));
    await pipeline.recordEvents(...pipeline.eventTasks());
    expect((await statuses())[ann]).toMatchObject({ delivered: 'yes' });
    expect(await emails()).toEqual([]);
  });

  test('a soft bounce without a delivery is reported once, after its delay', async () => {
    await pipeline.recordEvents(aboutAnn.bounce('Transient', 4), aboutAnn.bounce('Transient', 4));
    expect(await emails()).toEqual([]);
    expect(await pipeline.recordEvents(...pipeline.eventTasks(), ...pipeline.eventTasks())).toEqual([]);
    expect(await reportedAddresses(pipeline)).toEqual([[ann]]);
    expect(await emails()).toHaveLength(1);
  });

  test('is recorded, and its failure reported, when a client has destroyed the EmailSubmission', async () => {
    await pipeline.mail.commitRecords([{ accountId: senderAccount, type: emailSubmissionType, id: 'submission_1' }], () => ({
      accounts: { [senderAccount]: { EmailSubmission: { destroy: ['submission_1'] } } },
    }));
    expect(await pipeline.recordEvents(aboutAnn.bounce('Permanent', 4))).toEqual([]);
    expect((await statuses())[ann]).toMatchObject({ delivered: 'no' });
    expect(await reportedAddresses(pipeline)).toEqual([[ann]]);
    expect(emailSubmissionsOf(await account()).size).toBe(0);
  });

  test('is recorded without a report when the account is removed', async () => {
    await mailRemovalIn(pipeline.mailTable).removeSome(senderAccount, 1000);
    expect(await pipeline.recordEvents(aboutAnn.bounce('Permanent', 4))).toEqual([]);
    expect((await statuses())[ann]).toMatchObject({ delivered: 'no' });
    expect(await suppression(ann)).toMatchObject({ bounce: { level: 'HARD' } });
    expect(await reportedAddresses(pipeline)).toEqual([]);
  });

  test('is recorded and reported once after a crash at any write', async () => {
    for (const which of ['sending', 'mail'] as const) {
      for (let write = 0; write < 3; write += 1) {
        for (const when of ['before', 'after'] as const) {
          const tables = { sending: failingTable(memoryTable()), mail: failingTable(memoryTable()) };
          await start({ table: tables.sending, mailTable: tables.mail });
          tables[which].crashAtWrite(write, when);
          const requeued = await pipeline.recordEvents(aboutAnn.bounce('Permanent', 4));
          expect(await pipeline.recordEvents(...requeued)).toEqual([]);
          expect((await statuses())[ann]).toMatchObject({ delivered: 'no' });
          expect(await suppression(ann)).toMatchObject({ bounce: { level: 'HARD', count: 1 } });
          expect(await emails()).toHaveLength(1);
          expect(await dsnBlobIds(pipeline)).toHaveLength(1);
        }
      }
    }
  });
});

// @pitfall submission suppressed
test('the next send to a bounced address is refused for that recipient only, and the sender is notified', async () => {
  await pipeline.recordEvents(aboutAnn.bounce('Permanent', 4));
  await acceptForAlice(pipeline, { submission_id: 'submission_2', recipients: [ann, bob] });
  await pipeline.submit();
  expect(pipeline.sender.sent.at(-1)).toMatchObject({ recipients: [bob] });
  expect((await pipeline.find('submission_2')).statuses).toMatchObject({
    [ann]: { delivered: 'no', smtp_reply: '550 5.7.1 not sent: mail to this recipient bounced for good' },
    [bob]: { delivered: 'queued' },
  });
  expect(await reportedAddresses(pipeline)).toEqual([[ann], [ann]]);
  expect(await dsnBlobIds(pipeline, 'submission_2')).toHaveLength(1);
});

describe('SES events about an EmailSubmission in any order and with duplicates', () => {
  const everything = [
    sent,
    aboutAnn.delay(3),
    aboutAnn.delivery(10),
    aboutAnn.bounce('Transient', 11, {}),
    aboutAnn.complaint(20),
    aboutBob.delay(5),
    aboutBob.delivery(6),
    aboutBob.bounce('Permanent', 30),
    aboutBob.bounce('Permanent', 31),
    aboutBob.complaint(7),
    eventsAbout(cid).bounce('Transient', 12),
    eventsAbout(cid).delay(13),
  ];
  /**
   * @param submitAfter the number of events that are handled before the submit Lambda retries a batch whose response
   * was lost.
   */
  const outcome = async (bodies: readonly string[], submitAfter: number) => {
    pipeline = sendPipeline();
    await pipeline.mail.createAccount(senderAccount);
    await acceptForAlice(pipeline, { recipients: [ann, bob, cid] });
    pipeline.sender.faults.push('response lost');
    const requeued = await pipeline.submit();
    for (const [index, body] of bodies.entries()) {
      if (index === submitAfter) await pipeline.submit(requeued);
      expect(await pipeline.recordEvents(body)).toEqual([]);
    }
    expect(await pipeline.recordEvents(...pipeline.eventTasks())).toEqual([]);
    const { items } = await pipeline.feedback.list({ type: undefined }, undefined, 100);
    return {
      statuses: await statuses(),
      feedback: items,
      suppressions: await Promise.all([ann, bob, cid].map(suppression)),
      reports: await reportedAddresses(pipeline),
      emails: (await emails()).length,
      blobs: (await dsnBlobIds(pipeline)).length,
      sends: pipeline.sender.sent.length,
    };
  };

  test('lead to the same delivery status, feedback, suppression and reports', async () => {
    const expected = await outcome(everything, -1);
    expect(expected).toMatchObject({
      statuses: { [ann]: { delivered: 'yes' }, [bob]: { delivered: 'no' }, [cid]: { delivered: 'no' } },
      suppressions: [
        { bounce: { level: 'NONE', count: 0 }, complaints: { transactional: { level: 'PERMANENT' } } },
        { bounce: { level: 'HARD', count: 2 } },
        { bounce: { level: 'NONE', count: 1 } },
      ],
      reports: [[bob], [cid]],
      emails: 2,
      blobs: 2,
      sends: 1,
    });
    expect(expected.feedback).toHaveLength(6);
    await assertProperty(
      fc.asyncProperty(
        fc.shuffledSubarray(everything, { minLength: everything.length }),
        fc.array(fc.constantFrom(...everything), { maxLength: 6 }),
        fc.nat(18),
        async (order, duplicates, submitAfter) => {
          const bodies = [...order, ...duplicates]
            .map((body, index) => ({ body, rank: (index * 7919) % 19 }))
            .sort((one, other) => one.rank - other.rank)
            .map(({ body }) => body);
          expect(await outcome(bodies, submitAfter)).toEqual(expected);
        },
      ),
      { numRuns: 15 },
    );
  });

  test('that several Lambdas record at once are all recorded, with one report for each recipient', async () => {
    const bodies = [aboutAnn.bounce('Permanent', 4), aboutBob.bounce('Permanent', 5), aboutAnn.delivery(3), aboutBob.delay(2)];
    const requeued = (await Promise.all(bodies.flatMap((body) => [pipeline.recordEvents(body), pipeline.recordEvents(body)]))).flat();
    await pipeline.recordEvents(...requeued);
    expect(await statuses()).toMatchObject({ [ann]: { delivered: 'no' }, [bob]: { delivered: 'no' } });
    expect(await reportedAddresses(pipeline)).toEqual([[ann], [bob]]);
    expect(await emails()).toHaveLength(2);
    expect(await suppression(ann)).toMatchObject({ bounce: { count: 1 } });
  });
});

test('the sender’s clients get a StateChange of EmailSubmission, and of Email when a report arrives', async () => {
  const notifier = notifierInMemory();
  await notifier.person('alice');
  await notifier.account(senderAccount, 'alice');
  await notifier.socket('alice', 'socket-1');
  pipeline = sendPipeline({ mailTable: notifier.mail });
  await acceptForAlice(pipeline, { recipients: [ann] });
  await pipeline.submit();
  const pushedTypes = async () => {
    const before = notifier.received('socket-1').length;
    expect(await notifier.run(notifier.takeStreamRecords())).toEqual([]);
    const frames = notifier.received('socket-1').slice(before) as StateChange[];
    return [...new Set(frames.flatMap(({ changed }) => Object.keys(changed[senderAccount] ?? {})))].sort();
  };
  await pushedTypes();
  await pipeline.recordEvents(aboutAnn.delay(3));
  expect(await pushedTypes()).toEqual(['EmailSubmission']);
  await pipeline.recordEvents(aboutAnn.bounce('Permanent', 4));
  expect(await pushedTypes()).toEqual(['Email', 'EmailDelivery', 'EmailSubmission', 'Mailbox', 'Quota', 'Thread']);
});
