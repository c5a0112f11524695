import { accountId, aliasOfAlice } from '../../../bench/fixtures/alice.ts';
import { sendingRightsIn } from '../../../core/directory/aliases/may-send.ts';
import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import { senderRefusal } from '../../../lambdas/submit/submit-dependencies.ts';
import { memoryObjects } from '../../fakes/memory-objects.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { sendPipeline, sesEventBody } from '../../support/send-pipeline.ts';
import { jmapLambda, tablesWithMessages } from '../fixtures/lambdas-in-memory.ts';
import { TableMeter, type TableUsage } from './table-meter.ts';

/** The usage of one sent message, by component. */
export type SentMailCounts = {
  readonly recipients: number;
  /** The request that creates the Email, submits it and moves it to Sent. */
  readonly request: TableUsage;
  /** The submit Lambda. */
  readonly submit: TableUsage;
  /** The calls of the mail-events Lambda: for the Send event, and a Delivery event of each recipient. */
  readonly events: readonly TableUsage[];
  /** The account's commits, of which the notifier and the indexer read each. */
  readonly commits: number;
  readonly objectsRead: number;
  readonly objectsWritten: number;
};

/** The total usage of Lambdas that run one after the other. */
export const together = (usages: readonly TableUsage[]): TableUsage => ({
  trips: usages.reduce((sum, { trips }) => sum + trips, 0),
  readUnits: usages.reduce((sum, { readUnits }) => sum + readUnits, 0),
  writeUnits: usages.reduce((sum, { writeUnits }) => sum + writeUnits, 0),
});

const countedObjects = () => {
  const bucket = memoryObjects();
  const counts = { objectsRead: 0, objectsWritten: 0 };
  return {
    counts,
    objects: {
      ...bucket,
      get: (...given: Parameters<typeof bucket.get>) => {
        counts.objectsRead++;
        return bucket.get(...given);
      },
      put: (...given: Parameters<typeof bucket.put>) => {
        counts.objectsWritten++;
        return bucket.put(...given);
      },
    },
  };
};

/**
 * Sends one message to this many recipients from an account of 1,000 messages, with a warm Lambda.
 * @param eventsAtOnce SES's events of one call of the mail-events Lambda.
 */
export const countSentMail = async (recipients: number, eventsAtOnce: number): Promise<SentMailCounts> => {
  const meter = new TableMeter();
  const tables = await tablesWithMessages(1000);
  const [directory, mail, sending] = [meter.watch(tables.directory), meter.watch(tables.mail), meter.watch(memoryTable())];
  const { counts, objects } = countedObjects();
  const refusalOf = senderRefusal(sendingRightsIn(directory));
  const pipeline = sendPipeline({ table: sending, mailTable: mail, objects, refusalOf });
  const jmap = jmapLambda(directory, mail, undefined, objects, { table: sending, queue: pipeline.queue });
  const view = (await jmap.store.open(accountId))!;
  const mailboxId = (role: string) =>
    mailboxesOf(view)
      .all()
      .find((mailbox) => mailbox.role === role)!.id;
  await jmap.sendAndParse(['Mailbox/get', { accountId, ids: null }, 'a']);
  const sequenceBefore = view.sequence;
  Object.assign(counts, { objectsRead: 0, objectsWritten: 0 });

  const to = Array.from({ length: recipients }, (_, number) => ({ email: `recipient.${number}@mail.example.net` }));
  const [drafts, sent] = [mailboxId('drafts'), mailboxId('sent')];
  let submissionId = '';
  const request = await meter.measure(async () => {
    const [, [, accepted]] = (await jmap.sendAndParse(
      [
        'Email/set',
        {
          accountId,
          create: {
            draft: {
              mailboxIds: { [drafts]: true },
              keywords: { $draft: true, $seen: true },
              from: [{ email: aliasOfAlice.email }],
              to,
              subject: 'The plan for tomorrow',
              textBody: [{ partId: '1', type: 'text/plain' }],
              bodyValues: { 1: { value: 'See you at nine. '.repeat(20) } },
            },
          },
        },
        'draft',
      ],
      [
        'EmailSubmission/set',
        {
          accountId,
          create: { sending: { identityId: aliasOfAlice.alias_id, emailId: '#draft' } },
          onSuccessUpdateEmail: { '#sending': { [`mailboxIds/${drafts}`]: null, [`mailboxIds/${sent}`]: true, 'keywords/$draft': null } },
        },
        'send',
      ],
    )) as unknown as [unknown, [string, { created: { sending: { id: string } } }]];
    submissionId = accepted.created.sending.id;
  });
  // The pipeline has a clock of its own.
  pipeline.advance(Date.now() - pipeline.clock().getTime());
  const submit = await meter.measure(() => pipeline.submit());
  const destination = to.map(({ email }) => email);
  const event = (type: string, detail: object) => sesEventBody(type, detail, { submission: submissionId, id: pipeline.sender.sent[0]!.id, destination });
  const delivery = (address: string) =>
    event('Delivery', {
      delivery: {
        timestamp: new Date().toISOString(),
        recipients: [address],
        smtpResponse: '250 2.0.0 OK 1763714282 a1b2c3d4e5f6-1a2b3c4d5e6fsi1234567.89 - gsmtp',
      },
    });
  const bodies = [event('Send', { send: {} }), ...destination.map(delivery)];
  const events: TableUsage[] = [];
  while (bodies.length > 0) events.push(await meter.measure(() => pipeline.recordEvents(...bodies.splice(0, eventsAtOnce))));
  const { submission, statuses } = await pipeline.find(submissionId);
  if (submission.undo_status !== 'final' || pipeline.sender.sent.length !== 1) throw new Error('the message was not sent exactly once');
  if (Object.values(statuses).some(({ delivered }) => delivered !== 'yes')) throw new Error('an event was not recorded');
  return { recipients, request, submit, events, commits: (await jmap.store.open(accountId))!.sequence - sequenceBefore, ...counts };
};
