import * as fc from 'fast-check';
import { suppressionAt } from '../../../core/sending/feedback/suppression-rules.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { eventsAbout, second } from '../../support/account-submission.ts';
import { assertProperty } from '../../support/assert-property.ts';
import { failingTable } from '../../support/failing-table.ts';
import { newSubmission, sesEventBody, sendPipeline, type SendPipeline } from '../../support/send-pipeline.ts';

const [ann, bob] = ['ann@elsewhere.test', 'bob@elsewhere.test'];
const about = { destination: [ann, bob] };
const [aboutAnn, aboutBob] = [eventsAbout(ann, about), eventsAbout(bob, about)];
const sent = () => sesEventBody('Send', { send: {} }, about);

let pipeline: SendPipeline;
const start = async (table = memoryTable()) => {
  pipeline = sendPipeline({ table });
  await pipeline.accept(newSubmission({ recipients: [ann, bob], account_id: 'acc_1', user_id: 'user_1' }));
  await pipeline.submit();
};
beforeEach(() => start());

const statuses = async () => (await pipeline.find()).statuses;
const feedback = async () => (await pipeline.feedback.list({ type: undefined }, undefined, 100)).items;
const suppression = async (recipient: string) => {
  const record = await pipeline.suppressions.find(recipient);
  return record && suppressionAt(record, pipeline.clock());
};

describe('an SES event', () => {
  test('Delivery sets the recipient’s status to delivered', async () => {
    expect(await pipeline.recordEvents(sent(), aboutAnn.delivery(3))).toEqual([]);
    expect(await statuses()).toEqual({
      [ann]: { delivered: 'yes', displayed: 'unknown', smtp_reply: '250 2.0.0 OK 3' },
      [bob]: { delivered: 'queued', displayed: 'unknown', smtp_reply: '250 2.0.0 queued' },
    });
  });

  test('DeliveryDelay puts its reason into the status', async () => {
    await pipeline.recordEvents(aboutAnn.delay(3));
    expect((await statuses())[ann]).toMatchObject({ delivered: 'queued', smtp_reply: '452 4.2.2 full 3' });
  });

  test('Bounce of the type Permanent sets the status, stores a feedback and suppresses the recipient', async () => {
    await pipeline.recordEvents(aboutAnn.bounce('Permanent', 4));
    expect((await statuses())[ann]).toMatchObject({ delivered: 'no', smtp_reply: '550 5.1.1 unknown 4' });
    expect(await feedback()).toEqual([
      {
        id: expect.stringMatching(/^feedback_[\w-]{21}$/),
        type: 'BOUNCE',
        message_class: 'TRANSACTIONAL',
        recipient: ann,
        identity_id: 'dom_1',
        timestamp: second(4),
        account_id: 'acc_1',
        user_id: 'user_1',
        submission_id: 'submission_1',
        provider_message_id: '01000',
        bounce_metadata: { bounce_type: 'Permanent', bounce_sub_type: 'General', diagnostic_code: 'smtp; 550 5.1.1 unknown 4', status: '5.1.1' },
      },
    ]);
    expect(await suppression(ann)).toMatchObject({
      recipient: ann,
      bounce: { level: 'HARD', count: 1, first_occurrence: second(4), last_occurrence: second(4), soft_bounce_count: 0, last_bounce_type: 'Permanent' },
    });
  });

  test('Bounce of the type Transient after a delivery leaves the status delivered', async () => {
    await pipeline.recordEvents(aboutAnn.delivery(3), aboutAnn.bounce('Transient', 4));
    expect((await statuses())[ann]).toMatchObject({ delivered: 'yes' });
    expect(await suppression(ann)).toMatchObject({ bounce: { level: 'NONE', count: 1, soft_bounce_count: 1 } });
  });

  test('Bounce of a recipient in needless quotes is one of the mailbox that they name', async () => {
    await pipeline.recordEvents(eventsAbout(`"${ann.replace('@', '"@')}`).bounce('Permanent', 4));
    expect((await statuses())[ann]).toMatchObject({ delivered: 'no' });
    expect(await feedback()).toMatchObject([{ recipient: ann }]);
    expect(await suppression(ann)).toMatchObject({ recipient: ann, bounce: { level: 'HARD' } });
  });

  test('Bounce for an automatic answer stores a feedback and suppresses nothing', async () => {
    const answer = { feedbackId: 'a', bounceType: 'Transient', bounceSubType: 'General', timestamp: second(4), bouncedRecipients: [{ emailAddress: ann }] };
    await pipeline.recordEvents(sesEventBody('Bounce', { bounce: answer }, about), aboutAnn.delivery(3));
    expect((await statuses())[ann]).toMatchObject({ delivered: 'yes' });
    expect(await feedback()).toMatchObject([{ type: 'BOUNCE', bounce_metadata: { bounce_type: 'Transient', bounce_sub_type: 'General' } }]);
    expect(await suppression(ann)).toBeUndefined();
  });

  test('Complaint stores a feedback and suppresses the recipient for its message class', async () => {
    await pipeline.recordEvents(aboutAnn.delivery(3), aboutAnn.complaint(5));
    expect((await statuses())[ann]).toMatchObject({ delivered: 'yes' });
    expect(await feedback()).toMatchObject([{ type: 'COMPLAINT', complaint_metadata: { complaint_feedback_type: 'abuse', user_agent: 'ua' } }]);
    expect(await suppression(ann)).toMatchObject({
      bounce: { level: 'NONE', count: 0 },
      complaints: {
        transactional: { level: 'PERMANENT', count: 1, last_complaint_type: 'abuse', last_identity_id: 'dom_1' },
        bulk: { level: 'NONE' },
        mailing_list: { level: 'NONE' },
      },
    });
  });

  test('Complaint of the type not-spam stores a feedback and suppresses nothing', async () => {
    await pipeline.recordEvents(aboutAnn.complaint(5, 'not-spam'));
    expect(await feedback()).toHaveLength(1);
    expect(await suppression(ann)).toBeUndefined();
  });

  test.each([
    ['Reject', { reject: { reason: 'Bad content' } }, '554 5.7.1 rejected: Bad content'],
    ['Rendering Failure', { failure: { templateName: 't', errorMessage: 'missing' } }, '554 5.6.0 not rendered: missing'],
  ])('%s makes all recipients fail', async (type, detail, smtp_reply) => {
    await pipeline.recordEvents(sesEventBody(type, detail, about));
    expect(await statuses()).toMatchObject({ [ann]: { delivered: 'no', smtp_reply }, [bob]: { delivered: 'no', smtp_reply } });
  });

  test('about mail without a submission is stored with the identity that SES names', async () => {
    await pipeline.recordEvents(eventsAbout('Other <Zoe@elsewhere.test>', { submission: null }).bounce('Permanent', 4));
    expect(await feedback()).toMatchObject([{ recipient: 'zoe@elsewhere.test', identity_id: 'example.test', message_class: 'TRANSACTIONAL' }]);
  });

  test('about a submission that does not exist is stored too', async () => {
    expect(await pipeline.recordEvents(eventsAbout(ann, { submission: 'submission_gone' }).bounce('Permanent', 4))).toEqual([]);
    expect(await feedback()).toMatchObject([{ submission_id: 'submission_gone' }]);
  });

  test('that is invalid fails and ends in the dead-letter queue; setup notifications and ignored events do not', async () => {
    const wrap = (Message: string) => JSON.stringify({ Type: 'Notification', Message });
    const bodies = [
      'no',
      wrap('{"eventType":"Surprise"}'),
      wrap('Successfully validated SNS topic for Amazon SES event publishing.'),
      wrap('{"eventType":"Open","mail":{}}'),
    ];
    expect(await pipeline.recordEvents(...bodies)).toEqual(bodies.slice(0, 2));
  });
});

test('three soft bounces within three days suppress the recipient for a day, the next time for two days', async () => {
  const times = [[0, 20, 40], [0, 1, 2].map((minute) => 24 * 60 + 40 + 60 + minute)];
  for (const minutes of times) {
    for (const minute of minutes) {
      const at = new Date(Date.UTC(2026, 10, 21, 8, 38 + minute)).toISOString();
      const answer = { feedbackId: at, bounceType: 'Transient', bounceSubType: 'MailboxFull', timestamp: at, bouncedRecipients: [{ emailAddress: bob }] };
      await pipeline.recordEvents(sesEventBody('Bounce', { bounce: answer }, about));
    }
    pipeline.advance(minutes.at(-1)! * 60_000 - (pipeline.clock().getTime() - Date.UTC(2026, 10, 21, 8, 38)));
    expect(await suppression(bob)).toMatchObject({ bounce: { level: 'SOFT', soft_bounce_count: 3 } });
  }
  expect(await suppression(bob)).toMatchObject({
    bounce: { count: 6, reenable_after: new Date(Date.UTC(2026, 10, 23, 8, 38 + 24 * 60 + 40 + 60 + 2)).toISOString() },
  });
  pipeline.advance(2 * 86_400_000);
  expect(await suppression(bob)).toMatchObject({ bounce: { level: 'NONE', count: 6 } });
});

test('a crash at any write is repaired when the queue delivers the event again', async () => {
  for (const [write, when] of [
    [0, 'before'],
    [0, 'after'],
    [1, 'before'],
    [1, 'after'],
  ] as const) {
    const table = failingTable(memoryTable());
    await start(table);
    table.crashAtWrite(write, when);
    const requeued = await pipeline.recordEvents(aboutAnn.bounce('Permanent', 4));
    expect(requeued).toHaveLength(1);
    expect(await pipeline.recordEvents(...requeued)).toEqual([]);
    expect(await feedback()).toHaveLength(1);
    expect(await suppression(ann)).toMatchObject({ bounce: { level: 'HARD', count: 1 } });
    expect((await statuses())[ann]).toMatchObject({ delivered: 'no' });
  }
});

test('events that several Lambdas record at once are all stored', async () => {
  const bodies = Array.from({ length: 8 }, (_, index) => (index % 2 ? aboutAnn : aboutBob).bounce('Transient', index));
  const requeued = (await Promise.all(bodies.map((body) => pipeline.recordEvents(body, body)))).flat();
  await pipeline.recordEvents(...requeued);
  expect(await feedback()).toHaveLength(8);
  expect(await suppression(ann)).toMatchObject({ bounce: { count: 4 } });
});

describe('SES events in any order and with duplicates', () => {
  const everything = [
    sent(),
    aboutAnn.delay(3),
    aboutAnn.delay(9),
    aboutAnn.delivery(10),
    aboutAnn.bounce('Transient', 11),
    aboutAnn.bounce('Transient', 12),
    aboutAnn.bounce('Undetermined', 13),
    aboutAnn.complaint(20),
    aboutAnn.complaint(21, 'fraud'),
    aboutBob.delivery(4),
    aboutBob.bounce('Permanent', 30),
    aboutBob.bounce('Permanent', 31),
    aboutBob.complaint(5),
  ];
  const outcome = async (bodies: readonly string[], submitAfter: number) => {
    pipeline = sendPipeline();
    await pipeline.accept(newSubmission({ recipients: [ann, bob] }));
    pipeline.sender.faults.push('response lost');
    const requeued = await pipeline.submit();
    for (const [index, body] of bodies.entries()) {
      if (index === submitAfter) await pipeline.submit(requeued);
      await pipeline.recordEvents(body);
    }
    const {
      submission,
      parts: [part],
    } = await pipeline.find();
    const { version: _version, ...known } = part!;
    const suppressions = await Promise.all([ann, bob].map(suppression));
    return { submission, known, feedback: await feedback(), suppressions, sends: pipeline.sender.sent.length };
  };

  test('lead to the same state', async () => {
    const expected = await outcome(everything, -1);
    expect(expected).toMatchObject({
      known: { state: 'sent' },
      sends: 1,
      suppressions: [
        { bounce: { level: 'SOFT', count: 3, last_bounce_type: 'Undetermined' }, complaints: { transactional: { count: 2, last_complaint_type: 'fraud' } } },
        { bounce: { level: 'HARD', count: 2, first_occurrence: second(30), last_occurrence: second(31) } },
      ],
    });
    await assertProperty(
      fc.asyncProperty(
        fc.shuffledSubarray(everything, { minLength: everything.length }),
        fc.array(fc.constantFrom(...everything), { maxLength: 8 }),
        fc.nat(20),
        async (order, duplicates, submitAfter) => {
          const bodies = [...order, ...duplicates]
            .map((body, index) => ({ body, index: (index * 7919) % 23 }))
            .sort((a, b) => a.index - b.index)
            .map(({ body }) => body);
          expect(await outcome(bodies, submitAfter)).toEqual(expected);
        },
      ),
      { numRuns: 200 },
    );
  });
});
