import * as fc from 'fast-check';
import type { StateChange } from '../../../contract/jmap/push.ts';
import { emailSubmissionsOf } from '../../../core/mail/email-submission-type.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { suppressionAt } from '../../../core/sending/feedback/suppression-rules.ts';
import type { Table } from '../../../core/storage/table.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { acceptForAlice, eventsAbout, reportedAddresses, second, senderAccount } from '../../support/account-submission.ts';
import { assertProperty } from '../../support/assert-property.ts';
import { failingTable } from '../../support/failing-table.ts';
import { notifierInMemory } from '../../support/notifier.ts';
import { sendPipeline, sesEventBody, type SendPipeline } from '../../support/send-pipeline.ts';

const recipients = Array.from({ length: 10 }, (_, number) => `r${number}@elsewhere.test`);
const [ann, bob, cid] = recipients as [string, string, string];
const deliveries = recipients.map((recipient, number) => eventsAbout(recipient).delivery(number));
const malformed = JSON.stringify({ Type: 'Notification', Message: '{"eventType":"Surprise"}' });
const deliveryOf = (submission: string, recipient: string) =>
  sesEventBody('Delivery', { delivery: { timestamp: second(5), recipients: [recipient], smtpResponse: '250 ok' } }, { submission });

let pipeline: SendPipeline;
const start = async (options: Parameters<typeof sendPipeline>[0] = {}) => {
  pipeline = sendPipeline(options);
  await pipeline.mail.createAccount(senderAccount);
  await acceptForAlice(pipeline, { recipients });
  await pipeline.submit();
};
beforeEach(() => start());

/** The account as another Lambda sees it. */
const account = async () => (await mailStore({ table: pipeline.mailTable }).open(senderAccount))!;
const sequence = async () => (await account()).sequence;
const deliveryChanges = async (id = 'submission_1') => emailSubmissionsOf(await account()).get(id)!.deliveryChanges;
const delivered = async (id?: string) => {
  const { statuses } = await pipeline.find(id);
  return Object.entries(statuses)
    .filter(([, status]) => status.delivered === 'yes')
    .map(([address]) => address);
};
const bounceCount = async (recipient: string) => {
  const record = await pipeline.suppressions.find(recipient);
  return record ? suppressionAt(record, pipeline.clock()).bounce.count : 0;
};
const feedback = async () => (await pipeline.feedback.list({ type: undefined }, undefined, 100)).items;

/** A table whose writes of this recipient's suppression record fail. */
const withoutSuppressionOf = (recipient: string, table: Table): Table => ({
  ...table,
  write: async (writes) => {
    if (writes.some((write) => 'put' in write && write.put.pk === 'suppression' && write.put.sk === recipient)) throw new Error('the write failed');
    return table.write(writes);
  },
});

describe('a batch of SES events', () => {
  test('about recipients of one part is one commit of the account, with one change of the EmailSubmission', async () => {
    const before = await sequence();
    expect(await pipeline.recordEvents(...deliveries)).toEqual([]);
    expect(await delivered()).toEqual(recipients);
    expect([await sequence(), await deliveryChanges()]).toEqual([before + 1, 1]);
  });

  test('about recipients of one part is one StateChange for the sender’s clients', async () => {
    const notifier = notifierInMemory();
    await notifier.person('alice');
    await notifier.account(senderAccount, 'alice');
    await notifier.socket('alice', 'socket-1');
    pipeline = sendPipeline({ mailTable: notifier.mail });
    await acceptForAlice(pipeline, { recipients });
    await pipeline.submit();
    await notifier.run(notifier.takeStreamRecords());
    const before = notifier.received('socket-1').length;
    await pipeline.recordEvents(...deliveries);
    await notifier.run(notifier.takeStreamRecords());
    const frames = notifier.received('socket-1').slice(before) as StateChange[];
    expect(frames.map(({ changed }) => Object.keys(changed[senderAccount] ?? {}))).toEqual([['EmailSubmission']]);
  });

  test('about several submissions is one change of each EmailSubmission', async () => {
    await acceptForAlice(pipeline, { submission_id: 'submission_2', recipients: [ann, bob] });
    await pipeline.submit();
    const ofSecond = [ann, bob].map((recipient) => deliveryOf('submission_2', recipient));
    const bodies = [deliveries[0]!, ofSecond[0]!, deliveries[2]!, ofSecond[1]!, deliveryOf('submission_gone', ann)];
    expect(await pipeline.recordEvents(...bodies)).toEqual([]);
    expect([await delivered(), await delivered('submission_2')]).toEqual([
      [ann, cid],
      [ann, bob],
    ]);
    expect([await deliveryChanges(), await deliveryChanges('submission_2')]).toEqual([1, 1]);
  });

  test('in which one is malformed records the others and returns that one', async () => {
    expect(await pipeline.recordEvents(...deliveries.slice(0, 4), malformed, ...deliveries.slice(4))).toEqual([malformed]);
    expect([await delivered(), await deliveryChanges()]).toEqual([recipients, 1]);
  });

  test('in which one cannot be recorded records the others, and returns that one until it can be', async () => {
    const table = memoryTable();
    await start({ table: withoutSuppressionOf(bob, table) });
    const [bounceOfAnn, bounceOfBob] = [eventsAbout(ann).bounce('Permanent', 4), eventsAbout(bob).bounce('Permanent', 4)];
    const bodies = [...deliveries.slice(2, 6), bounceOfBob, bounceOfAnn, ...deliveries.slice(6)];
    expect(await pipeline.recordEvents(...bodies)).toEqual([bounceOfBob]);
    expect(await delivered()).toEqual(recipients.slice(2));
    expect([await bounceCount(ann), await bounceCount(bob)]).toEqual([1, 0]);
    expect(pipeline.log.records.filter(({ level }) => level === 'warn')).toMatchObject([{ details: { error_name: 'Error' } }]);

    const repaired = sendPipeline({ table, mailTable: pipeline.mailTable, objects: pipeline.objects });
    expect(await repaired.recordEvents(bounceOfBob)).toEqual([]);
    expect([await bounceCount(ann), await bounceCount(bob), (await feedback()).length]).toEqual([1, 1, 2]);
  });

  test('with bounces of several recipients gives feedback and suppression of each, and one report of all', async () => {
    const bodies = [ann, bob, cid].map((recipient, number) => eventsAbout(recipient).bounce('Permanent', number));
    expect(await pipeline.recordEvents(...bodies, ...bodies)).toEqual([]);
    expect(await Promise.all([ann, bob, cid].map(bounceCount))).toEqual([1, 1, 1]);
    expect((await feedback()).map(({ recipient }) => recipient)).toEqual([cid, bob, ann]);
    expect(await reportedAddresses(pipeline)).toEqual([[ann, bob, cid]]);
  });

  test('that exceeds a transaction is recorded in several', async () => {
    const bodies = Array.from({ length: 60 }, (_, number) => sesEventBody('Send', { send: {} }, { id: `0100-${number}` }));
    expect(await pipeline.recordEvents(...bodies, ...deliveries)).toEqual([]);
    expect((await pipeline.find()).parts[0]!.sent_again).toHaveLength(60);
    expect(await delivered()).toEqual(recipients);
  });

  test('that several Lambdas get at once, with the same events, is recorded once', async () => {
    const bounces = [ann, bob, cid].map((recipient) => eventsAbout(recipient).bounce('Permanent', 20));
    const batches = [
      [...deliveries, bounces[0]!],
      [bounces[1]!, ...deliveries],
      [...bounces, deliveries[9]!],
    ];
    expect((await Promise.all(batches.map((batch) => pipeline.recordEvents(...batch)))).flat()).toEqual([]);
    expect(await delivered()).toEqual(recipients.slice(3));
    expect(await Promise.all([ann, bob, cid].map(bounceCount))).toEqual([1, 1, 1]);
    expect((await reportedAddresses(pipeline)).flat().toSorted()).toEqual([ann, bob, cid]);
  });
});

describe('a batch of SES events whose Lambda fails at a write', () => {
  const bounces = [ann, bob].map((recipient) => eventsAbout(recipient).bounce('Permanent', 20));
  const bodies = [deliveries[5]!, bounces[0]!, deliveries[7]!, bounces[1]!];
  /**
   * The expected transactions: two writes of feedback, and the commits of the events, of the report, and of the
   * EmailSubmission with the report.
   */
  const writes = [...[0, 1].map((write) => ({ table: 'sending', write }) as const), ...[0, 1, 2].map((write) => ({ table: 'mail', write }) as const)];
  const places = writes.flatMap((each) => (['before', 'after'] as const).map((when) => ({ ...each, when })));
  const startFailing = async () => {
    const tables = { sending: failingTable(memoryTable()), mail: failingTable(memoryTable()) };
    await start({ table: tables.sending, mailTable: tables.mail });
    return tables;
  };
  const expectRecordedOnce = async () => {
    expect(await delivered()).toEqual([recipients[5], recipients[7]]);
    expect(await Promise.all([ann, bob].map(bounceCount))).toEqual([1, 1]);
    expect(await feedback()).toHaveLength(2);
    expect((await reportedAddresses(pipeline)).flat().toSorted()).toEqual([ann, bob]);
  };

  test.each(places)('once returns nothing that is not recorded: $table, write $write, $when', async ({ table, write, when }) => {
    const tables = await startFailing();
    tables[table].crashAtWrite(write, when);
    const returned = await pipeline.recordEvents(...bodies);
    expect(await pipeline.recordEvents(...returned)).toEqual([]);
    await expectRecordedOnce();
  });

  test.each(places)('for good acknowledges nothing that is not recorded: $table, write $write, $when', async ({ table, write, when }) => {
    const tables = await startFailing();
    tables[table].endProcessAtWrite(write, when);
    const returned = await pipeline.recordEvents(...bodies);
    for (const each of Object.values(tables)) each.recover();
    expect(await pipeline.recordEvents(...returned)).toEqual([]);
    await expectRecordedOnce();
  });
});

describe('SES events in batches of any size and order, with duplicates', () => {
  const [aboutAnn, aboutBob] = [eventsAbout(ann), eventsAbout(bob)];
  const everything = [
    sesEventBody('Send', { send: {} }),
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
    eventsAbout(cid).bounce('Permanent', 13),
    malformed,
    ...deliveries.slice(3),
  ];
  const outcome = async (batches: readonly (readonly string[])[]) => {
    await start();
    const returned: string[] = [];
    for (const batch of batches) returned.push(...(await pipeline.recordEvents(...batch)));
    await pipeline.recordEvents(...pipeline.eventTasks());
    const {
      statuses,
      parts: [part],
    } = await pipeline.find();
    return {
      statuses,
      facts: part!.recipients,
      feedback: await feedback(),
      returned: new Set(returned),
      sends: pipeline.sender.sent.length,
      suppressions: await Promise.all(
        recipients.map(async (each) => {
          const record = await pipeline.suppressions.find(each);
          return record && suppressionAt(record, pipeline.clock());
        }),
      ),
      reported: (await reportedAddresses(pipeline)).flat().toSorted(),
    };
  };

  test('lead to the same delivery status, feedback, suppression and reports as one by one', async () => {
    const expected = await outcome(everything.map((body) => [body]));
    expect(expected).toMatchObject({ returned: new Set([malformed]), reported: [bob, cid] });
    expect(expected.feedback).toHaveLength(7);
    await assertProperty(
      fc.asyncProperty(
        fc.shuffledSubarray(everything, { minLength: everything.length }),
        fc.array(fc.constantFrom(...everything), { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 40, maxLength: 40 }),
        async (order, duplicates, sizes) => {
          const bodies = [...order.slice(0, 8), ...duplicates, ...order.slice(8)];
          const batches: string[][] = [];
          for (const size of sizes) if (bodies.length > 0) batches.push(bodies.splice(0, size));
          expect(await outcome(batches)).toEqual(expected);
        },
      ),
      { numRuns: 40 },
    );
  });
});
